"""The 64-bit shared-memory matrix descriptor of wgmma: build it from a layout, encode, decode, explain.

Fields (PTX ISA, "Matrix-Descriptor" of the asynchronous warpgroup-level matrix instructions, sm_90):

    bits    field
    0-13    start address            (address & 0x3FFFF) >> 4
    16-29   leading byte offset      LBO >> 4
    32-45   stride byte offset       SBO >> 4
    49-51   base offset              (start of the swizzle pattern >> 7) & 7, 0 where it is aligned to its period
    62-63   swizzling mode           0 none, 1 128B, 2 64B, 3 32B

What the offsets mean depends on the layout: in K-major layouts, SBO leads from one 8-row group to the next. Without a
swizzle, LBO leads from one 16-byte chunk along k to the next; with one, the field is not used and 1 is written. In
MN-major layouts, LBO leads to the next atom along m or n and SBO to the next 8 k; without a swizzle they trade places.

`read_layout` answers the reverse question: which canonical form is a shared layout, and with which offsets? The swizzle
is linear and its own inverse, so undoing it leaves plain strides, and those are compared bit by bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dotload.layout.fragments import ELEMENT_BITS, WGMMA_ROWS, WGMMA_TYPES, wgmma_k
from dotload.layout.linear import LayoutError, LinearLayout, log2_exact
from dotload.layout.swizzle import ATOM_LINES, CHUNK_BYTES, Major, Mode, Tile

ADDRESS_MASK = 0x3FFFF
UNUSED_LEADING_BYTES = 16  # encodes as 1, the value that the manual says is assumed
MN_MAJOR_TYPES = ("f16", "bf16")
MAX_N = 256

_MODE_FIELD = {Mode.NONE: 0, Mode.B128: 1, Mode.B64: 2, Mode.B32: 3}
_FIELD_MODE = {field: mode for mode, field in _MODE_FIELD.items()}
_USED_BITS = 0x3FFF | 0x3FFF << 16 | 0x3FFF << 32 | 0x7 << 49 | 0x3 << 62


class DescriptorError(LayoutError):
    """A field out of range, or a layout that wgmma cannot read."""


@dataclass(frozen=True)
class MatrixDescriptor:
    """The fields in bytes; `base_offset` as encoded, 0 to 7."""

    start_address: int
    leading_bytes: int
    stride_bytes: int
    mode: Mode
    base_offset: int = 0

    def __post_init__(self) -> None:
        for name, value in (
            ("start address", self.start_address),
            ("leading byte offset", self.leading_bytes),
            ("stride byte offset", self.stride_bytes),
        ):
            if not 0 <= value <= ADDRESS_MASK:
                raise DescriptorError(f"{name} {value} is out of range: the field holds 0 to {ADDRESS_MASK} bytes")
            if value % CHUNK_BYTES:
                raise DescriptorError(f"{name} {value} is not a multiple of 16 bytes")
        if not 0 <= self.base_offset <= 7:
            raise DescriptorError(f"base offset {self.base_offset} is out of range: the field holds 0 to 7")
        if self.base_offset and self.mode is Mode.NONE:
            raise DescriptorError("a base offset has no meaning without a swizzle")

    def encode(self) -> int:
        """The 64 bits."""
        return (
            self.start_address >> 4
            | self.leading_bytes >> 4 << 16
            | self.stride_bytes >> 4 << 32
            | self.base_offset << 49
            | _MODE_FIELD[self.mode] << 62
        )

    @staticmethod
    def decode(value: int) -> MatrixDescriptor:
        """The fields of 64 bits; bits that the manual leaves out must be zero."""
        if not 0 <= value < 1 << 64:
            raise DescriptorError(f"descriptor {value:#x} does not fit in 64 bits")
        if value & ~_USED_BITS:
            raise DescriptorError(f"descriptor {value:#018x} sets reserved bits {value & ~_USED_BITS:#018x}")
        return MatrixDescriptor(
            start_address=(value & 0x3FFF) << 4,
            leading_bytes=(value >> 16 & 0x3FFF) << 4,
            stride_bytes=(value >> 32 & 0x3FFF) << 4,
            mode=_FIELD_MODE[value >> 62],
            base_offset=value >> 49 & 7,
        )

    def explain(self) -> str:
        """One line per field: bits, encoded value, bytes, meaning."""
        none = self.mode is Mode.NONE
        rows = [
            ("0-13", "start address", self.start_address >> 4, f"{self.start_address:#x}"),
            (
                "16-29",
                "leading byte offset",
                self.leading_bytes >> 4,
                f"{self.leading_bytes} B: "
                + (
                    "K-major: to the next 16 B along k; MN-major: to the next 8 k"
                    if none
                    else "K-major: not used; MN-major: to the next atom along m or n"
                ),
            ),
            (
                "32-45",
                "stride byte offset",
                self.stride_bytes >> 4,
                f"{self.stride_bytes} B: K-major: to the next 8 rows; MN-major: to the next "
                + ("16 B along m or n" if none else "8 k"),
            ),
            (
                "49-51",
                "base offset",
                self.base_offset,
                "pattern aligned" if not self.base_offset else "pattern shifted",
            ),
            ("62-63", "swizzling mode", _MODE_FIELD[self.mode], f"{self.mode} swizzle"),
        ]
        lines = [f"descriptor {self.encode():#018x}"]
        lines += [f"  bits {bits:<6} {name:<20} {field:>6}  {meaning}" for bits, name, field, meaning in rows]
        return "\n".join(lines)


@dataclass(frozen=True)
class ReadLayout:
    """A shared layout as a canonical form with its byte offsets."""

    major: Major
    mode: Mode
    leading_bytes: int
    stride_bytes: int


def read_layout(layout: LinearLayout, element_bits: int, k_elements: int) -> tuple[ReadLayout, ...]:
    """Every canonical form that one instruction's slice of `layout` has: all of dim0 (m or n), `k_elements` of dim1.

    `layout` maps offset -> (dim0, dim1). A slice can have more than one form (a single row of banks is the same with
    and without a swizzle); none means that wgmma cannot read it.
    """
    inverse = layout.right_inverse()
    at = inverse.out_dims.index("offset")
    mn = [basis[at] * element_bits // 8 for basis in inverse.bases["dim0"]]
    k = [basis[at] * element_bits // 8 for basis in inverse.bases["dim1"][: log2_exact(k_elements)]]
    forms = (_match(mn, k, element_bits, major, mode) for major in Major for mode in Mode)
    return tuple(form for form in forms if form is not None)


def _match(mn: Sequence[int], k: Sequence[int], element_bits: int, major: Major, mode: Mode) -> ReadLayout | None:
    """The form with its offsets if the byte address of every coordinate bit fits it."""
    swizzle = mode.swizzle()
    mn, k = [swizzle(value) for value in mn], [swizzle(value) for value in k]
    chunk_bits = log2_exact(CHUNK_BYTES * 8 // element_bits)
    line_bits = log2_exact(mode.chunks)
    contiguous, lines = (k, mn) if major is Major.K else (mn, k)
    in_line = chunk_bits + line_bits
    if list(contiguous[:in_line]) != [(element_bits << bit) // 8 for bit in range(min(in_line, len(contiguous)))]:
        return None
    if list(lines[:3]) != [mode.width_bytes << bit for bit in range(3)][: len(lines)]:
        return None
    beyond_line = _stride(contiguous[in_line:], default=UNUSED_LEADING_BYTES)
    beyond_atom = _stride(lines[3:], default=ATOM_LINES * mode.width_bytes)
    if beyond_line is None or beyond_atom is None:
        return None
    if major is Major.K and mode is not Mode.NONE and len(contiguous) > in_line:
        return None  # LBO is not used here: one instruction cannot cross the line
    if major is Major.MN and mode is Mode.NONE:
        return ReadLayout(major, mode, leading_bytes=beyond_atom, stride_bytes=beyond_line)
    return ReadLayout(major, mode, leading_bytes=beyond_line, stride_bytes=beyond_atom)


def _stride(bits: Sequence[int], default: int) -> int | None:
    """The stride of which these are the doublings; `default` for no bits, None for irregular ones."""
    if not bits:
        return default
    regular = all(value == bits[0] << position for position, value in enumerate(bits))
    return bits[0] if regular and bits[0] and bits[0] % CHUNK_BYTES == 0 else None


def describe(
    layout: LinearLayout, dtype: str, operand: str = "B", start_address: int = 0, k_start: int = 0
) -> MatrixDescriptor:
    """The descriptor with which wgmma reads columns k_start .. k_start + K of `layout` as its operand.

    `layout`: offset -> (dim0 = m or n, dim1 = k), in elements of `dtype`; `start_address`: where offset 0 lies, bytes.
    Raises DescriptorError, with the rule, if the instruction cannot read it.
    """
    if dtype not in WGMMA_TYPES:
        raise DescriptorError(f"wgmma reads {', '.join(WGMMA_TYPES)}, not {dtype}")
    element_bits, k = ELEMENT_BITS[dtype], wgmma_k(dtype)
    mn_size, k_size = layout.out_sizes["dim0"], layout.out_sizes["dim1"]
    _check_extent(operand, mn_size)
    if k_size < k or k_start % k or not 0 <= k_start <= k_size - k:
        raise DescriptorError(f"one wgmma takes {k} {dtype} along k: cannot start at {k_start} of {k_size}")
    forms = read_layout(layout, element_bits, k)
    if not forms:
        raise DescriptorError("wgmma cannot read this layout: it is none of the eight canonical forms")
    readable = [form for form in forms if form.major is Major.K or dtype in MN_MAJOR_TYPES]
    if not readable:
        raise DescriptorError(f"wgmma cannot read MN-major {dtype} from shared memory: only f16 and bf16 can be")
    form = readable[0]
    inverse = layout.right_inverse()
    offset = inverse.apply({"dim0": 0, "dim1": k_start} | {n: 0 for n in inverse.in_dims if n not in ("dim0", "dim1")})
    start = start_address + offset["offset"] * element_bits // 8
    return MatrixDescriptor(
        start & ADDRESS_MASK,
        form.leading_bytes,
        form.stride_bytes,
        form.mode,
        _base_offset(start_address, form.mode),
    )


def describe_tile(
    tile: Tile, dtype: str, operand: str = "B", start_address: int = 0, k_start: int = 0
) -> MatrixDescriptor:
    """`describe` for a tile of any number of atoms; refuses coarser atomicity too."""
    if tile.atom.atomicity_bytes != CHUNK_BYTES:
        raise DescriptorError(f"wgmma reads 16-byte atomicity only, not {tile.atom.atomicity_bytes}-byte")
    if dtype in ELEMENT_BITS and ELEMENT_BITS[dtype] != tile.atom.element_bits:
        raise DescriptorError(f"{dtype} has {ELEMENT_BITS[dtype]} bits, the atom has {tile.atom.element_bits}")
    return describe(tile.to_linear_layout(), dtype, operand, start_address, k_start)


def _check_extent(operand: str, mn_size: int) -> None:
    if operand == "A" and mn_size < WGMMA_ROWS:
        raise DescriptorError(f"wgmma reads {WGMMA_ROWS} rows of A, the layout has {mn_size}")
    if operand == "B" and mn_size % 8:
        raise DescriptorError(f"wgmma reads a multiple of 8 columns of B up to {MAX_N}, the layout has {mn_size}")
    if operand not in ("A", "B"):
        raise DescriptorError(f"operand {operand}: expected A or B")


def _base_offset(pattern_start: int, mode: Mode) -> int:
    """The field for a swizzle pattern that starts at this address."""
    if mode is Mode.NONE or pattern_start % mode.swizzle().period_bytes == 0:
        return 0
    return pattern_start >> 7 & 7
