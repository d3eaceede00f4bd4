"""Staging of dot operands, before Triton's pipeliner: which operands, by which route, through which buffers.

Order: candidates, accumulators -> plan -> emit. Then double_buffering, latencies and dots_in_flight adapt the loop.
loop_loads and loop_memory describe a loop's loads, and the shared memory that the loop takes.

For `pack-operand-conversions`: packed_conversions, packed_integers and packed_fields have the PTX, byte_conversions
brings conversions into the form that these take, bytes_in_registers says which words there are, pair_arithmetic goes on
with the results.
"""
