"""Before Triton's pipeliner: which operands of dots are staged, by which route, through which buffers.

candidates, accumulators -> plan -> emit; then what the loop needs: double_buffering, latencies, loop_guard.
"""
