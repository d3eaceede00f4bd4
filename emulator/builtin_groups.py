"""Group builtins other than 2D blocks and matrices: ids, barriers, shuffles, reductions, votes, 1D block accesses."""

from __future__ import annotations

import re
from functools import partial

from dotload.emulator.builtins import SLOT_BYTES, Builtin, Family, Signature, collective, constant
from dotload.emulator.errors import EmulatorError
from dotload.emulator.sites import Kind, Site
from dotload.emulator.types import byte_size, vector

# --- Ids and sizes: numbered as xe_query of emulator/native/machine.cpp ---------------------------------------------

_QUERIES = {
    "get_group_id": 0,
    "__spirv_BuiltInWorkgroupId": 0,
    "get_num_groups": 1,
    "__spirv_BuiltInNumWorkgroups": 1,
    "get_local_id": 2,
    "__spirv_BuiltInLocalInvocationId": 2,
    "get_local_size": 3,
    "get_enqueued_local_size": 3,
    "__spirv_BuiltInWorkgroupSize": 3,
    "get_global_id": 4,
    "__spirv_BuiltInGlobalInvocationId": 4,
    "get_global_size": 5,
    "__spirv_BuiltInGlobalSize": 5,
    "get_sub_group_id": 6,
    "__spirv_BuiltInSubgroupId": 6,
    "get_num_sub_groups": 7,
    "__spirv_BuiltInNumSubgroups": 7,
    "get_sub_group_local_id": 8,
    "__spirv_BuiltInSubgroupLocalInvocationId": 8,
    "get_sub_group_size": 9,
    "get_max_sub_group_size": 9,
    "__spirv_BuiltInSubgroupSize": 9,
}


def _query(match: re.Match[str], signature: Signature, _lanes: int) -> Builtin:
    number = _QUERIES[match[0]]
    dimension = "%p0" if signature.parameters else "0"
    lines = [f"  %wide = call i64 @xe_query(i32 {number}, i32 {dimension})"]
    if signature.result == "i64":
        return Builtin("\n".join([*lines, "  ret i64 %wide"]))
    lines.append(f"  %value = trunc i64 %wide to {signature.result}")
    return Builtin("\n".join([*lines, f"  ret {signature.result} %value"]))


# --- Barriers -------------------------------------------------------------------------------------------------------

_SCOPE_WORKGROUP, _SCOPE_SUBGROUP = 2, 3  # SPIR-V Scope


def _barrier(match: re.Match[str], signature: Signature, _lanes: int) -> Builtin:
    across = match[0] != "sub_group_barrier"
    site = Site(Kind.BARRIER, "barrier" if across else "sub_group_barrier", operation=int(across))
    return Builtin(collective(signature.result, []), lambda _arguments: site)


def _control_barrier(match: re.Match[str], signature: Signature, _lanes: int) -> Builtin:
    """The halves of a split barrier: the first does nothing, and the second is a whole barrier."""
    signature.need(3)

    def site(arguments: tuple[str, ...]) -> Site:
        scope = constant(arguments, 0, "the scope of a barrier")
        if scope not in (_SCOPE_WORKGROUP, _SCOPE_SUBGROUP):
            raise EmulatorError(f"{match[0]}: scope {scope} is neither Workgroup (2) nor Subgroup (3)")
        across = scope == _SCOPE_WORKGROUP and match["half"] != "Arrive"
        return Site(Kind.BARRIER, "barrier" if across else "sub_group_barrier", operation=int(across))

    return Builtin(collective(signature.result, []), site)


def _fence(_match: re.Match[str], _signature: Signature, _lanes: int) -> Builtin:
    """A fence does nothing: lanes share one memory and run in turns."""
    return Builtin("  ret void")


# --- Shuffles -------------------------------------------------------------------------------------------------------

_SHUFFLES = {"": 0, "up": 1, "down": 2, "xor": 3}  # ShuffleOperation of emulator/native/collectives.cpp


