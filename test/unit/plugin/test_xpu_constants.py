"""Constants of kernels on their way to the environment with triton-xpu, and what comes back if it cannot compile."""

import json
import sys
from pathlib import Path

import pytest

pytest.importorskip("triton")
sys.path.insert(0, str(Path(__file__).parent))

import triton.language as tl
import xpu_given

import dotload
from dotload.plugin import xpu_constants
from dotload.plugin.xpu_environment import find_python
from dotload.plugin.xpu_request import XeCompileError

needs_xpu = pytest.mark.skipif(find_python() is None, reason="no environment with triton-xpu")


def test_constants_survive_the_way() -> None:
    given = {"n": 4, "flag": True, "none": None, "word": "relu", "type": tl.float16, "sizes": (1, (tl.int8, "x"))}
    there = json.loads(json.dumps(xpu_constants.encoded({**given, "wrapped": tl.constexpr(7)})))
    assert xpu_constants.decoded(there, lambda *_: None) == {**given, "wrapped": 7}


def test_a_function_goes_as_its_file_and_name() -> None:
    there = json.loads(json.dumps(xpu_constants.encoded({"THEN": xpu_given.twice})))
    file = str(Path(xpu_given.__file__).resolve())
    assert xpu_constants.decoded(there, lambda *where: where) == {"THEN": (file, "twice")}


def test_other_constants_are_named() -> None:
    with pytest.raises(dotload.XeCompileError, match=r"the constant SIZES has to be a number, .* got list"):
        xpu_constants.encoded({"SIZES": [1, 2]})


@needs_xpu
def test_types_tuples_and_functions_compile() -> None:
    constants = {"TYPE": tl.float16, "SIZES": (4, 128), "THEN": xpu_given.twice}
    kernel = dotload.compile_xe(xpu_given.cast, ["*fp32", "*fp16"], constants=constants)
    assert "arith.truncf" in kernel.ttir
    assert "arith.addf" in kernel.ttir


@needs_xpu
def test_an_assertion_of_the_backend_is_the_reason() -> None:
    types = ["*fp32:16", "*fp32:16", "i32:16"]
    with pytest.raises(XeCompileError, match=r"PassManager::run failed \(Assertion `isa<scf::ForOp>.*' failed\)"):
        dotload.compile_xe(xpu_given.pointer_of_a_while_loop, types, constants={"BLOCK": 32})
