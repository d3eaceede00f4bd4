"""Triton's enums: i32 attributes whose values have names in the assembly (TritonAttrDefs.td)."""

from __future__ import annotations

from xdsl.dialects.builtin import i64

from dotload.dialect_ext.constraints import EnumConstraint


def _numbered(enum: str, first: int, *names: str) -> EnumConstraint:
    return EnumConstraint(enum, {name: first + position for position, name in enumerate(names)})


def _numbered_wide(enum: str, *names: str) -> EnumConstraint:
    return EnumConstraint(enum, {name: position for position, name in enumerate(names)}, i64)


PROGRAM_DIM = _numbered("ProgramIDDim", 0, "x", "y", "z")
CACHE_MODIFIER = _numbered("CacheModifier", 1, "none", "ca", "cg", "wb", "cs", "wt", "cv")
EVICTION_POLICY = _numbered("EvictionPolicy", 1, "evict_normal", "evict_first", "evict_last")
PADDING = _numbered("PaddingOption", 1, "zero", "nan")
MEM_SEMANTIC = _numbered("MemSemantic", 1, "relaxed", "acquire", "release", "acq_rel")
MEM_SYNC_SCOPE = _numbered("MemSyncScope", 1, "gpu", "cta", "sys")
ATOMIC_RMW = _numbered("RMWOp", 1, "and", "or", "xor", "add", "fadd", "max", "min", "umax", "umin", "exch")
DESCRIPTOR_REDUCE = _numbered("DescriptorReduceKind", 1, "add", "min", "max", "inc", "dec", "and", "or", "xor")
ROUNDING = _numbered("RoundingMode", 0, "rtz", "rtne")
ARITH_ROUNDING = _numbered(
    "RoundingMode", 0, *("to_nearest_even", "downward", "upward", "toward_zero", "to_nearest_away")
)
PROPAGATE_NAN = EnumConstraint("PropagateNan", {"none": 0, "all": 0xFFFF})
INPUT_PRECISION = _numbered("InputPrecision", 0, "tf32", "tf32x3", "ieee", "bf16x3", "bf16x6")
SCALE_ELEM_TYPE = _numbered("ScaleDotElemType", 0, "e4m3", "e5m2", "e2m3", "e3m2", "e2m1", "bf16", "fp16")
TMEM_WAIT_KIND = _numbered("TMEMWaitKind", 0, "load", "store")
PACKED_ARITH_KIND = _numbered("PackedArithOpKind", 0, "add", "sub", "mul", "fma", "min", "max")
MEMORY_LAYOUT = _numbered("MemoryLayout", 0, "row_major", "column_major")
LOAD_CACHE_CONTROL = _numbered(
    "LoadCacheControl",
    0,
    *("Default", "L1UC_L3UC", "L1UC_L3C", "L1C_L3UC", "L1C_L3C", "L1S_L3UC", "L1S_L3C", "L1IAR_L3C"),
)
STORE_CACHE_CONTROL = _numbered(
    "StoreCacheControl",
    0,
    *("Default", "L1UC_L3UC", "L1UC_L3WB", "L1WT_L3UC", "L1WT_L3WB", "L1S_L3UC", "L1S_L3WB", "L1WB_L3WB"),
)
# Bits of cl_mem_fence_flags (OpenCL C, "Synchronization Functions").
MEM_FENCE = _numbered("MemFence", 0, "None", "Local", "Global")
# SPIR-V's Scope.
MEM_SCOPE = _numbered("MemScope", 0, "CrossDevice", "Device", "WorkGroup", "SubGroup", "WorkItem")
# llvm::RoundingMode and fp::ExceptionBehavior, of constrained intrinsics.
LLVM_ROUNDING = EnumConstraint(
    "LLVM Rounding Mode",
    {"towardzero": 0, "tonearest": 1, "upward": 2, "downward": 3, "tonearestaway": 4, "dynamic": 7},
    i64,
)
FP_EXCEPTIONS = EnumConstraint("LLVM Exception Behavior", {"ignore": 0, "maytrap": 1, "strict": 2}, i64)
# LLVM's AtomicOrdering, AtomicRMWInst::BinOp, CmpInst::Predicate and InlineAsm::AsmDialect.
ATOMIC_ORDERING = EnumConstraint(
    "AtomicOrdering",
    {
        **{"not_atomic": 0, "unordered": 1, "monotonic": 2, "acquire": 4, "release": 5},
        **{"acq_rel": 6, "seq_cst": 7},
    },
    i64,
)
ATOMIC_BIN_OP = _numbered_wide(
    "AtomicBinOp",
    *("xchg", "add", "sub", "_and", "nand", "_or", "_xor", "max", "min", "umax", "umin"),
    *("fadd", "fsub", "fmax", "fmin", "uinc_wrap", "udec_wrap", "usub_cond", "usub_sat"),
)
LLVM_ICMP = _numbered_wide("ICmpPredicate", "eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
LLVM_FCMP = _numbered_wide(
    "FCmpPredicate",
    *("_false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord"),
    *("ueq", "ugt", "uge", "ult", "ule", "une", "uno", "_true"),
)
ASM_DIALECT = _numbered_wide("AsmDialect", "att", "intel")
# Codes of vISA's DPAS instruction.
DPAS_PRECISION = EnumConstraint(
    "PrecisionType",
    {
        **{"unused": 0, "u8": 1, "u4": 2, "u2": 3, "i8": 4, "i4": 5, "i2": 6},
        **{"bf8": 7, "hf8": 8, "tf32": 10, "bf16": 11, "f16": 12, "e2m1": 13},
    },
)
