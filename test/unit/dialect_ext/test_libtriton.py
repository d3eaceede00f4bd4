"""libtriton, MLIR's own parser and verifier, accepts the printed modules and reads the same module."""

from collections.abc import Callable
from pathlib import Path

import pytest
import triton

from dotload.dialect_ext import parse_module, print_module


@pytest.mark.parametrize("generic", [False, True], ids=["custom", "generic"])
def test_same_module_with_locations(kernel_ir: str, libtriton_print: Callable[..., str], generic: bool) -> None:
    printed = print_module(parse_module(kernel_ir), generic=generic, print_locations=True)
    assert libtriton_print(printed, locations=True) == libtriton_print(kernel_ir, locations=True)


def test_same_module_without_locations(kernel_ir: str, libtriton_print: Callable[..., str]) -> None:
    printed = print_module(parse_module(kernel_ir))
    assert libtriton_print(printed, locations=False) == libtriton_print(kernel_ir, locations=False)


def test_print_is_a_fixed_point(kernel_ir: str) -> None:
    printed = print_module(parse_module(kernel_ir))
    assert print_module(parse_module(printed)) == printed


FUSED = """module {
  tt.func @f() {
    tt.return loc(fused<"merged">["a.py":1:2, callsite("g"("b.py":3:4) at "a.py":5:6)])
  } loc(fused["a.py":7:8, "a.py":9:10])
} loc(unknown)
"""


@pytest.mark.parametrize("generic", [False, True], ids=["custom", "generic"])
def test_locations_of_several_lines(libtriton_print: Callable[..., str], generic: bool) -> None:
    printed = print_module(parse_module(FUSED), generic=generic, print_locations=True)
    assert libtriton_print(printed, locations=True) == libtriton_print(FUSED, locations=True)


@pytest.mark.parametrize("case", ["gemm_fp16-90-ttgir", "attention-80-ttgir", "gemm_persistent-90-ttgir"])
def test_print_is_libtritons_to_the_letter(
    compiled: Callable[[str], str], libtriton_print: Callable[..., str], case: str
) -> None:
    text = libtriton_print(compiled(case), locations=False)
    assert print_module(parse_module(text)).strip() == text.strip()


SINCE_39 = pytest.mark.skipif(triton.__version__ < "3.9", reason="ops of Triton 3.9")


@pytest.mark.parametrize(
    "name", [*(pytest.param(name, marks=SINCE_39) for name in ("blackwell", "gluon_ops", "llvm_ops")), "stock_dialects"]
)
@pytest.mark.parametrize("generic", [False, True], ids=["custom", "generic"])
def test_ops_that_no_kernel_here_uses(libtriton_print: Callable[..., str], name: str, generic: bool) -> None:
    text = (Path(__file__).parent / "inputs" / f"{name}.mlir").read_text()
    printed = print_module(parse_module(text), generic=generic)
    assert libtriton_print(printed, locations=False) == libtriton_print(text, locations=False)
