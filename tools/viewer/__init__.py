"""Drawing layouts: the parts of dotload-layout.

source    command line and files -> Subject: a layout, the tensor it is for, and where it came from
text      Subject -> the lines of Triton's own layout tool
picture   Subject -> Picture: a grid of cells with numbers, a label and a colour each
svg, html, png, tikz, terminal    Picture -> a file or a coloured table
crop      a big Picture -> the rows and columns that are drawn
explain   a TTGIR file -> the cost of every load and shared-memory access
gallery   the figures of the documentation
"""
