"""2D block prefetches: which prefetches can be some, and what they become."""
