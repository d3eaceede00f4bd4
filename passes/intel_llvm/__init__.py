"""Building blocks of convert-triton-intel-gpu-to-llvm: types, elementwise ops, ops on tensors."""
