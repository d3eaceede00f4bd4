"""Triton's side: the hook, the spliced pipeline, the bridge to xDSL, remarks."""
