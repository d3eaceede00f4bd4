"""The mathematics of layouts: linear maps over GF(2), encodings, swizzles, plans. Imports no IR."""
