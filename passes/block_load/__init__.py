"""2D block loads (Intel), shared by the two passes on them: candidates, spellings of messages, LLVM building blocks."""
