"""What passes share when they read and write IR: layouts of values, memory descriptors, new ops, moving ops."""
