"""The viewer's text agrees line by line with libtriton's own layout views, and with the layouts themselves."""

import random
from pathlib import Path

import pytest

from dotload.layout.encodings import Blocked, DotOperand, Linear, NvidiaMma, NvmmaShared, SwizzledShared
from dotload.tools import dotload_layout
from dotload.tools.viewer.source import Subject
from dotload.tools.viewer.text import bases_view, hardware_view, tensor_view

ttgl = pytest.importorskip("triton.experimental.gluon.language")

CASES = [
    (Blocked((1, 2), (4, 2), (1, 2), (1, 0)), lambda: ttgl.BlockedLayout([1, 2], [4, 2], [1, 2], [1, 0]), (4, 8)),
    (
        Blocked((1, 1, 2), (1, 4, 2), (1, 1, 2), (2, 1, 0)),
        lambda: ttgl.BlockedLayout([1, 1, 2], [1, 4, 2], [1, 1, 2], [2, 1, 0]),
        (2, 4, 4),
    ),
    (Blocked((1,), (8,), (2,), (0,)), lambda: ttgl.BlockedLayout([1], [8], [2], [0]), (4,)),
    (Blocked((1,), (8,), (2,), (0,)), lambda: ttgl.BlockedLayout([1], [8], [2], [0]), (128,)),
    (
        Blocked((1, 8), (4, 8), (4, 1), (1, 0)),
        lambda: ttgl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0]),
        (128, 64),
    ),
    (
        NvidiaMma(2, 0, (2, 2), (16, 8)),
        lambda: ttgl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8]),
        (32, 32),
    ),
    (
        DotOperand(0, NvidiaMma(2, 0, (2, 2), (16, 8)), 2),
        lambda: ttgl.DotOperandLayout(0, ttgl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8]), 2),
        (32, 32),
    ),
    (NvmmaShared(32, True, 16), lambda: ttgl.NVMMASharedLayout(32, 16, 2, transposed=True), (16, 8)),
    (NvmmaShared(64, False, 8), lambda: ttgl.NVMMASharedLayout(64, 8, 2), (16, 128)),
    (SwizzledShared(4, 2, 4, (1, 0)), lambda: ttgl.SwizzledSharedLayout(4, 2, 4, [1, 0]), (16, 64)),
]


@pytest.mark.parametrize(("encoding", "triton", "shape"), CASES, ids=[f"{c[0]}"[:40] for c in CASES])
def test_both_views_are_tritons(encoding, triton, shape: tuple[int, ...]) -> None:
    if not hasattr(ttgl.BlockedLayout, "format_tensor_view"):
        pytest.skip("this Triton has no layout views")
    subject = Subject("", encoding.to_linear_layout(shape), shape)
    expected = triton()
    assert tensor_view(subject).rstrip() == expected.format_tensor_view(list(shape)).rstrip()
    assert hardware_view(subject).rstrip() == expected.format_hardware_view(list(shape)).rstrip()


def test_random_layouts_are_printed_as_triton_prints_them() -> None:
    if not hasattr(ttgl.DistributedLinearLayout, "format_tensor_view"):
        pytest.skip("this Triton has no layout views")
    rng = random.Random(4)
    for _ in range(20):
        bits = [(1 << b, 0) for b in range(4)] + [(0, 1 << b) for b in range(5)]
        rng.shuffle(bits)
        register, lane, warp = bits[:2], bits[2:7], bits[7:]
        if rng.random() < 0.5:
            warp = [*warp, (0, 0)]
        encoding = Linear(tuple(register), tuple(lane), tuple(warp))
        triton = ttgl.DistributedLinearLayout(
            [list(b) for b in register], [list(b) for b in lane], [list(b) for b in warp], [], [16, 32]
        )
        subject = Subject("", encoding.to_linear_layout((16, 32)), (16, 32))
        assert tensor_view(subject).rstrip() == triton.format_tensor_view([16, 32]).rstrip()
        assert hardware_view(subject).rstrip() == triton.format_hardware_view([16, 32]).rstrip()


def test_the_bases_are_in_the_notation_of_the_block_load_document() -> None:
    layout = Blocked((1, 2), (4, 2), (1, 1), (1, 0)).to_linear_layout((4, 4))
    assert bases_view(Subject("", layout, (4, 4))) == (
        " - register=1 -> (0, 1)\n"
        " - lane=1 -> (0, 2)\n"
        "   lane=2 -> (1, 0)\n"
        "   lane=4 -> (2, 0)\n"
        " - warp is a size 1 dimension\n"
        " - block is a size 1 dimension\n"
        "where out dims are: [dim0 (size 4), dim1 (size 4)]\n"
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["descriptor", "0x40", "-o", "d.tex"], "error: this is text: no tikz can be made of it, but text"),
        (["descriptor", "0x40", "--format", "png"], "error: this is text: no png can be made of it, but text"),
        (
            ["descriptor", "0x40", "-o", "d.pdf"],
            "error: d.pdf: cannot tell the format from the suffix; use --format text",
        ),
    ],
)
def test_what_is_no_picture_is_not_drawn(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert dotload_layout.main(words) == 1
    assert capsys.readouterr().err == f"{message}\n"
    assert not Path(words[-1]).exists()
