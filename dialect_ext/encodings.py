"""Triton's encodings as attributes: the distribution of a tensor's elements over registers, lanes and warps.

    #ttg.blocked       registers, then lanes, then warps tile the tensor; `order` is minor dim first
    #ttg.slice         the parent with one dim left out
    #ttg.linear        a linear layout given by its bases
    #ttg.dot_op        an operand of a matrix unit whose result has the parent encoding
    #ttg.nvidia_mma    result of mma.sync (version 2) or wgmma (version 3)
    #ttig.dpas         result of Intel's DPAS; older text says #triton_intel_gpu.dpas
    #ttig.subgroup_2d_block   the registers of one 2D block load
    #ttg.swizzled_shared, nvmma_shared, shared_linear, padded_shared, ...   shared memory
    #ttg.shared_memory, #ttng.tensor_memory   memory spaces

`to_encoding()` returns the encoding's class in `dotload.layout.encodings`, which gives its linear layout. Encodings of
targets that dotload does not support (AMD, Blackwell's tensor memory) are only read and printed.
"""

from __future__ import annotations

from dataclasses import fields
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar, cast

from xdsl.ir import Attribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from dotload.dialect_ext.struct_attr import (
    BareStructAttr,
    Field,
    Params,
    StructAttr,
    Value,
    parse_body,
    parse_value,
    print_body,
)

if TYPE_CHECKING:
    from dotload.layout.encodings import Cga, Encoding

# `irdl_attr_definition` makes a class final, so the two classes with a second spelling do without it.
Ints = tuple[int, ...]
Bases = tuple[Ints, ...]


class EncodingAttr(StructAttr):
    """An encoding; `alias` is the stem of the alias that MLIR prints for it, None for one printed in full.

    `described_as`: the class in `dotload.layout.encodings` with the same parameters under the same names.
    """

    alias: ClassVar[str | None] = None
    described_as: ClassVar[str | None] = None

    def to_encoding(self) -> Encoding:
        """The encoding as `dotload.layout` describes it; LayoutError for an unknown one."""
        return _encoding_of(self)

    def check_exists(self) -> None:
        """Raise VerifyException if `dotload.layout` rejects the parameters."""
        from dotload.layout.linear import LayoutError

        try:
            self.to_encoding()
        except LayoutError as error:
            kind = self.name.split(".")[1]
            raise VerifyException(f"#{self.name}: {str(error).removeprefix(f'{kind}: ')}") from None


class CgaEncodingAttr(EncodingAttr):
    """An encoding that also says how a cluster's blocks split the tensor.

    Triton up to 3.5 wrote CTAsPerCGA, CTASplitNum and CTAOrder; later versions write the bases of the block dim.
    """

    cga_bases = Field[Bases | None]("CGALayout", None)
    ctas_per_cga = Field[Ints | None]("CTAsPerCGA", None)
    cta_split_num = Field[Ints | None]("CTASplitNum", None)
    cta_order = Field[Ints | None]("CTAOrder", None)

    @property
    def cga(self) -> Cga:
        """The split over blocks, in either spelling."""
        from dotload.layout.encodings import ONE_BLOCK, Cga

        if self.cga_bases is not None:
            return Cga(self.cga_bases)
        if self.ctas_per_cga is None:
            return ONE_BLOCK
        rank = len(self.ctas_per_cga)
        splits = self.cta_split_num or self.ctas_per_cga
        bases: list[Ints] = []
        for dim in self.cta_order or tuple(reversed(range(rank))):
            count, distinct = self.ctas_per_cga[dim], splits[dim]
            for bit in range(count.bit_length() - 1):
                bases.append(tuple((1 << bit) % distinct if d == dim else 0 for d in range(rank)))
        return Cga(tuple(bases))


def _encoding_of(attribute: Attribute) -> Encoding:
    """See `EncodingAttr.to_encoding`; also for a parent encoding, which may be any attribute."""
    from dotload.layout import encodings
    from dotload.layout.linear import LayoutError

    described_as = attribute.described_as if isinstance(attribute, EncodingAttr) else None
    if described_as is None:
        raise LayoutError(f"no linear layout is known for {attribute}")
    kind = getattr(encodings, described_as)
    values = {parameter.name: getattr(attribute, parameter.name) for parameter in fields(kind)}
    return kind(**{name: _encoding_of(each) if isinstance(each, Attribute) else each for name, each in values.items()})