def _shuffle_site(way: str, signature: Signature, value: str) -> Site:
    if byte_size(value) > SLOT_BYTES:
        raise EmulatorError(f"{signature.name}: a value of {byte_size(value)} bytes, at most {SLOT_BYTES} are shuffled")
    label = f"shuffle_{way}" if way else "shuffle"
    return Site(Kind.SHUFFLE, label, operation=_SHUFFLES[way], element_bytes=byte_size(value))


def _shuffle(match: re.Match[str], signature: Signature, _lanes: int, *, first: int) -> Builtin:
    """Parameter `first` is the value, the next one the lane, distance or mask."""
    signature.need(first + 2)
    value, by = signature.parameters[first : first + 2]
    if by != "i32":
        raise EmulatorError(f"{signature.name}: the lane must be an i32, the kernel gives {by}")
    site = _shuffle_site((match["way"] or "").lower(), signature, value)
    body = collective(signature.result, [f"{value} %p{first}", f"i32 %p{first + 1}"])
    return Builtin(body, lambda _arguments: site)


# --- Reductions and scans -------------------------------------------------------------------------------------------

_REDUCTIONS = {"add": 0, "mul": 1, "min": 2, "max": 3, "and": 4, "or": 5, "xor": 6}
_GROUP_OPERATIONS = ("reduce", "scan_inclusive", "scan_exclusive", "clustered_reduce")  # SPIR-V GroupOperation
_TYPES = {"i8": 0, "i16": 2, "i32": 4, "i64": 6, "half": 8, "bfloat": 9, "float": 10, "double": 11}
_UNSIGNED_LETTERS = set("htjm")


def _reduce_site(signature: Signature, operation: str, group: int, value: str, *, unsigned: bool) -> Site:
    if value == "i1":
        value = "i8"
    if value not in _TYPES:
        raise EmulatorError(f"{signature.name}: values of type {value} are not reduced")
    number = _TYPES[value] + (1 if unsigned and value.startswith("i") else 0)
    label = f"{_GROUP_OPERATIONS[group]}_{operation}_{value}"
    size = byte_size(value)
    return Site(Kind.REDUCE, label, _REDUCTIONS[operation], size, blocks=group, result_bytes=size, type=number)


def _reduce_body(signature: Signature, first: int) -> str:
    """A bool is reduced as a byte."""
    value = signature.parameters[first]
    prelude, operand = "", f"{value} %p{first}"
    if value == "i1":
        prelude, operand = f"  %wide = zext i1 %p{first} to i8", "i8 %wide"
    operands = [operand]
    if len(signature.parameters) > first + 1:
        operands.append(f"{signature.parameters[first + 1]} %p{first + 1}")
    return collective(signature.result, operands, prelude)


def _opencl_reduce(match: re.Match[str], signature: Signature, _lanes: int) -> Builtin:
    group = _GROUP_OPERATIONS.index(match["group"])
    signature.need(2 if group == 3 else 1)
    unsigned = signature.mangled_types[:1] in _UNSIGNED_LETTERS
    operation = match["op"].removeprefix("logical_")
    site = _reduce_site(signature, operation, group, signature.parameters[0], unsigned=unsigned)
    return Builtin(_reduce_body(signature, 0), lambda _arguments: site)


def _spirv_reduce(match: re.Match[str], signature: Signature, _lanes: int) -> Builtin:
    """(scope, group operation, value[, cluster size])."""
    operation = (match["op"] or match["bitop"]).lower()

    def site(arguments: tuple[str, ...]) -> Site:
        if constant(arguments, 0, "the scope of a reduction") != _SCOPE_SUBGROUP:
            raise EmulatorError(f"{signature.name}: only reductions within a subgroup (scope 3) are emulated")
        group = constant(arguments, 1, "the group operation")
        if group >= len(_GROUP_OPERATIONS):
            raise EmulatorError(f"{signature.name}: group operation {group} is not one of 0 to 3")
        signature.need(4 if group == 3 else 3)
        unsigned = match["sort"] == "U"
        return _reduce_site(signature, operation, group, signature.parameters[2], unsigned=unsigned)

    return Builtin(_reduce_body(signature, 2), site)


