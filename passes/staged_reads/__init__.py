"""What `convert-staged-operands-to-llvm` emits: a warp's addresses, shared memory accesses and byte permutations."""
