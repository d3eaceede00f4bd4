"""Widths, in bits, that layouts and passes share by name; and the rank of what matrix units multiply."""

from __future__ import annotations

BYTE_BITS, HALF_BITS, WORD_BITS = 8, 16, 32
"""Of 8-bit elements, of f16 and bf16, of registers and banks of shared memory."""
RANK = 2
