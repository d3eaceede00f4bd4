"""Translation validation: what was emitted is run on the names of elements and compared with what was asked for.

Nothing here is shared with the planner or the emitter; whoever makes a mistake there does not make it here as well.
"""
