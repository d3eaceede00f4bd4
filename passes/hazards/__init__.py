"""Hazards of shared memory: reads before data arrive, writes to what is still read.

values        integers, buffers and addresses in one execution
accesses      what an op does to shared memory, and who does it: threads, cp.async, TMA, wgmma
lifetimes     which allocations may be given the same memory
membar        the CTA barriers that Triton's membar analysis will place
state         what is under way at one point of an execution
registers     what a wgmma in flight does to registers
execution     the states along all paths through a function, loop after loop
findings      what is reported
"""
