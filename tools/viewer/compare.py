"""Two layouts of one tensor side by side: an access if one is shared memory, else the conversion between them."""

from __future__ import annotations

from dataclasses import replace

from dotload.layout.access import (
    Addresses,
    Direction,
    addresses,
    matrix_access,
    shared_access,
    transposed_matrix_access,
    vector_access,
)
from dotload.layout.linear import LayoutError, LinearLayout
from dotload.tools.viewer.picture import Picture, bank_picture, held_tensor, pictures_of, shared_tensor
from dotload.tools.viewer.source import Subject, UserError


def compare_text(first: Subject, second: Subject) -> str:
    """The access or conversion from the first layout to the second."""
    if first.is_shared and second.is_shared:
        raise UserError("error: both layouts are of shared memory; compare one of registers with it")
    if first.is_shared or second.is_shared:
        return "\n".join(_access_lines(first, second)) + "\n"
    return _conversion_text(first, second)


def compare_pictures(first: Subject, second: Subject) -> list[Picture]:
    """Both layouts, and for an access its banks."""
    if first.is_shared == second.is_shared:
        return [held_tensor(first), held_tensor(second)]
    registers, memory, direction = _roles(first, second)
    where = _addresses(registers, memory)
    heat = bank_picture(where, shared_access(where, direction), f"{direction}: distinct words in each bank")
    return [heat, _with_memory(held_tensor(registers), shared_tensor(memory)), *pictures_of(memory)]


def _with_memory(held: Picture, lies: Picture) -> Picture:
    """The registers' picture, with the place of each element in memory added."""
    return replace(held, fields={**held.fields, **{name: lies.fields[name] for name in ("offset", "byte", "bank")}})


def _roles(first: Subject, second: Subject) -> tuple[Subject, Subject, Direction]:
    """(registers, memory, direction): from registers to memory is a store."""
    return (second, first, "load") if first.is_shared else (first, second, "store")


def _addresses(registers: Subject, memory: Subject) -> Addresses:
    try:
        return addresses(registers.layout, memory.layout, registers.element_bits)
    except LayoutError as error:
        raise UserError(f"error: {error}") from None


def _access_lines(first: Subject, second: Subject) -> list[str]:
    registers, memory, direction = _roles(first, second)
    where = _addresses(registers, memory)
    chosen = shared_access(where, direction)
    lines = [f"{direction}: {registers.name} {'from' if direction == 'load' else 'to'} {memory.name}"]
    rows = [
        ("matrix", matrix_access(where, direction)),
        ("matrix, transposed", transposed_matrix_access(where, direction)),
    ]
    rows.append(("vector", vector_access(where, direction)))
    for name, access in rows:
        if access is None:
            lines.append(f"  {name:<20} the layouts do not have its pattern")
            continue
        ways = f"{access.conflict_ways}-way conflict" if access.conflict_ways > 1 else "no conflict"
        picked = "   <- what Triton's lowering picks" if access == chosen else ""
        lines.append(
            f"  {name:<20} {access.mnemonic}: {access.instructions} a warp x {access.wavefronts} wavefronts x "
            f"{access.warps} warps = {access.total_wavefronts}, {ways}{picked}"
        )
    return lines


def _conversion_text(first: Subject, second: Subject) -> str:
    try:
        source_of = second.layout.invert_and_compose(first.layout)
    except LayoutError as error:
        raise UserError(f"error: no conversion: {error}") from None
    return (
        f"conversion: {first.name} -> {second.name}\n"
        f"moved {distance(source_of)}\n"
        f"where each register of the result comes from:\n{source_of}\n"
    )


def distance(source_of: LinearLayout) -> str:
    """How far the data moves: the widest of register, lane and warp that changes."""
    for name, words in (
        ("block", "between blocks of the cluster"),
        ("warp", "between warps: through shared memory"),
        ("lane", "between lanes of a warp: by shuffles"),
        ("register", "between registers of a lane: by renaming"),
    ):
        if name in source_of.out_sizes and not _is_identity(source_of, name):
            return words
    return "nowhere: the layouts are the same"


def _is_identity(source_of: LinearLayout, name: str) -> bool:
    at = source_of.out_dims.index(name)
    own = [basis[at] for basis in source_of.bases.get(name, ())]
    crossed = any(basis[at] for dim, bases in source_of.in_items if dim != name for basis in bases)
    return not crossed and own == [1 << bit if any(source_of.bases[name][bit]) else 0 for bit in range(len(own))]
