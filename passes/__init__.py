"""Compiler passes, one per file, each in the order candidates, plan, emit, prove. `registry` holds their names."""
