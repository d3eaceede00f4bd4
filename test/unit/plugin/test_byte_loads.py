"""Loads of single bytes that PTX shows, and who is told of them."""

from __future__ import annotations

from dotload.passes.remarks import KERNEL, Remark
from dotload.plugin.byte_loads import byte_loads, untold_byte_loads

LOAD = "\t@%p1 ld.global.b8 { %rs1 }, [ %rd1 + 0 ];\n"
DOT = "\tmma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r1}, {%r2}, {%r3}, {%r4};\n"
FILE = '\t.file\t1 "/kernels/gemm.py"\n'


def at(line: int) -> str:
    return f"\t.loc\t1 {line} 24 // gemm.py:{line}:24\n"


def test_bytes_are_counted_by_line() -> None:
    vector = "\tld.global.v4.b8 { %rs1, %rs2, %rs3, %rs4 }, [ %rd1 + 0 ];\n"
    others = vector + "\tld.shared.b8 %rs1, [%r1];\n\tst.global.b8 [%rd1], %rs1;\n\tld.global.b32 %r1, [%rd1];\n"
    ptx = LOAD + at(7) + LOAD * 3 + others + at(8) + "\tld.global.nc.L1::evict_last.u8 %rs1, [%rd1];\n" + FILE
    assert byte_loads(ptx) == {KERNEL: 1, "/kernels/gemm.py:7:24": 3, "/kernels/gemm.py:8:24": 1}


def test_a_line_is_told_of_once() -> None:
    def told(*remarks: Remark, ptx: str = at(7) + LOAD * 4 + DOT + FILE) -> list[str]:
        return [f"{remark.location} {remark.reason}" for remark in untold_byte_loads(ptx, remarks)]

    staged = Remark("passed", "stage-dot-operands", "/kernels/gemm.py:7:20", "row-major B is staged")
    known = Remark("missed", "stage-dot-operands", "/kernels/gemm.py:7:20", "kept tt.load", "LOADED_BY_ELEMENTS")
    assert told() == told(staged) == ["/kernels/gemm.py:7:24 LOADED_BY_BYTES"]
    assert not told(known)
    assert not told(ptx=at(7) + LOAD * 3 + DOT + FILE), "less than a word"
    assert not told(ptx=at(7) + LOAD * 4 + FILE), "no product of matrices"
