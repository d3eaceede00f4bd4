"""Values computed anew in another form, by the ops that they are computed by; loops carry that form, too."""