@irdl_attr_definition
class BlockedEncoding(CgaEncodingAttr):
    """`#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>`"""

    name = "ttg.blocked"
    closed = True
    alias = "blocked"
    described_as = "Blocked"

    size_per_thread = Field[Ints]("sizePerThread")
    threads_per_warp = Field[Ints]("threadsPerWarp")
    warps_per_cta = Field[Ints]("warpsPerCTA")
    order = Field[Ints]("order")

    def verify(self) -> None:
        super().verify()
        rank = len(self.order)
        if sorted(self.order) != list(range(rank)):
            raise VerifyException(f"#ttg.blocked: order {list(self.order)} is not a permutation of its {rank} dims")
        if any(len(sizes) != rank for sizes in (self.size_per_thread, self.threads_per_warp, self.warps_per_cta)):
            raise VerifyException(f"#ttg.blocked: all parameters must have one entry for each of {rank} dims")
        for name in ("sizePerThread", "threadsPerWarp", "warpsPerCTA"):
            for size in cast(Ints, self.data[name]):
                if size < 1 or size & (size - 1):
                    raise VerifyException(f"#ttg.blocked: every element of {name} must be a power of two, got {size}")


@irdl_attr_definition
class SliceEncoding(EncodingAttr):
    """`#ttg.slice<{dim = 1, parent = #blocked}>`"""

    name = "ttg.slice"
    closed = True
    described_as = "Slice"

    dim = Field[int]("dim")
    parent = Field[Attribute]("parent")

    def verify(self) -> None:
        super().verify()
        if isinstance(self.parent, BlockedEncoding) and self.dim >= (rank := len(self.parent.order)):
            raise VerifyException(f"#ttg.slice: dim = {self.dim} must be less than the parent's rank {rank}")


class LinearEncoding(EncodingAttr):
    """`#ttg.linear<{register = [[0, 1]], lane = [[1, 0]], warp = [], block = []}>`"""

    name = "ttg.linear"
    alias = "linear"
    described_as = "Linear"

    register = Field[Bases]("register")
    lane = Field[Bases]("lane")
    warp = Field[Bases]("warp")
    block = Field[Bases]("block", ())

    def verify(self) -> None:
        super().verify()
        bases = [basis for bases in (self.register, self.lane, self.warp, self.block) for basis in bases]
        if len({len(basis) for basis in bases}) > 1:
            raise VerifyException(f"#{self.name}: all bases must have one entry for each dim")
        self.check_bases([basis for basis in bases if any(basis)])

    def check_bases(self, bases: list[Ints]) -> None:
        """LinearEncodingAttr::verify: without the bases that repeat elements, a permutation, onto the whole tensor."""
        moves = sorted((dim, size) for basis in bases for dim, size in enumerate(basis) if size)
        if len(moves) > len(bases) or any(size & (size - 1) for _, size in moves):
            raise VerifyException(f"#{self.name}: each basis must be a power of two in one dim, and 0 in the others")
        for move, other in pairwise(moves):
            if move == other:
                raise VerifyException(f"#{self.name}: two bases move by {move[1]} in dim {move[0]}")


@irdl_attr_definition
class GenericLinearEncoding(LinearEncoding):
    """A linear encoding whose bases may be anything, not only one power of two each."""

    name = "ttg.generic_linear"

    def check_bases(self, bases: list[Ints]) -> None:
        """Bases may be anything."""


@irdl_attr_definition
class DotOperandEncoding(EncodingAttr):
    """`#ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>`"""

    name = "ttg.dot_op"
    closed = True
    described_as = "DotOperand"

    op_index = Field[int]("opIdx")
    parent = Field[Attribute]("parent")
    k_width = Field[int]("kWidth", 0)

    def verify(self) -> None:
        super().verify()
        if self.op_index not in (0, 1):
            raise VerifyException(f"#ttg.dot_op: opIdx is {self.op_index}, must be 0 (operand A) or 1 (operand B)")


@irdl_attr_definition
class NvidiaMmaEncoding(CgaEncodingAttr):
    """`#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>`"""

    name = "ttg.nvidia_mma"
    closed = True
    alias = "mma"
    described_as = "NvidiaMma"

    version_major = Field[int]("versionMajor")
    version_minor = Field[int]("versionMinor", 0)
    warps_per_cta = Field[Ints]("warpsPerCTA")
    cga_bases = Field[Bases | None]("CGALayout", None)
    ctas_per_cga = Field[Ints | None]("CTAsPerCGA", None)
    cta_split_num = Field[Ints | None]("CTASplitNum", None)
    cta_order = Field[Ints | None]("CTAOrder", None)
    instr_shape = Field[Ints]("instrShape")


