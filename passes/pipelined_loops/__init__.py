"""Behind Triton's pipeliner: what is done to a pipelined loop with staged operands, one registered pass a file.

In the order of the pipeline (plugin/nvidia.py):

    pipeline_operand_copies          K-major copy i+1 under dot i: a stage skew of the loop
    sink_operand_conversions         conversions of A, part by part along k
    single_buffer_operand_copies     one K-major buffer instead of two, for another block's sake
    split_dot_along_n                dots that are added to an accumulator, in pieces that find registers
    split_dot_along_k                more parts of a dot, so that more of it is in flight
    await_register_operands          dots whose A is still read when its registers are written
    hoist_async_fences               fences for asynchronous copies, above the reads
    prune_wgmma_waits                operands that a wait need not forward
    fold_memdesc_trans               tiles filled under the order in which dots take them
    rematerialize_descriptors        descriptors of wgmma that find no registers
"""
