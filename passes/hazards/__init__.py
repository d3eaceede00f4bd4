"""Hazards in shared memory: reads before data arrive, and writes to what is still being read.

values        integers, buffers and addresses in one execution
accesses      what an op does to shared memory, and which agent: threads, cp.async, TMA, wgmma
lifetimes     which allocations may share memory
membar        the CTA barriers that Triton's membar analysis will place
state         what is in flight at one point of an execution
registers     what a wgmma in flight does to registers
execution     the states along all paths through a function, loop after loop
findings      what is reported
"""
