"""What the two passes about Intel's 2D block loads share: candidates, the messages' spellings, LLVM building blocks."""