# --- Votes ----------------------------------------------------------------------------------------------------------

_VOTES = {"all": 0, "any": 1, "ballot": 2, "elect": 3}


def _vote(match: re.Match[str], signature: Signature, _lanes: int, *, first: int) -> Builtin:
    """OpenCL votes take and return int, SPIR-V ones bool."""
    operation = match["op"].lower()
    signature.need(first + (operation != "elect"))
    prelude, operands = "", []
    if operation != "elect":
        value = signature.parameters[first]
        prelude = f"  %flag = icmp ne {value} %p{first}, 0\n  %byte8 = zext i1 %flag to i8"
        operands = ["i8 %byte8"]
    result = signature.result
    body = collective(result if operation == "ballot" or result == "i1" else "i1", operands, prelude)
    if operation != "ballot" and result != "i1":
        body = body.replace("  ret i1 %value", f"  %int = zext i1 %value to {result}\n  ret {result} %int")
    site = Site(Kind.VOTE, operation, operation=_VOTES[operation])
    return Builtin(body, lambda _arguments: site)


# --- 1D block accesses (cl_intel_subgroups) -------------------------------------------------------------------------


def _row(match: re.Match[str], signature: Signature, _lanes: int) -> Builtin:
    writes = match["action"] == "write"
    signature.need(2 if writes else 1)
    count, element = vector(signature.parameters[1] if writes else signature.result)
    size = byte_size(element)
    kind = Kind.ROW_WRITE if writes else Kind.ROW_READ
    site = Site(kind, f"{match['action']}_{size * 8}b_x{count}", element_bytes=size, columns=count)
    operands = [f"{type_} %p{index}" for index, type_ in enumerate(signature.parameters)]
    return Builtin(collective(signature.result, operands), lambda _arguments: site)


FAMILIES: tuple[tuple[str, Family], ...] = (
    ("|".join(_QUERIES), _query),
    (r"barrier|work_group_barrier|sub_group_barrier", _barrier),
    (r"__spirv_ControlBarrier(?P<half>Arrive|Wait)?(INTEL)?", _control_barrier),
    (r"mem_fence|read_mem_fence|write_mem_fence|atomic_work_item_fence|__spirv_MemoryBarrier", _fence),
    (r"sub_group_shuffle(_(?P<way>up|down|xor))?", partial(_shuffle, first=0)),
    (r"(intel_sub_group_shuffle|sub_group(_non_uniform)?_broadcast)(_(?P<way>xor))?", partial(_shuffle, first=0)),
    (r"__spirv_SubgroupShuffle(?P<way>Xor)?INTEL", partial(_shuffle, first=0)),
    (r"__spirv_GroupNonUniform(Shuffle|Broadcast)(?P<way>Up|Down|Xor)?", partial(_shuffle, first=1)),
    (r"__spirv_GroupBroadcast(?P<way>)", partial(_shuffle, first=1)),
    (
        r"sub_group(_non_uniform)?_(?P<group>reduce|scan_inclusive|scan_exclusive|clustered_reduce)"
        r"_(?P<op>(logical_)?(add|mul|min|max|and|or|xor))",
        _opencl_reduce,
    ),
    (
        r"__spirv_Group(NonUniform)?((?P<sort>[FISU])(?P<op>Add|Mul|Min|Max)|(Bitwise|Logical)(?P<bitop>And|Or|Xor))",
        _spirv_reduce,
    ),
    (r"sub_group_(non_uniform_)?(?P<op>all|any|ballot|elect)", partial(_vote, first=0)),
    (r"__spirv_Group(NonUniform)?(?P<op>All|Any|Ballot|Elect)", partial(_vote, first=1)),
    (r"intel_sub_group_block_(?P<action>read|write)(_u[csil])?\d*", _row),
)
