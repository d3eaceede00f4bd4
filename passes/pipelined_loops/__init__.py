"""Passes over pipelined loops with staged operands, after Triton's pipeliner; one registered pass per file.

In the order of the pipeline (plugin/nvidia.py):

    sink_wgmma_waits                 waits for dots, after the loads of next tiles
    pipeline_operand_copies          K-major copy i+1 under dot i: a stage skew of the loop
    deduplicate_scale_loads          scales of columns, loaded once and distributed during the dot
    reassociate_scales               scales multiplied by each other before they multiply a dot's result
    hoist_scale_loads                loads of scales, at the start of an iteration
    sink_operand_conversions         conversions of A, part by part along k
    single_buffer_operand_copies     one K-major buffer instead of two, for another resident block
    split_dot_along_n                dots that are added to an accumulator, in pieces that fit the registers
    split_dot_along_k                more parts of a dot, so that more of it is in flight
    await_register_operands          waits for dots whose A registers are overwritten while they may be in flight
    await_overwritten_tiles          waits for dots whose tiles the next load overwrites
    hoist_async_fences               fences for asynchronous copies, above the reads
    hoist_async_copies               next tiles, loaded as soon as their memory is free
    add_load_buffers                 one more buffer for tiles, so that no load waits for reads
    mark_free_buffers                loads that need no CTA barrier
    interleave_dots_and_loads        next tiles, loaded in the middle of an iteration's dots
    add_wait_barriers                CTA barriers behind waits for dots whose tiles are overwritten next
    mark_local_waits                 waits for wgmma without a barrier of the whole block
    permute_k_for_ldmatrix           tiles of A, stored so that ldmatrix reads them for mma.sync
    permute_k_for_fragments          accumulators as A of the next dot, without data movement
    fold_memdesc_trans               tiles stored in the order in which dots take them
    prune_wgmma_waits                operands that a wait need not forward
    rematerialize_descriptors        wgmma descriptors for which there are no registers

Shared modules:

    reads                            reads of staged tiles
    loop_dots                        the only dot of a loop, its parts and operands
    splits                           dots that are split along k
    scaled_results                   what a loop computes from a dot's result
    async_completion                 how the copies of a loop complete: commit groups or mbarriers
    loop_buffers                     the buffer that each access takes, iteration by iteration
    async_vectors                    the vectors by which a plain cp.async copies its tile
    cta_barriers, buffer_liveness    what membar and the allocation of memory do not see
    reasons                          why a loop stays as it is
"""
