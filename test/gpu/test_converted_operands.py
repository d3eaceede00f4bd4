"""Conversions of operands are bit-identical to Triton's, and attention over fp8 caches agrees with float64."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch")
if not torch.cuda.is_available():
    pytest.skip("needs an NVIDIA GPU", allow_module_level=True)

import triton  # noqa: E402
import triton.language as tl  # noqa: E402

import dotload  # noqa: E402
from dotload.passes.operand_staging.packed_conversions import CONVERSIONS, Bits, find_conversion  # noqa: E402
from dotload.passes.operand_staging.packed_integers import convert_bytes, convert_field  # noqa: E402

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))
from kv_cache import BF16, FP8, Kernel, Problem  # noqa: E402

pytestmark = pytest.mark.gpu

DTYPES = {
    "f8E4M3FN": torch.float8_e4m3fn,
    "f8E5M2": torch.float8_e5m2,
    "i8": torch.int8,
    "u8": torch.uint8,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
}


@triton.jit
def convert_both(
    x_ptr, plain_ptr, packed_ptr, ASM: tl.constexpr, CONSTRAINTS: tl.constexpr, PACK: tl.constexpr,
    LEFT: tl.constexpr, RIGHT: tl.constexpr, LESS: tl.constexpr, SIZE: tl.constexpr,
):  # fmt: skip
    at = tl.arange(0, SIZE)
    x = tl.load(x_ptr + at)
    field = (x << LEFT) >> RIGHT if RIGHT else x
    plain = field.to(plain_ptr.dtype.element_ty)
    tl.store(plain_ptr + at, plain - LESS if LESS else plain)
    if packed_ptr.dtype.element_ty == tl.float16:  # inline_asm_elementwise does not take a constexpr type
        packed = tl.inline_asm_elementwise(ASM, CONSTRAINTS, [x], dtype=tl.float16, is_pure=True, pack=PACK)
    else:
        packed = tl.inline_asm_elementwise(ASM, CONSTRAINTS, [x], dtype=tl.bfloat16, is_pure=True, pack=PACK)
    tl.store(packed_ptr + at, packed)


def check_conversion(conversion, source, target, less=0, shifts=(0, 0)):
    order = torch.randperm(1024, generator=torch.Generator().manual_seed(0)) % 256  # each byte in each place of a word
    x = order.to(torch.uint8).cuda().view(DTYPES[source])
    plain, packed = (torch.zeros(1024, device="cuda", dtype=DTYPES[target]) for _ in range(2))
    how = (conversion.asm, conversion.constraints, conversion.elements)
    convert_both[(1,)](x, plain, packed, *how, *shifts, less, 1024, num_warps=1)
    assert torch.equal(plain.view(torch.int16), packed.view(torch.int16))


@pytest.mark.parametrize(("source", "target", "elements"), CONVERSIONS)
def test_packed_conversions_are_tritons_bit_for_bit(source, target, elements):
    major, minor = torch.cuda.get_device_capability()
    conversion = find_conversion(source, target, 10 * major + minor, elements)
    if conversion is None:
        pytest.skip("Triton's own is taken on this GPU")
    check_conversion(conversion, source, target)


@pytest.mark.parametrize("types", [("i8", "f16"), ("u8", "f16"), ("u8", "bf16")], ids=" to ".join)
@pytest.mark.parametrize("less", [0, 8, 128])
def test_packed_conversions_of_integers_are_tritons_bit_for_bit(types, less):
    check_conversion(convert_bytes(*types, less), *types, less)


@pytest.mark.parametrize("shifts", [(4, 4), (0, 4), (2, 5)], ids=["low half", "high half", "three bits"])
@pytest.mark.parametrize("types", [("i8", "f16"), ("i8", "bf16"), ("u8", "f16"), ("u8", "bf16")], ids=" to ".join)
@pytest.mark.parametrize("less", [0, 8])
def test_packed_conversions_of_bit_fields_are_tritons_bit_for_bit(types, shifts, less):
    source, target = types
    left, right = shifts
    field = Bits(right - left, (1 << 8 - right) - 1, is_signed=source == "i8")
    check_conversion(convert_field(field, target, less), *types, less, shifts)


CASES = [
    Kernel(queries, FP8, rows, block_n=block_n, num_warps=warps, num_stages=stages, gathered=gathered, cast_v=cast)
    for queries in (BF16, FP8)
    for rows, block_n, warps, stages in (
        (16, 32, 4, 3),
        (16, 128, 8, 2),
        (32, 64, 4, 3),
        (64, 64, 4, 3),
        (128, 64, 8, 2),
    )
    for gathered in (False, True)
    for cast in (False, True)
]


@pytest.mark.parametrize("kernel", CASES, ids=str)
def test_attention_over_a_cache_has_stocks_error(kernel, monkeypatch, tmp_path):
    monkeypatch.setenv("DOTLOAD_STRICT", "1")
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    problem = Problem.random(kernel, caches=3, length=512)
    problem.launch(kernel, kernel.compile())
    stock = problem.error()
    problem.out.fill_(123.0)
    with dotload.enabled():
        handle = kernel.compile()
    problem.launch(kernel, handle)
    assert problem.error() <= 1.02 * stock + 1e-4
