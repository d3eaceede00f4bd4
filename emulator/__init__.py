"""Intel Xe subgroup builtins on a plain CPU."""
