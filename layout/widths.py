"""Widths in bits, and the rank of a matrix unit's operands, shared by layouts and passes."""

from __future__ import annotations

BYTE_BITS, HALF_BITS, WORD_BITS = 8, 16, 32
"""Of 8-bit elements, of f16 and bf16, of registers and banks of shared memory."""
RANK = 2
