"""Translation validation: a kernel and what passes made of it store the same, run on names of elements.

    names         elements and bytes of global memory, by name; what is computed of them
    machine       memory, values and control flow
    arithmetic    on integers and on names
    tensor_ops    other ops on whole tensors
    memory_ops    shared memory: descriptors, loads and stores, copies, TMA
    word_ops      the LLVM dialect: what each thread does to words
    compare       both kernels, and where they differ

Nothing of planners or of emitters is used here. What encodings mean is taken from dotload.layout.encodings and
dotload.layout.linear, which test/unit/layout checks against Triton's own.
"""
