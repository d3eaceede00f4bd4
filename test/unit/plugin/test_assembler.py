"""Kernels that are assembled again with fewer registers, so that one more block is resident."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from dotload.layout.nvidia_targets import find_target
from dotload.plugin import assembler
from dotload.plugin.assembler import Assembler, registers_for_one_more, with_most_registers
from dotload.plugin.cubin import Resources

HOPPER = find_target(90)
PTX = ".visible .entry kernel(\n)\n.reqntid 128\n{\nret;\n}\n"
WIDE = Resources(registers=137, stack_bytes=0, shared_bytes=40 << 10, warps=4)
"""Three resident blocks; four with 128 registers."""


def made(
    monkeypatch: pytest.MonkeyPatch, plain: Resources, limited: Resources | Exception
) -> list[assembler.Assembled]:
    """The versions of a kernel with these resources, without and with a limit."""

    def stage(ptx: str, metadata: dict[str, Any]) -> bytes:
        if ".maxnreg" in ptx and isinstance(limited, Exception):
            raise limited
        return ptx.encode()

    def resources(cubin: bytes, *_: int) -> Resources:
        return limited if b".maxnreg" in cubin and isinstance(limited, Resources) else plain

    monkeypatch.setattr(assembler, "resources_of", resources)
    return Assembler(object(), stage, 4).versions(PTX, {"shared": 0}, HOPPER)  # type: ignore[arg-type]


def test_a_limit_is_taken_that_makes_no_spills(monkeypatch: pytest.MonkeyPatch) -> None:
    (version,) = made(monkeypatch, WIDE, replace(WIDE, registers=128))
    assert version.ptx == PTX.replace(".reqntid 128\n", ".reqntid 128\n.maxnreg 128\n")
    assert version.limit is not None
    assert version.limit.message == "limited to 128 registers per thread instead of 137: 4 blocks are resident"


def test_a_limit_that_makes_spills_comes_second(monkeypatch: pytest.MonkeyPatch) -> None:
    plain, limited = made(monkeypatch, WIDE, replace(WIDE, registers=128, stack_bytes=8))
    assert plain.ptx == PTX
    assert plain.limit is None
    assert ".maxnreg 128" in limited.ptx


def test_ptxas_may_refuse_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    (version,) = made(monkeypatch, WIDE, RuntimeError("ptxas: Insufficient registers"))
    assert version.ptx == PTX


@pytest.mark.parametrize(
    ("kernel", "registers"),
    [
        (WIDE, 128),
        (replace(WIDE, registers=152, warps=8), 128),
        (replace(WIDE, registers=128), None),  # 5 blocks of 4 warps are 20 warps
        (replace(WIDE, registers=92, warps=8), 80),  # 3 blocks of 8 warps
        (replace(WIDE, registers=98, warps=8), None),
        (replace(WIDE, registers=66, warps=8), 64),
        (replace(WIDE, registers=54, warps=8), None),  # 5 blocks of 8 warps
        (replace(WIDE, registers=192, warps=8), 128),
        (replace(WIDE, registers=193, warps=8), None),  # 0.66 of them
        (replace(WIDE, shared_bytes=70 << 10), None),  # a fourth does not fit
        (replace(WIDE, registers=224), 168),
        (replace(WIDE, registers=225), None),
    ],
)
def test_limits(kernel: Resources, registers: int | None) -> None:
    assert registers_for_one_more(kernel, HOPPER) == registers


@pytest.mark.parametrize(
    "ptx",
    [
        PTX.replace("{", ".maxnreg 200\n{"),
        PTX.replace("{", ".minnctapersm 2\n{"),
        PTX.replace("ret;", "setmaxnreg.dec.sync.aligned.u32 24;\nret;"),
        PTX.replace(".reqntid 128\n", ""),
        PTX + PTX,
    ],
)
def test_kernels_that_say_themselves_what_they_take_have_no_limit(ptx: str) -> None:
    assert with_most_registers(ptx, 128) is None


@pytest.mark.parametrize(
    ("blocks", "warps", "registers"), [(1, 8, 255), (2, 8, 128), (3, 4, 168), (4, 4, 128), (5, 4, 96)]
)
def test_most_registers(blocks: int, warps: int, registers: int) -> None:
    assert HOPPER.most_registers(blocks, warps) == registers
    assert HOPPER.resident_blocks(warps, 0, registers) >= blocks
    assert registers == 255 or HOPPER.resident_blocks(warps, 0, registers + 8) < blocks
