"""Translation validation: emitted code is executed on the names of elements and compared with the load's semantics.

Nothing here is shared with the planner or the emitter, so that a mistake there is not repeated here.
"""
