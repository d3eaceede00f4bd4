"""What convert-tritongen-to-llvm is made of: callees, 2D block messages, and the other ops."""
