"""Mutants: emitted code with a deliberate error, which the checks must notice."""
