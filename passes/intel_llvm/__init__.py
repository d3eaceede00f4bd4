"""What convert-triton-intel-gpu-to-llvm is made of: types, elementwise ops, ops of tensors."""
