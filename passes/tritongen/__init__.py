"""Building blocks of convert-tritongen-to-llvm: callees, 2D block messages, and the other ops."""
