"""2D block prefetches (Intel): which prefetches can become one, and what is emitted."""
