"""The legal forms of 2D block messages: those that the instruction takes, and those that each spelling lists.

The planner, the verifier of `triton_gen` ops and the documentation read this one table. Sources:

    [OCL]  cl_intel_subgroup_2d_block_io 1.1.0, the list of functions
    [SPV]  SPV_INTEL_2d_block_io: the combinations of element size, width, height and count that it declares valid
    [GEN]  the verifier of Intel's TritonGEN dialect (TritonGENOps.cpp), for the instruction itself: vISA LSC_UNTYPED
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product

from dotload.layout.block_message import Message, Mode


class Emit(enum.Enum):
    """The three ways to spell a 2D block load; each has its own set of legal forms."""

    TRITON_GEN = "triton-gen"
    SPIRV = "spirv"
    OPENCL = "opencl"


# The instruction [GEN]

MAX_ROWS = 32  # more returned zeros silently, see intel-xpu-backend-for-triton PR 1152
MAX_STORED_ROWS = 8
MAX_BLOCKS = 4
MAX_ROW_BITS = 512  # one row of all blocks of a message: 64 bytes
# Element bits -> fewest and most columns of a block, in elements.
COLUMNS = {8: (4, 64), 16: (2, 32), 32: (1, 16), 64: (1, 8)}
# Element bits -> most blocks in a message.
BLOCKS = {8: 4, 16: 4, 32: 2, 64: 1}
TRANSPOSED_COLUMNS_32 = 8
TRANSFORMED_COLUMNS = 16
TRANSPOSED_ROWS_64, TRANSPOSED_COLUMNS_64 = 8, (1, 2, 4)


def arrangement_problem(message: Message) -> str | None:
    """The rule that a transposing or transforming message breaks, in the words of Intel's verifier; None if none."""
    bits, rows, columns = message.element_bits, message.rows, message.columns
    if message.mode is Mode.TRANSPOSE:
        if message.blocks != 1:
            return "transpose is only supported for v_blocks = 1"
        if bits not in (32, 64):
            return "transpose is only supported for 32 and 64 bit elements"
        if bits == 32 and columns > TRANSPOSED_COLUMNS_32:
            return "tile_width for 32 bit elements should be less than or equal to 8 with transpose"
        if bits == 64 and (rows != TRANSPOSED_ROWS_64 or columns not in TRANSPOSED_COLUMNS_64):
            return "64 bit elements with transpose need tile_height 8 and tile_width 1, 2 or 4"
    if message.mode is Mode.TRANSFORM:
        if bits not in (8, 16):
            return "vnni_transform is only supported for 8 and 16 bit elements"
        if rows < message.rows_per_channel:
            needed = message.rows_per_channel
            return f"tile_height for {bits} bit elements should be at least {needed} with vnni_transform"
        if columns > TRANSFORMED_COLUMNS:
            return f"tile_width should be at most {TRANSFORMED_COLUMNS} with vnni_transform"
    return None


def tile_problem(
    bits: int, rows: int, columns: int, blocks: int, heights: tuple[int, int] = (1, MAX_ROWS), most: int = MAX_BLOCKS
) -> str | None:
    """The rule that the size of a message breaks; `heights`, `most`: the fewest and most rows, the most blocks."""
    if bits not in COLUMNS:
        return "expecting 'elem_size_in_bits' to be 8, 16, 32, or 64"
    for name, size in (("tile_width", columns), ("tile_height", rows), ("v_blocks", blocks)):
        if size < 1 or size & (size - 1):
            return f"expecting {name} to be a power of 2"
    narrowest, widest = COLUMNS[bits]
    rules = (
        (heights[0] <= rows <= heights[1], f"expecting tile_height to be between {heights[0]} and {heights[1]}"),
        (blocks <= most, f"expecting v_blocks to be between 1 and {most}"),
        (
            bits * columns * blocks <= MAX_ROW_BITS,
            f"expecting elem_size_in_bits * tile_width * v_blocks <= {MAX_ROW_BITS}",
        ),
        (
            narrowest <= columns <= widest,
            f"expecting tile_width for {bits} bit elements to be between {narrowest} and {widest}",
        ),
        (blocks <= BLOCKS[bits], f"v_blocks for {bits} bit elements should be less than or equal to {BLOCKS[bits]}"),
    )  # fmt: skip
    return next((text for holds, text in rules if not holds), None)


def instruction_problem(message: Message) -> str | None:
    """Why the instruction does not take a message, None if it does."""
    sizes = (message.element_bits, message.rows, message.columns, message.blocks)
    return tile_problem(*sizes) or arrangement_problem(message)


# The spellings