class DpasEncoding(EncodingAttr):
    """Result of DPAS: `#ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, ...}>`.

    A, B and C are the shapes of a warp's clusters; they are derived from the rest, printed, and ignored in the input.
    """

    name = "ttig.dpas"
    closed = True
    alias = "mma"
    described_as = "Dpas"

    repeat_count = Field[int]("repeatCount")
    systolic_depth = Field[int]("systolicDepth")
    execution_size = Field[int]("executionSize")
    ops_per_channel = Field[int]("opsPerChan")
    fp4_k_pack = Field[int | None]("fp4KPack", None)
    threads_per_warp = Field[int]("threadsPerWarp")
    warps_per_cta = Field[Ints]("warpsPerCTA")
    rep_cluster = Field[Ints]("repCluster")
    shape_a = Field[Ints | None]("A", None)
    shape_b = Field[Ints | None]("B", None)
    shape_c = Field[Ints | None]("C", None)

    @classmethod
    def from_params(cls, params: Params) -> DpasEncoding:
        """The attribute with A, B and C derived from the other parameters, whatever the input says."""
        cls.check_fields(params)
        given = {key: value for key, value in params.items() if key not in ("A", "B", "C")}
        rows, depth, columns, per_channel = (
            cast(int, given[key]) for key in ("repeatCount", "systolicDepth", "executionSize", "opsPerChan")
        )
        *_, rep_rows, rep_columns = (1, 1, *cast(Ints, given["repCluster"]))
        shapes: dict[str, Value] = {
            "A": (rows * rep_rows, depth * per_channel),
            "B": (depth * per_channel, columns * rep_columns),
            "C": (rows * rep_rows, columns * rep_columns),
        }
        return super().from_params(Params((*given.items(), *shapes.items())))

    def verify(self) -> None:
        super().verify()
        self.check_exists()


@irdl_attr_definition
class LegacyDpasEncoding(DpasEncoding):
    """DPAS as Intel's backend spelled it up to Triton 3.3."""

    name = "triton_intel_gpu.dpas"


@irdl_attr_definition
class Subgroup2DBlockEncoding(CgaEncodingAttr):
    """`#ttig.subgroup_2d_block<{warpsPerCTA = [1, 1], instrShape = [8, 16], numBlocks = 2, ...}>`"""

    name = "ttig.subgroup_2d_block"
    closed = True
    alias = "subgroup_2d_block"
    described_as = "Subgroup2DBlock"

    warps_per_cta = Field[Ints]("warpsPerCTA")
    cga_bases = Field[Bases | None]("CGALayout", None)
    ctas_per_cga = Field[Ints | None]("CTAsPerCGA", None)
    cta_split_num = Field[Ints | None]("CTASplitNum", None)
    cta_order = Field[Ints | None]("CTAOrder", None)
    instr_shape = Field[Ints]("instrShape")
    num_blocks = Field[int]("numBlocks")
    order = Field[Ints]("order")
    k_width = Field[int]("kWidth")
    threads_per_warp = Field[int]("threadsPerWarp")

    def verify(self) -> None:
        super().verify()
        self.check_exists()


class WarpEncoding(EncodingAttr):
    """A warp's part: `#ttig.warp<{sizePerThread = [8, 16], threadsPerWarp = [1, 1], order = [1, 0]}>`"""

    name = "ttig.warp"
    closed = True
    alias = "warp"

    size_per_thread = Field[Ints]("sizePerThread")
    threads_per_warp = Field[Ints]("threadsPerWarp")
    order = Field[Ints]("order")


@irdl_attr_definition
class LegacyWarpEncoding(WarpEncoding):
    """The same under the dialect's older name."""

    name = "triton_intel_gpu.warp"


@irdl_attr_definition
class SwizzledSharedEncoding(CgaEncodingAttr):
    """`#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>`"""

    name = "ttg.swizzled_shared"
    alias = "shared"
    described_as = "SwizzledShared"

    vec = Field[int]("vec")
    per_phase = Field[int]("perPhase")
    max_phase = Field[int]("maxPhase")
    order = Field[Ints]("order")


@irdl_attr_definition
class RotatingSharedEncoding(CgaEncodingAttr):
    """AMD's `#ttg.amd_rotating_shared<{vec, perPhase, maxPhase, order}>`."""

    name = "ttg.amd_rotating_shared"
    alias = "shared"

    vec = Field[int]("vec")
    per_phase = Field[int]("perPhase")
    max_phase = Field[int]("maxPhase")
    order = Field[Ints]("order")


