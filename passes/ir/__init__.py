"""IR helpers that passes share: layouts, memory descriptors, constants, uses, control flow, new ops."""
