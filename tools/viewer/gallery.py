"""The figures of the documentation, drawn by one command: `dotload-layout gallery docs/gallery`.

Every figure is an SVG made from the layouts in dotload.layout; index.md lists them. The output is deterministic, and
a test compares the committed files with a fresh run.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from dotload.layout.descriptors import describe_tile
from dotload.layout.encodings import Blocked, NvmmaShared
from dotload.layout.fragments import MatrixMove
from dotload.layout.swizzle import Atom, AtomOrder, Major, Mode, Tile
from dotload.tools.viewer import block_plan, compare, ptx, svg
from dotload.tools.viewer.picture import Picture, held_registers, held_tensor, memory, shared_tensor
from dotload.tools.viewer.source import Subject

K, MN = Major.K, Major.MN
MODES = (Mode.B128, Mode.B64, Mode.B32, Mode.NONE)
DPAS = (
    "#ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, "
    "warpsPerCTA = [8, 4], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>"
)


@dataclass(frozen=True)
class Figure:
    """One file of the gallery."""

    name: str
    caption: str
    draw: Callable[[], Sequence[Picture]]


def draw_all(folder: str) -> list[str]:
    """Write every figure and the index; returns the paths."""
    where = Path(folder)
    where.mkdir(parents=True, exist_ok=True)
    written: list[str] = []
    for figure in FIGURES:
        path = where / f"{figure.name}.svg"
        path.write_text(svg.render(figure.draw(), figure.caption), encoding="utf-8")
        written.append(str(path))
    index = where / "index.md"
    index.write_text(_index(), encoding="utf-8")
    return [*written, str(index)]


def _index() -> str:
    lines = ["# Gallery", "", "Drawn by `dotload-layout gallery docs/gallery`.", ""]
    for figure in FIGURES:
        lines += [f"## {figure.caption}", "", f"![{figure.caption}]({figure.name}.svg)", ""]
    return "\n".join(lines)


def _atom(major: Major, mode: Mode, bits: int = 16, atomicity: int = 16) -> Callable[[], Sequence[Picture]]:
    return lambda: ptx.atom_pictures(Atom(major, mode, bits, atomicity))


def _ptx_atoms() -> list[Figure]:
    """Figures 156 to 163 of the PTX ISA: every mode, M/N-major and K-major."""
    figures: list[Figure] = []
    number = 156
    for mode in MODES:
        for major in (MN, K):
            words = f"{mode} swizzle" if mode is not Mode.NONE else "no swizzle (interleaved)"
            name = f"ptx_{number}_{major.value.lower()}_{mode.value}"
            figures.append(Figure(name, f"PTX ISA figure {number}: {major.value}-major, {words}", _atom(major, mode)))
            number += 1
    return figures


def _tf32(major: Major) -> Callable[[], Sequence[Picture]]:
    atom = Atom(major, Mode.B128, 32)
    subject = Subject(f"tf32 {major.value}-major 128B atom", atom.cute.to_linear_layout(), atom.shape, "f32", 32)
    return lambda: [shared_tensor(subject, "chunk"), memory(subject)]


def _canonical(
    major: Major, mode: Mode, bits: int, element: str, shape: tuple[int, int], dtype: str
) -> Callable[[], Sequence[Picture]]:
    """A tile of atoms with its descriptor, as in figures 166 to 170."""

    def draw() -> Sequence[Picture]:
        tile = Tile(Atom(major, mode, bits), shape, AtomOrder.MN_FIRST)
        subject = Subject(str(tile.cute), tile.to_linear_layout(), shape, element, bits)
        picture = shared_tensor(subject, "chunk")
        descriptor = describe_tile(tile, dtype)
        fields = f"descriptor: LBO field {descriptor.leading_bytes >> 4}, SBO field {descriptor.stride_bytes >> 4}"
        return [Picture(picture.title, picture.fields, "{offset}", "chunk", notes=("label: element offset", fields))]

    return draw


def _fragment(instruction: str, what: str) -> Callable[[], Sequence[Picture]]:
    return lambda: [held_tensor(ptx.fragment_subject(instruction, what.split()))]


def _move(trans: bool) -> Callable[[], Sequence[Picture]]:
    return lambda: [ptx.move_picture(MatrixMove(1, trans=trans), "ldmatrix")]


def _atom_orders() -> Sequence[Picture]:
    """The blog's 16 x 64-byte tile of 32B atoms, in both atom orders."""
    found: list[Picture] = []
    for order in AtomOrder:
        tile = Tile(Atom(K, Mode.B32, 16), (16, 32), order)
        subject = Subject(f"atoms {order.value}: {tile.cute}", tile.to_linear_layout(), (16, 32))
        found.append(shared_tensor(subject, "line"))
    return found


