"""The subset of LLVM IR that the emulator runs. Anything else is refused: it might access memory unchecked, jump
anywhere, or abort the code generator."""

from __future__ import annotations

import re

from dotload.emulator.accesses import MEMORY
from dotload.emulator.errors import EmulatorError

OPCODES = frozenset(
    """fneg add fadd sub fsub mul fmul udiv sdiv fdiv urem srem frem shl lshr ashr and or xor extractelement
    insertelement shufflevector extractvalue insertvalue trunc zext sext fptrunc fpext fptoui fptosi uitofp sitofp
    ptrtoint ptrtoaddr inttoptr bitcast addrspacecast icmp fcmp phi select freeze getelementptr alloca load store
    atomicrmw cmpxchg fence call ret br switch unreachable""".split()
)

# LLVM's intrinsics that only compute with values, or are hints to the optimizer.
PURE = frozenset(
    """abs smax smin umax umin scmp ucmp bswap bitreverse ctpop ctlz cttz fshl fshr sadd.with.overflow
    uadd.with.overflow ssub.with.overflow usub.with.overflow smul.with.overflow umul.with.overflow sadd.sat uadd.sat
    ssub.sat usub.sat sshl.sat ushl.sat sqrt powi sin cos tan asin acos atan atan2 sinh cosh tanh pow exp exp2 exp10
    log log10 log2 fma fmuladd fabs minnum maxnum minimum maximum copysign floor ceil trunc rint nearbyint round
    roundeven lround llround lrint llrint is.fpclass canonicalize ldexp frexp fptosi.sat fptoui.sat
    convert.to.fp16 convert.from.fp16 vector.reduce.add vector.reduce.mul vector.reduce.and vector.reduce.or
    vector.reduce.xor vector.reduce.smax vector.reduce.smin vector.reduce.umax vector.reduce.umin vector.reduce.fadd
    vector.reduce.fmul vector.reduce.fmax vector.reduce.fmin vector.reduce.fmaximum vector.reduce.fminimum
    vector.insert vector.extract vector.reverse vector.splice vector.interleave2 vector.deinterleave2 stepvector
    get.active.lane.mask assume expect expect.with.probability lifetime.start lifetime.end sideeffect donothing
    experimental.noalias.scope.decl prefetch ptrmask""".split()
)
TRAPS = frozenset({"trap", "debugtrap", "ubsantrap"})

_MANGLED_TYPE = re.compile(r"(v\d+)?(i\d+|f16|bf16|f32|f64|p\d+)")
# Lines are parsed by patterns, which names with brackets, commas or blanks could mislead.
_ODD_NAME = re.compile(r'(?:[%@]|^|\$)"[^"]*[^-\w.$:/~*&+"][^"]*"')
_QUOTED = re.compile(r'"[^"]*"')
_BARE = r"(?<![-%@\w.$])"
_OTHER_TYPES = re.compile(rf"{_BARE}(fp128|x86_fp80|ppc_fp128|x86_amx|vscale|target(?=\())")
_INTEGER = re.compile(rf"{_BARE}i(\d+)\b")
_VECTOR = re.compile(r"<(\d+) x ")
_ARRAY = re.compile(r"\[(\d+) x ")
_SPACE = re.compile(r"addrspace\((\d+)\)")
_PASSED_BY_COPY = re.compile(rf"{_BARE}(byval|inalloca|preallocated)\(")
# Limits of this machine's code generator; Intel's backend stays far below them.
_MOST_INTEGER_BITS, _MOST_ELEMENTS = 128, 1024
_LAST_SPACE = 8  # higher numbers are segments and short pointers on x86


def intrinsic_family(symbol: str) -> str | None:
    """`llvm.memcpy.p0.p1.i64` -> `memcpy`; None for an intrinsic that is not emulated."""
    parts = symbol.split(".")[1:]
    for count in range(len(parts), 0, -1):
        family = ".".join(parts[:count])
        if family in PURE or family in TRAPS or family in MEMORY:
            return family
        if not _MANGLED_TYPE.fullmatch(parts[count - 1]):
            break
    return None


def check_line(line: str) -> None:
    """Raise EmulatorError for a line of a function that is not emulated."""
    if _ODD_NAME.search(line):
        _refuse("names with such characters", line)
    text = _QUOTED.sub('""', line)
    if match := _OTHER_TYPES.search(text) or _PASSED_BY_COPY.search(text):
        _refuse(match[1], line)
    if any(int(bits) > _MOST_INTEGER_BITS for bits in _INTEGER.findall(text)):
        _refuse(f"integers of more than {_MOST_INTEGER_BITS} bits", line)
    if any(int(count) > _MOST_ELEMENTS for count in _VECTOR.findall(text)):
        _refuse(f"vectors of more than {_MOST_ELEMENTS} elements", line)
    in_memory = re.search(r"= alloca |\bgetelementptr ", text)
    if not in_memory and any(int(count) > _MOST_ELEMENTS for count in _ARRAY.findall(text)):
        _refuse(f"arrays of more than {_MOST_ELEMENTS} elements as values", line)
    if any(int(space) > _LAST_SPACE for space in _SPACE.findall(text)):
        _refuse(f"address spaces above {_LAST_SPACE}", line)


def check_opcode(opcode: str, line: str) -> None:
    """Raise EmulatorError for an instruction that is not emulated."""
    if opcode not in OPCODES:
        _refuse(f"the instruction {opcode}", line)


def _refuse(what: str, line: str) -> None:
    raise EmulatorError(f"not emulated: {what}: {line.strip()[:120]}")
