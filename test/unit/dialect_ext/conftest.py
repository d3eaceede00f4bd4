"""Kernels compiled by stock Triton, without a GPU: the IR that the dialects must read."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import triton.language as tl
from sampling import sampled
from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, make_backend

INPUTS = Path(__file__).parent / "inputs"
INTEGERS = dict.fromkeys(("M", "N", "K", "sam", "sak", "sbk", "sbn", "scm", "scn"), "i32")
GEMM_DESC = {"a": "*fp16", "b": "*fp16", "c": "*fp16", "M": "i32", "N": "i32", "K": "i32"}
ATTENTION = dict.fromkeys(("Q", "K", "V", "Out"), "*fp16") | {"L": "*fp32", "sm": "fp32", "N": "i32", "s0": "i64"}


def _gemm(element: str, accumulator: Any, result: str) -> tuple[str, dict[str, str], dict[str, Any]]:
    pointers = {"a": f"*{element}", "b": f"*{element}", "c": f"*{result}"}
    return "gemm", pointers | INTEGERS, {"BM": 128, "BN": 128, "BK": 64, "ACC": accumulator, "G": 8}


def _persistent(flatten: bool, specialize: bool) -> tuple[str, dict[str, str], dict[str, Any]]:
    return "gemm_desc", GEMM_DESC, {"BM": 128, "BN": 128, "BK": 64, "P": flatten, "WS": specialize}


# Test id -> (kernel, signature, constants, compute capabilities).
KERNELS: dict[str, tuple[tuple[str, dict[str, str], dict[str, Any]], tuple[int, ...]]] = {
    "gemm_fp16": (_gemm("fp16", tl.float32, "fp16"), (80, 90, 100)),
    "gemm_fp8": (_gemm("fp8e4nv", tl.float32, "fp16"), (90, 100)),
    "gemm_int8": (_gemm("i8", tl.int32, "i32"), (80, 90)),
    "gemm_tf32": (_gemm("fp32", tl.float32, "fp32"), (80, 90)),
    "gemm_descriptors": (_persistent(False, False), (80, 90)),
    "gemm_persistent": (_persistent(True, False), (90, 100)),
    "gemm_warp_specialized": (_persistent(True, True), (90, 100)),
    "attention": (("attn", ATTENTION, {"H": 64, "BM": 64, "BN": 64, "CAUSAL": False}), (80, 90)),
    "attention_causal": (("attn", ATTENTION, {"H": 64, "BM": 64, "BN": 64, "CAUSAL": True}), (90, 100)),
    "softmax": (("softmax", {"o": "*fp32", "i": "*fp32", "n": "i32"}, {"S": 1024}), (90,)),
    "layernorm": (
        (
            "layernorm",
            {"X": "*fp16", "Y": "*fp16", "W": "*fp16", "B": "*fp16", "Mean": "*fp32", "N": "i32", "eps": "fp32"},
            {"S": 1024},
        ),
        (80,),
    ),
    "every_op": (("misc", {"p": "*fp32", "q": "*i32", "f": "*fp32", "n": "i32"}, {"S": 128}), (90,)),
    "dot_scaled": (
        (
            "dot_scaled",
            {"a": "*fp8e4nv", "as_": "*u8", "b": "*fp8e4nv", "bs": "*u8", "c": "*fp32"},
            {"BM": 128, "BN": 128, "BK": 128},
        ),
        (100,),
    ),
}
CASES = [
    f"{name}-{capability}-{stage}"
    for name, (_, capabilities) in KERNELS.items()
    for capability in capabilities
    for stage in ("ttir", "ttgir")
]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "kernel_ir" in metafunc.fixturenames:
        metafunc.parametrize("kernel_ir", sampled(CASES, 8), indirect=True)


@pytest.fixture(scope="session")
def kernels() -> ModuleType:
    spec = importlib.util.spec_from_file_location("dialect_ext_kernels", INPUTS / "kernels.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _context(target: GPUTarget) -> tuple[Any, Any]:
    backend = make_backend(target)
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    return backend, context


@pytest.fixture(scope="session")
def compiled(kernels: ModuleType) -> Callable[[str], str]:
    """The text of a case, "name-capability-stage"; each kernel is compiled once."""
    texts: dict[str, str] = {}

    def compile_kernel(name: str, capability: int) -> None:
        (function, signature, constants), _ = KERNELS[name]
        kernel = getattr(kernels, function)
        target = GPUTarget("cuda", capability, 32)
        backend, context = _context(target)
        aligned = {
            (position,): [["tt.divisibility", 16]]
            for position, argument in enumerate(kernel.arg_names)
            if signature.get(argument, "").startswith(("*", "i32"))
        }
        source = ASTSource(
            kernel,
            {argument: signature.get(argument, "constexpr") for argument in kernel.arg_names},
            {(kernel.arg_names.index(argument),): value for argument, value in constants.items()},
            aligned,
        )
        options = backend.parse_options({"num_warps": 4, "num_stages": 3})
        stages: dict[str, Any] = {}
        backend.add_stages(stages, options, source.language)
        implementations = backend.get_codegen_implementation(options)
        module = source.make_ir(target, options, implementations, backend.get_module_map(), context)
        for stage in ("ttir", "ttgir"):
            module = stages[stage](module, {})
            texts[f"{name}-{capability}-{stage}"] = str(module)

    def text_of(case: str) -> str:
        if case not in texts:
            name, capability, _ = case.split("-")
            compile_kernel(name, int(capability))
        return texts[case]

    return text_of


@pytest.fixture
def kernel_ir(request: pytest.FixtureRequest, compiled: Callable[[str], str]) -> str:
    """The IR of every kernel after every stage, as libtriton prints it."""
    return compiled(request.param)


@pytest.fixture(scope="session")
def libtriton_print(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """libtriton's print of a text; fails if libtriton rejects it."""
    folder = tmp_path_factory.mktemp("ir")
    _, context = _context(GPUTarget("cuda", 90, 32))

    def read_and_print(text: str, *, locations: bool) -> str:
        path = folder / "module.mlir"
        path.write_text(text)
        module = ir.parse_mlir_module(str(path), context)
        return str(module) if locations else module.str_nodebug()

    return read_and_print
