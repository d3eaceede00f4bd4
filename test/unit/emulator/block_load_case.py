"""One random 2D block load: its TTGIR is lowered to LLVM IR by dotload and run, and every register is compared."""

from __future__ import annotations

import math
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from limits import HANG_SECONDS
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import PassFailedException
from xe_kernels import aligned

from dotload import dialect_ext
from dotload.emulator import run
from dotload.passes.convert_2d_block_load_to_llvm import Convert2DBlockLoadToLLVMPass

BYTES = {"f16": 2, "bf16": 2, "f32": 4, "i8": 1, "i16": 2, "i32": 4, "f8E4M3FN": 1, "f8E5M2": 1, "f64": 8, "i64": 8}


@dataclass(frozen=True)
class Planes:
    """The planes of the tensor: `count` of them from number `first` on, in so many warps. Memory has `depth`
    planes, with a `gap` in between (bytes)."""

    count: int
    warps: int = 1
    first: int = 0
    depth: int = 4
    gap: int = 0


@dataclass(frozen=True)
class Load:
    """Sizes in elements; `base_words`: 4-byte words by which the base lies past a multiple of 64 bytes; `guard`: the
    dims along which messages are guarded; `blocked`: elements and lanes along both dims, in place of an operand;
    `known_pitch`: it is a constant; `known_x`: it says of x what it is a multiple of; `planes`: the tensor's part along
    a dim before these two."""

    dtype: str = "f16"
    operand: int = 0  # 0: A, 1: B, 2: C
    ops_per_channel: int = 2
    repeat_count: int = 8
    warps: tuple[int, int] = (1, 1)
    cluster: tuple[int, int] = (1, 1)
    shape: tuple[int, int] = (16, 16)
    column_major: bool = False
    lanes: int = 16
    width: int = 64
    height: int = 32
    spare: int = 64  # bytes of the pitch beyond the width
    x: int = 0
    y: int = 0
    base_words: int = 0
    guard: tuple[int, ...] = ()
    blocked: tuple[tuple[int, int], tuple[int, int]] | None = None
    known_pitch: bool = False
    known_x: bool = False
    planes: Planes | None = None

    @property
    def pitch(self) -> int:
        """Bytes from one row to the next."""
        return -(-(self.width * BYTES[self.dtype] + self.spare) // 16) * 16

    @property
    def plane_bytes(self) -> int:
        """Bytes from one plane to the next."""
        return self.pitch * self.height + (self.planes.gap if self.planes else 0)

    @property
    def whole_shape(self) -> tuple[int, ...]:
        """The shape with the planes."""
        return (self.planes.count, *self.shape) if self.planes else self.shape

    @property
    def all_warps(self) -> tuple[int, ...]:
        """The warps along every dim, including the planes'."""
        return (self.planes.warps, *self.warps) if self.planes else self.warps

    def ttgir(self) -> str:
        mma = (
            f"#ttig.dpas<{{repeatCount = {self.repeat_count}, systolicDepth = 8, executionSize = 16, "
            f"opsPerChan = {self.ops_per_channel}, threadsPerWarp = {self.lanes}, "
            f"warpsPerCTA = {list(self.all_warps)}, repCluster = {[1] * bool(self.planes) + list(self.cluster)}}}>"
        )
        k_width = max(1, self.ops_per_channel // (2 if self.operand == 0 else 1))
        dot = f"#ttg.dot_op<{{opIdx = {self.operand}, parent = #mma, kWidth = {k_width}}}>"
        encoding = "#mma" if self.operand == 2 else dot
        if self.blocked is not None:
            front = [1] * bool(self.planes)
            per_thread, lanes = (front + list(part) for part in self.blocked)
            rank = len(per_thread)
            order = [rank - 2, rank - 1] if self.column_major else [rank - 1, rank - 2]
            encoding = (
                f"#ttg.blocked<{{sizePerThread = {per_thread}, threadsPerWarp = {lanes}, "
                f"warpsPerCTA = {list(self.all_warps)}, order = {order + [0] * bool(self.planes)}}}>"
            )
        tensor = f"tensor<{'x'.join(map(str, self.whole_shape))}x{self.dtype}, {encoding}>"
        order = "column_major" if self.column_major else "row_major"
        guard = f" {{ttig.guard = array<i32: {', '.join(map(str, self.guard))}>}}" if self.guard else ""
        planes, numbers = ("", "") if self.planes is None else (" planes(%z, %d, %s)", ", %z: i64, %d: i64, %s: i64")
        pitch, constant = "%pitch", ""
        multiple = f" {{tt.divisibility = {(self.x & -self.x) or 64} : i32}}" if self.known_x else ""
        if self.known_pitch:
            pitch, constant = "%known", f"    %known = arith.constant {self.pitch} : i32\n"
        return f"""#mma = {mma}
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = {math.prod(self.all_warps)} : i32,
    ttg.target = "xpu", "ttg.threads-per-warp" = {self.lanes} : i32, "ttig.support_2d_block_io"}} {{
  tt.func public @load(%base: !tt.ptr<{self.dtype}>, %out: !tt.ptr<{self.dtype}>,
                       %w: i32, %h: i32, %pitch: i32, %x: i32{multiple}, %y: i32{numbers}) {{
{constant}    %a = ttig.2d_block_load %base, %w, %h, {pitch}[%x, %y] {{{order}}}{planes}{guard} :
      !tt.ptr<{self.dtype}> -> {tensor}
    tt.return
  }}
}}
"""


def lowered(load: Load, emit: str, *, validate: bool = True) -> ModuleOp | None:
    """The load lowered by dotload; None if there is no plan for it."""
    module = dialect_ext.parse_module(load.ttgir())
    try:
        Convert2DBlockLoadToLLVMPass(emit=emit, target="pvc", validate=validate).apply(dialect_ext.context(), module)
    except PassFailedException:
        return None
    return module


def source_of(module: ModuleOp) -> str:
    """LLVM IR in which every lane stores its registers at out[(warp * lanes + lane) * registers]."""
    return to_llvm(with_intrinsics(_closed(dialect_ext.print_module(module))))


_BLOCK_LOAD = re.compile(
    r"^ *(%\w+) = triton_gen\.2Dblockload (%\w+), (%\w+), (%\w+), (%\w+), (%\w+), (%\w+) "
    r"\{elem_size_in_bits = (\d+), tile_width = (\d+), tile_height = (\d+), v_blocks = (\d+), transpose = (\w+), "
    r"vnni_transform = (\w+), .* -> (vector<(\d+)x(\w+)>)$",
    re.MULTILINE,
)
_INTRINSIC = "llvm.genx.GenISA.LSC2DBlockRead"


def with_intrinsics(text: str) -> str:
    """Block loads of the triton_gen dialect as intrinsics of Intel's compiler, without Intel's passes."""
    declared: dict[str, str] = {}

    def call(match: re.Match[str]) -> str:
        value, base, width, height, pitch, x, y, *sizes, transpose, transform, vector, count, element = match.groups()
        name = f"{_INTRINSIC}.v{count}{element}"
        types = "i64, i32, i32, i32, i32, i32, i32, i32, i32, i32, i1, i1, i32"
        declared[name] = f"  llvm.func @{name}({types}) -> {vector}"
        names = [f"%v{value[1:]}_{part}" for part in ("a", "w", "h", "p", "c", "n", "r", "m", "t", "v", "d")]
        a, w, h, p, *constants = names
        lines = [
            f"    {a} = llvm.ptrtoint {base} : !llvm.ptr<1> to i64",
            f"    %v{value[1:]}_1 = llvm.mlir.constant(1 : i32) : i32",
        ]
        lines += [
            f"    {to} = llvm.sub {of}, %v{value[1:]}_1 : i32" for to, of in ((w, width), (h, height), (p, pitch))
        ]
        numbers = [*((size, "i32") for size in sizes), (transpose, "i1"), (transform, "i1"), ("0", "i32")]
        for to, (number, type_) in zip(constants, numbers, strict=True):
            literal = number if type_ == "i1" else f"{number} : i32"
            lines.append(f"    {to} = llvm.mlir.constant({literal}) : {type_}")
        operands = ", ".join([a, w, h, p, x, y, *constants])
        return "\n".join([*lines, f"    {value} = llvm.call @{name}({operands}) : ({types}) -> {vector}"])

    text = _BLOCK_LOAD.sub(call, text)
    if "gpu.subgroup_id" in text:
        declared["_Z16get_sub_group_id"] = "  llvm.func spir_funccc @_Z16get_sub_group_id() -> i32"
        text = re.sub(
            r'(%\w+) = "gpu\.subgroup_id"\(\) : \(\) -> index\n *(%\w+) = arith\.index_cast \1 : index to i32',
            r"\2 = llvm.call spir_funccc @_Z16get_sub_group_id() : () -> i32",
            text,
        )
    return text.replace("  llvm.func @load", "\n".join([*declared.values(), "  llvm.func @load"]), 1)


def _closed(text: str) -> str:
    """The lowered function without Triton's ops: pointers become LLVM pointers, and the registers are stored."""
    struct = re.search(r"unrealized_conversion_cast (%\w+) : !llvm\.struct<\((.*)\)> to tensor", text)
    assert struct is not None
    types = struct[2].split(", ")
    lines = [line for line in text.splitlines() if " to tensor<" not in line]
    pointer = re.search(r"(%\w+) = builtin\.unrealized_conversion_cast %base ", text)
    assert pointer is not None
    body = "\n".join(line for line in lines if "unrealized_conversion_cast %base " not in line)
    body = re.sub(rf"{pointer[1]}\b", "%base", body)
    body = re.sub(r"tt\.func public @load\((.*)\)", lambda m: f"llvm.func @load({_pointers(m[1])})", body)
    stores = [
        "    %zero = llvm.mlir.constant(0 : i32) : i32",
        "    %item = llvm.call spir_funccc @_Z12get_local_idj(%zero) : (i32) -> i64",
        f"    %count = llvm.mlir.constant({len(types)} : i64) : i64",
        "    %start = llvm.mul %item, %count : i64",
        f"    %row = llvm.getelementptr %out[%start] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, {types[0]}",
    ]
    for index, type_ in enumerate(types):
        whole = f"!llvm.struct<({struct[2]})>"
        stores.append(f"    %r{index} = llvm.extractvalue {struct[1]}[{index}] : {whole}")
        stores.append(f"    %p{index} = llvm.getelementptr %row[{index}] : (!llvm.ptr<1>) -> !llvm.ptr<1>, {type_}")
        stores.append(f"    llvm.store %r{index}, %p{index} : {type_}, !llvm.ptr<1>")
    declaration = "  llvm.func spir_funccc @_Z12get_local_idj(i32) -> i64\n"
    body = body.replace("    tt.return", "\n".join([*stores, "    llvm.return"]))
    return body.replace("  llvm.func @load", f"{declaration}  llvm.func @load")


def _pointers(parameters: str) -> str:
    return re.sub(r"!tt\.ptr<\w+>", "!llvm.ptr<1>", re.sub(r" \{tt\.divisibility = \d+ : i32\}", "", parameters))


def to_llvm(text: str) -> str:
    """LLVM IR of a function in the LLVM, arith and scf dialects."""
    from triton._C.libtriton import ir, llvm, passes

    context = ir.context()
    ir.load_dialects(context)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "load.mlir"
        path.write_text(re.sub(r"^#\w+ = #ttig.*$", "", text, flags=re.MULTILINE))
        module = ir.parse_mlir_module(str(path), context)
    module.context = context
    manager = ir.pass_manager(context)
    passes.convert.add_scf_to_cf(manager)
    passes.convert.add_cf_to_llvmir(manager)
    passes.convert.add_arith_to_llvmir(manager)
    manager.run(module, "load")
    return str(llvm.to_module(module, llvm.context()))


def layout_of(load: Load) -> tuple[np.ndarray, np.ndarray]:
    """Row and column of each tensor element, [warp][lane][register], by definition of the encoding."""
    _, row, column = places_of(load)
    return row, column


def places_of(load: Load) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same as `layout_of`, after the plane."""
    module = dialect_ext.parse_module(load.ttgir())
    (op,) = (op for op in module.walk() if op.name == "ttig.2d_block_load")
    layout = op.results[0].type.encoding.to_encoding().to_linear_layout(load.whole_shape)  # type: ignore[attr-defined]
    sizes = layout.in_sizes
    warp, lane, register = np.meshgrid(
        *(np.arange(sizes[name]) for name in ("warp", "lane", "register")), indexing="ij"
    )
    place = layout.apply({"register": register, "lane": lane, "warp": warp, "block": np.zeros_like(lane)})
    *plane, row, column = place.values()
    return (plane[0] if plane else np.zeros_like(row)), row, column


def expected(load: Load, surface: np.ndarray) -> np.ndarray:
    """[warp][lane][register] by definition: what the encoding says belongs there, read one element at a time; zero
    outside the surface and in planes that do not exist. `surface`: [row][column], with the plane in front if there are
    several."""
    plane, row, column = places_of(load)
    down, across = (column, row) if load.column_major else (row, column)
    y, x = load.y + down, load.x + across
    z, depth = (plane + load.planes.first, load.planes.depth) if load.planes else (plane, 1)
    every = surface.reshape(depth, load.height, load.width)
    inside = (y >= 0) & (y < load.height) & (x >= 0) & (x < load.width) & (z >= 0) & (z < depth)
    at = (np.clip(z, 0, depth - 1), np.clip(y, 0, load.height - 1), np.clip(x, 0, load.width - 1))
    return np.where(inside, every[at], 0)


def make_surface(load: Load) -> tuple[np.ndarray, np.ndarray]:
    """Memory from the base on, and the surface in it. No element is zero, and neighbours differ."""
    size, pitch = BYTES[load.dtype], load.pitch
    depth = load.planes.depth if load.planes else 1
    memory = aligned((load.plane_bytes * depth + 128,), np.uint8)
    offset = load.base_words * 4
    memory[:offset] = 0xDD  # left of the base, which no load may read
    flat = memory[offset : offset + load.plane_bytes * depth]
    values = np.random.default_rng(load.width * 31 + load.height).integers(1, 255, flat.size, dtype=np.uint8)
    flat[:] = values
    planes = flat.reshape(depth, load.plane_bytes)[:, : pitch * load.height].reshape(depth, load.height, pitch)
    surface = planes[..., : load.width * size].copy().view(f"u{size}")
    return flat, surface if load.planes else surface[0]


def outcome(load: Load, source: str, shape: tuple[int, ...]) -> tuple[np.ndarray, Any]:
    """The values that every lane stores, [warp][lane][register], and the report of the run."""
    memory, surface = make_surface(load)
    out = np.full(shape, 0xEE, surface.dtype)
    arguments = [memory, out, load.width * BYTES[load.dtype], load.height, load.pitch, load.x, load.y]
    raw = ["*bits"] * 2 + ["i32"] * 5  # the arrays hold raw bits, whatever types the kernel declares
    if load.planes:
        arguments += [load.planes.first, load.planes.depth, load.plane_bytes]
        raw += ["i64"] * 3
    warps = math.prod(load.all_warps)
    report = run(source, (1,), arguments, warps, load.lanes, kernel="load", signature=raw, timeout=HANG_SECONDS)
    return out, report


def check(load: Load, emit: str = "opencl", *, validate: bool = True) -> Any:
    """None where there is no plan; else the report of a run whose every register was right. AssertionError says what
    to call to see a failure again. `validate`: whether the pass judges the code as well, before the emulator does."""
    module = lowered(load, emit, validate=validate)
    if module is None:
        return None
    wanted = expected(load, make_surface(load)[1])
    out, report = outcome(load, source_of(module), wanted.shape)
    wrong = np.argwhere(out != wanted)
    place = dict(zip(("warp", "lane", "register"), wrong[0].tolist(), strict=True)) if wrong.size else {}
    assert not wrong.size, f"check({load!r}, {emit!r}): {len(wrong)} of {wanted.size} registers, first at {place}"
    # With guards, a load that is out of bounds as a whole sends no message.
    assert load.guard or report.load_messages, f"check({load!r}, {emit!r}): no block message"
    return report
