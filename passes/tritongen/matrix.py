"""`triton_gen.dpas` and `triton_gen.bdpas` as calls."""

from __future__ import annotations

from xdsl.dialects.builtin import BFloat16Type, IntegerType, VectorType, i1
from xdsl.ir import Attribute

from dotload.dialect_ext import enums
from dotload.dialect_ext.triton_gen_matrix import BdpasOp, DpasOp
from dotload.dialect_ext.triton_gen_verify import SYSTOLIC_DEPTH
from dotload.dialect_ext.typed import as_vector
from dotload.passes.tritongen.builder import Callee, GenBuilder
from dotload.passes.tritongen.mangling import genisa, mangled

MATRIX_MULTIPLY = "__spirv_SubgroupMatrixMultiplyAccumulateINTEL"
# Precision -> depth of k (SPV_INTEL_subgroup_matrix_multiply_accumulate).
_K = {**dict.fromkeys(("i8", "u8", "bf8", "hf8"), 32), **dict.fromkeys(("f16", "bf16"), 16), "tf32": 8, "e2m1": 64}
# Precision -> Matrix Multiply Accumulate Operands of A; B's are the next bit each.
_A_OPERANDS = {
    **{"u8": 0x10, "i8": 0x10 | 0x1, "tf32": 0x100, "f16": 0x400, "bf16": 0x1000},
    **{"hf8": 0x4000, "bf8": 0x10000, "e2m1": 0x40000},
}
_C_BF16, _RESULT_BF16 = 0x4, 0x8
_PRECISIONS = {number: name for name, number in enums.DPAS_PRECISION.cases.items()}


def _operands(op: DpasOp, *, bf16: bool) -> int:
    pa, pb = _PRECISIONS[op.pa.value.data], _PRECISIONS[op.pb.value.data]
    return _A_OPERANDS[pa] | _A_OPERANDS[pb] << 1 | (_C_BF16 | _RESULT_BF16 if bf16 else 0)


def _held_as(type_: Attribute) -> Attribute:
    """The builtins take bf16 as i16."""
    vector = as_vector(type_)
    element = type_ if vector is None else vector.element_type
    if not isinstance(element, BFloat16Type):
        return type_
    return IntegerType(16) if vector is None else VectorType(IntegerType(16), vector.get_shape())


def lower_dpas_by_spirv(builder: GenBuilder, op: DpasOp) -> None:
    """SPV_INTEL_subgroup_matrix_multiply_accumulate: (K, A, B, C, operands)."""
    type_ = _held_as(op.c.type)
    c = builder.bitcast(op.c, type_)
    k = builder.constant(_K[_PRECISIONS[op.pa.value.data]])
    operands = builder.constant(_operands(op, bf16=type_ != op.c.type))
    arguments = [k, op.a, op.b, c, operands]
    name = mangled(MATRIX_MULTIPLY, [argument.type for argument in arguments])
    result = builder.call(Callee(name, convergent=True, memory="none"), arguments, type_)
    builder.replace(builder.bitcast(result, op.d.type))


def lower_by_genisa(builder: GenBuilder, op: DpasOp | BdpasOp) -> None:
    """sub.group.dpas and sub.group.bdpas of GenISA; only GenISA has products with scales."""
    scales = [op.scale_a, op.scale_b] if isinstance(op, BdpasOp) else []
    factors = [op.c, op.a, op.b, *scales]
    numbers = (op.pa.value.data, op.pb.value.data, SYSTOLIC_DEPTH, op.rc.value.data)
    arguments = [*factors, *map(builder.constant, numbers), builder.constant(0, i1)]
    types = ".".join(genisa(type_) for type_ in (op.d.type, *(factor.type for factor in factors)))
    name = f"llvm.genx.GenISA.sub.group.{'bdpas' if scales else 'dpas'}.{types}"
    builder.replace(builder.call(Callee(name, convergent=True, memory="none"), arguments, op.d.type))