def _banks(swizzle_bytes: int) -> Callable[[], Sequence[Picture]]:
    """A row-wise 16-byte store and a column-wise one, into the same tile."""

    def draw() -> Sequence[Picture]:
        shape = (64, 64)
        shared = NvmmaShared(swizzle_bytes, False, 16)
        memory_ = Subject(f"nvmma_shared, {swizzle_bytes} bytes", shared.to_linear_layout(shape), shape)
        pictures: list[Picture] = []
        for name, layout in (
            ("one row of 128 bytes by 8 lanes", Blocked((1, 8), (4, 8), (4, 1), (1, 0))),
            ("16 bytes of a row each, lanes down the rows", Blocked((1, 8), (32, 1), (2, 2), (1, 0))),
        ):
            registers = Subject(name, layout.to_linear_layout(shape), shape)
            heat = compare.compare_pictures(registers, memory_)[0]
            pictures.append(Picture(f"{name} -> {memory_.name}", heat.fields, heat.label, heat.colour, heat.palette,
                                    heat.row_name, heat.column_name, heat.notes))  # fmt: skip
        return pictures

    return draw


def _dpas(operand: int, shape: str) -> Callable[[], Sequence[Picture]]:
    encoding = f"#ttg.dot_op<{{opIdx = {operand}, parent = {DPAS}, kWidth = {operand + 1}}}>"
    plan = functools.partial(block_plan.plan_for, encoding, f"tensor<{shape}xf16>", False, "xe2")
    return lambda: block_plan.plan_pictures(plan())


def _dpas_registers() -> Sequence[Picture]:
    from dotload.tools.viewer.source import parse_layout

    encoding = parse_layout(f"#ttg.dot_op<{{opIdx = 0, parent = {DPAS}, kWidth = 1}}>")
    layout = encoding.to_linear_layout((256, 32))
    return [held_registers(Subject("dot_op A of dpas", layout, (256, 32)))]


FIGURES: tuple[Figure, ...] = (
    *_ptx_atoms(),
    Figure("ptx_164_k_tf32", "PTX ISA figure 164: K-major 128B swizzle, tf32", _tf32(K)),
    Figure("ptx_165_mn_tf32", "PTX ISA figure 165: MN-major 128B swizzle, tf32 (no wgmma reads it)", _tf32(MN)),
    Figure(
        "ptx_166",
        "PTX ISA figure 166: K-major, no swizzle, tf32, two steps along k",
        _canonical(K, Mode.NONE, 32, "f32", (16, 16), "tf32"),
    ),
    Figure(
        "ptx_167",
        "PTX ISA figure 167, with the k = 1 that the 32B swizzle has room for: K-major, tf32",
        _canonical(K, Mode.B32, 32, "f32", (16, 8), "tf32"),
    ),
    Figure(
        "ptx_168",
        "PTX ISA figure 168: MN-major, no swizzle, bf16",
        _canonical(MN, Mode.NONE, 16, "bf16", (16, 16), "bf16"),
    ),
    Figure(
        "ptx_169",
        "PTX ISA figure 169: MN-major, 32B swizzle, bf16",
        _canonical(MN, Mode.B32, 16, "bf16", (32, 16), "bf16"),
    ),
    Figure("swizzle_128_atom_32", "128B swizzle with 32-byte atomicity", _atom(K, Mode.B128, 16, 32)),
    Figure("swizzle_128_atom_64", "128B swizzle with 64-byte atomicity", _atom(K, Mode.B128, 16, 64)),
    Figure("atom_orders", "A 16 x 64-byte tile of four 32B atoms, in both atom orders", _atom_orders),
    Figure("mma_all", "mma.sync m16n8k16 f16: A, B above C", lambda: ptx.mma_pictures("m16n8k16", "f16")),
    Figure("mma_a", "mma.sync m16n8k8 bf16, operand A: the blog's TV layout", _fragment("mma", "A m16n8k8 bf16")),
    Figure("mma_b", "mma.sync m16n8k8 bf16, operand B", _fragment("mma", "B m16n8k8 bf16")),
    Figure("mma_c", "mma.sync m16n8k8, the accumulator", _fragment("mma", "C m16n8k8 bf16")),
    Figure("mma_a_e4m3", "mma.sync m16n8k32 e4m3, operand A", _fragment("mma", "A m16n8k32 e4m3")),
    Figure("wgmma_c", "wgmma m64n16, the accumulator", _fragment("wgmma", "C 16")),
    Figure("ldmatrix", "ldmatrix.x1", _move(False)),
    Figure("ldmatrix_trans", "ldmatrix.x1.trans", _move(True)),
    Figure("banks_plain", "Bank conflicts without a swizzle", _banks(0)),
    Figure("banks_128", "The same stores into the 128B swizzle", _banks(128)),
    Figure("dpas_a_registers", "Operand A of a DPAS product, 256x32 f16: registers of warp 0", _dpas_registers),
    Figure("dpas_a_loads", "2D block loads of operand A, 256x32 f16: load.iteration", _dpas(0, "256x32")),
    Figure("dpas_b_loads", "2D block loads of operand B, 32x256 f16: load.iteration", _dpas(1, "32x256")),
)
