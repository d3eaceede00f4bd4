"""Analyses that the passes share: strides of pointers, block pointers, known elements, softmax, prefilters."""
