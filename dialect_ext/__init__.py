"""Triton's dialects for xDSL: tt, ttg, ttng, ttig and triton_gen."""
