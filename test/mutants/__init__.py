"""Mutants: emitted code broken on purpose, and that what checks it notices."""