@dataclass(frozen=True)
class FormTable:
    """A block of legal forms: every combination of these columns (message elements), rows and blocks."""

    mode: Mode
    element_bits: int
    columns: tuple[int, ...]
    rows: tuple[int, ...]
    blocks: tuple[int, ...]

    def messages(self) -> Iterator[Message]:
        """Each form of this block."""
        for columns, rows, blocks in product(self.columns, self.rows, self.blocks):
            yield Message(self.mode, self.element_bits, rows, columns, blocks)


EVERY_ROW_COUNT = (1, 2, 4, 8, 16, 32)

# [OCL]
OPENCL_FORMS = (
    FormTable(Mode.PLAIN, 8, (32,), EVERY_ROW_COUNT, (1, 2)),
    FormTable(Mode.PLAIN, 8, (16,), (8, 16, 32), (4,)),
    FormTable(Mode.PLAIN, 16, (16,), EVERY_ROW_COUNT, (1, 2)),
    FormTable(Mode.PLAIN, 32, (8,), EVERY_ROW_COUNT, (1, 2)),
    FormTable(Mode.PLAIN, 32, (16,), EVERY_ROW_COUNT, (1,)),
    FormTable(Mode.TRANSFORM, 8, (16,), (32,), (1, 2, 4)),
    FormTable(Mode.TRANSFORM, 16, (16,), (16, 32), (1, 2)),
    FormTable(Mode.TRANSPOSE, 32, (8,), (16, 32), (1,)),
)

# [SPV]: for elements up to 32 bits, only the forms that OpenCL has names for; the instruction takes 32b_4r4x1c, for
# example, but the builtin does not. For 64-bit elements, the forms for which Intel's backend calls the builtin: not
# 2r8x1c and 4r4x1c.
SPIRV_FORMS = (
    *OPENCL_FORMS,
    FormTable(Mode.PLAIN, 64, (8,), (4, 8, 16, 32), (1,)),
    FormTable(Mode.PLAIN, 64, (4,), (8, 16, 32), (1,)),
    FormTable(Mode.TRANSPOSE, 64, (4,), (8,), (1,)),
)

# [GEN]: any power of two that the instruction takes. For forms that the SPIR-V builtin does not take, Intel's
# convert-tritongen-to-llvm calls the compiler's intrinsic.
TRITON_GEN_FORMS = tuple(
    FormTable(mode, bits, tuple(1 << bit for bit in range(7)), EVERY_ROW_COUNT, (1, 2, 4))
    for mode, sizes in ((Mode.PLAIN, (8, 16, 32, 64)), (Mode.TRANSFORM, (8, 16)), (Mode.TRANSPOSE, (32, 64)))
    for bits in sizes
)

FORMS = {Emit.OPENCL: OPENCL_FORMS, Emit.SPIRV: SPIRV_FORMS, Emit.TRITON_GEN: TRITON_GEN_FORMS}

# The builtins of OpenCL and SPIR-V want a full subgroup of 16 ([OCL], "Subgroup size"); Intel's own intrinsics also
# take 32, with the same payload dealt to more lanes.
SUBGROUP_SIZES = {Emit.OPENCL: (16,), Emit.SPIRV: (16,), Emit.TRITON_GEN: (16, 32)}


@cache
def listed_forms(emit: Emit) -> frozenset[Message]:
    """Every message that a spelling has a name for and that the instruction takes."""
    forms = (message for table in FORMS[emit] for message in table.messages())
    return frozenset(message for message in forms if instruction_problem(message) is None)


def form_problem(emit: Emit, message: Message, subgroup_size: int) -> str | None:
    """The rule that a message in this spelling and subgroup size breaks; None if it is legal."""
    if subgroup_size not in SUBGROUP_SIZES[emit]:
        return f"emit={emit.value} has no messages for subgroups of {subgroup_size} lanes"
    if (problem := instruction_problem(message)) is not None:
        return problem
    if message not in listed_forms(emit):
        return f"emit={emit.value} has no message {message}"
    if message.blocks > 1 and message.has_padding:
        return f"blocks of {message} are padded to a register, one behind the other"
    if not message.fills(subgroup_size):
        return f"{message} leaves lanes of a subgroup of {subgroup_size} without data"
    return None


@cache
def legal_forms(emit: Emit, subgroup_size: int) -> tuple[Message, ...]:
    """All forms worth planning in this spelling, in a fixed order.

    Rows wider than a subgroup give a lane several neighbours. A message of wider elements does the same, except in
    OpenCL, which lacks some such messages: its wide rows are kept.
    """
    legal = (message for message in listed_forms(emit) if form_problem(emit, message, subgroup_size) is None)
    legal = (form for form in legal if form.columns <= subgroup_size or form in listed_forms(Emit.OPENCL))
    return tuple(sorted(legal, key=lambda m: (m.mode.value, m.element_bits, m.rows, m.columns, m.blocks)))
