"""What the passes ask about values: how offsets and pointers run, where block pointers come from."""
