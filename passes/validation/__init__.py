"""Translation validation: a kernel stores the same before and after passes, executed on names of elements.

    names         names of elements and bytes of global memory, and of values computed from them
    machine       memory, values and control flow
    arithmetic    on integers and on names
    tensor_ops    other ops on whole tensors
    memory_ops    shared memory: descriptors, loads and stores, copies, TMA
    word_ops      the LLVM dialect: each thread's ops on words
    compare       both kernels, and where they differ

No code of planners or emitters is used here. The meaning of encodings is taken from dotload.layout.encodings and
dotload.layout.linear, which test/unit/layout checks against Triton's own.
"""
