"""The emission of `convert-staged-operands-to-llvm`: a warp's addresses, shared memory accesses, byte permutations."""
