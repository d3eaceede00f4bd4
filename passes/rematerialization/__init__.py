"""Rematerialization: values recomputed in another form, from their backward slices; loops carry that form, too."""