@irdl_attr_definition
class NvmmaSharedEncoding(CgaEncodingAttr):
    """`#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>`"""

    name = "ttg.nvmma_shared"
    alias = "shared"
    described_as = "NvmmaShared"

    swizzle_bytes = Field[int]("swizzlingByteWidth")
    transposed = Field[bool]("transposed")
    element_bits = Field[int]("elementBitWidth")
    fp4_padded = Field[bool]("fp4Padded", False)


@irdl_attr_definition
class SharedLinearEncoding(EncodingAttr):
    """`#ttg.shared_linear<{offset = [[0, 1], [1, 0]]}, alignment = 16>`"""

    name = "ttg.shared_linear"
    alias = "shared"
    described_as = "SharedLinear"

    offset = Field[Bases]("offset")
    block = Field[Bases]("block", ())
    alignment = Field[int]("alignment", 16)

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Params:
        with parser.in_angle_brackets():
            entries = list(parse_body(parser, braces=True).items())
            while parser.parse_optional_punctuation(","):
                key = parser.parse_identifier()
                parser.parse_punctuation("=")
                entries.append((key, parse_value(parser)))
        return cls.from_params(Params(tuple(entries))).data

    def print_parameter(self, printer: Printer) -> None:
        bases = Params(tuple(item for item in self.data.items() if item[0] != "alignment"))
        with printer.in_angle_brackets():
            print_body(printer, bases, braces=True)
            if "alignment" in self.data:
                printer.print_string(f", alignment = {self.alignment}")


@irdl_attr_definition
class PaddedSharedEncoding(EncodingAttr):
    """`#ttg.padded_shared<[128:+8] {order = [1, 0], shape = [64, 128]}>`: 8 elements inserted after every 128."""

    name = "ttg.padded_shared"
    alias = "shared"

    intervals = Field[Bases]("intervals")

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Params:
        def parse_interval() -> Ints:
            interval = parser.parse_integer()
            parser.parse_punctuation(":")
            parser.parse_punctuation("+")
            return interval, parser.parse_integer()

        with parser.in_angle_brackets():
            intervals = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parse_interval)
            rest = parse_body(parser, braces=True)
        return Params((("intervals", tuple(intervals)), *rest.items()))

    def print_parameter(self, printer: Printer) -> None:
        rest = Params(tuple(item for item in self.data.items() if item[0] != "intervals"))
        with printer.in_angle_brackets():
            with printer.in_square_brackets():
                printer.print_list(self.intervals, lambda pair: printer.print_string(f"{pair[0]}:+{pair[1]}"))
            printer.print_string(" ")
            print_body(printer, rest, braces=True)


@irdl_attr_definition
class PartitionedSharedEncoding(EncodingAttr):
    """`#ttg.partitioned_shared<{numPartitions, numGroups, partitionDim, partitionLayout}>`"""

    name = "ttg.partitioned_shared"
    alias = "shared"


@irdl_attr_definition
class MfmaEncoding(EncodingAttr):
    """AMD's `#ttg.amd_mfma<{...}>`, carried as written."""

    name = "ttg.amd_mfma"
    alias = "mma"


@irdl_attr_definition
class WmmaEncoding(EncodingAttr):
    """AMD's `#ttg.amd_wmma<{...}>`, carried as written."""

    name = "ttg.amd_wmma"
    alias = "mma"


@irdl_attr_definition
class SharedMemorySpace(BareStructAttr):
    """`#ttg.shared_memory`"""

    name = "ttg.shared_memory"
    alias: ClassVar[str] = "smem"


@irdl_attr_definition
class TensorMemorySpace(BareStructAttr):
    """`#ttng.tensor_memory`: Blackwell's memory for accumulators."""

    name = "ttng.tensor_memory"


@irdl_attr_definition
class TensorMemoryEncoding(EncodingAttr):
    """`#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>`"""

    name = "ttng.tensor_memory_encoding"
    alias = "tmem"
    braces = False


@irdl_attr_definition
class TensorMemoryScalesEncoding(EncodingAttr):
    """`#ttng.tensor_memory_scales_encoding<>`"""

    name = "ttng.tensor_memory_scales_encoding"
    alias = "tmem_scales"
    braces = False


TTG_ATTRIBUTES: tuple[type[Attribute], ...] = (
    BlockedEncoding,
    SliceEncoding,
    LinearEncoding,
    GenericLinearEncoding,
    DotOperandEncoding,
    NvidiaMmaEncoding,
    SwizzledSharedEncoding,
    RotatingSharedEncoding,
    NvmmaSharedEncoding,
    SharedLinearEncoding,
    PaddedSharedEncoding,
    PartitionedSharedEncoding,
    MfmaEncoding,
    WmmaEncoding,
    SharedMemorySpace,
)
