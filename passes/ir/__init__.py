"""What passes share to read and write IR: layouts, memory descriptors, constants, uses, control flow, new ops."""
