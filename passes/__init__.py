"""The passes. One file a pass: candidates, plan, emit, prove. `registry` holds their names."""
