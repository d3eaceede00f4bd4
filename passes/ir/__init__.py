"""What passes share when they read and write IR: layouts, memory descriptors, control flow, new ops, moving ops."""
