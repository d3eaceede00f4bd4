"""Before Triton's pipeliner: which operands of dots are staged, by which route, through which buffers.

candidates, accumulators -> plan -> emit; then what the loop needs: double_buffering, latencies, loop_guard.
loop_loads and loop_memory say what a loop loads, and the shared memory that it takes.
"""
