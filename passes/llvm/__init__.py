"""Parts of the passes that make ops of the LLVM dialect: types, builders and the entry block of a function."""
