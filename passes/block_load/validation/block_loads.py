"""The semantics of a 2D block load, element by element, and whether the emitted code implements them.

The code runs for several settings of base, width, height, pitch, x and y: across the upper edges of its memory, far
inside it, and across its lower edges. In each, every register of every lane of every warp must hold the bytes that the
encoding says belong there: addresses for elements inside, zeros (or NaN) for those outside. Loads through pointers
likewise, with masks that hold back some, none and all of the elements.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from xdsl.ir import SSAValue

from dotload.dialect_ext.ttig import BlockLoadFromPtrOp, BlockLoadOp
from dotload.dialect_ext.typed import tensor_type
from dotload.layout.xe_targets import XeTarget
from dotload.passes.block_load.validation.interpreter import Interpreter
from dotload.passes.block_load.validation.names import (
    OTHERS,
    ZERO,
    Array,
    Data,
    Fields,
    Numbers,
    Struct,
    Undefined,
    Value,
    Wrong,
    literals,
    shaped,
)
from dotload.passes.block_load.validation.settings import MEMORY, ROOM, Steps, Tensor, settings, settle


@dataclass(frozen=True)
class Groups:
    """Rows and columns within which a tensor's pointers have one pitch, of at least `least_pitch` bytes, and its mask
    is constant. With `repeated_rows`, all of its rows are the same. For a load from a region, x is a multiple of
    `x_multiple`, and nonnegative if that is 0.
    """

    rows: int = 1 << 30
    columns: int = 1 << 30
    repeated_rows: bool = False
    least_pitch: int = 1 << 30
    x_multiple: int = 1
    dense: bool = True


ANYWHERE = Groups()

Trial = tuple[Mapping[SSAValue, Value], Array]
"""The inputs, and the names that must come out: [warp, lane, register, byte]."""


def wrong_registers(
    load: BlockLoadOp | BlockLoadFromPtrOp,
    struct: SSAValue,
    target: XeTarget,
    groups: Groups = ANYWHERE,
) -> str | None:
    """What is wrong with the struct that was emitted for a load; None if it is right.

    `groups`: how the pointers and the mask run, for a load through pointers. The load's operands must still exist.
    """
    tensor = Tensor.of(tensor_type(load.result), row_major=load.is_row_major)
    runs: list[Interpreter] = []
    block = load.parent
    assert block is not None

    def step_bytes() -> int:
        return runs[-1].widest_bytes if runs else 8

    if isinstance(load, BlockLoadOp):
        trials = _region_trials(load, tensor, groups, step_bytes)
    else:
        trials = _pointer_trials(load, tensor, groups, step_bytes)
    try:
        for inputs, wanted in trials:
            runs.append(Interpreter(inputs, tensor.warps, tensor.shape[1], target, block))
            _compare(runs[-1].value(struct), wanted)
    except Wrong as error:
        return str(error)
    return None


def _compare(value: Value, wanted: Array) -> None:
    registers = wanted.shape[2]
    fields: dict[int, Value] = {}
    while isinstance(value, Struct):
        fields.setdefault(value.position, value.value)
        value = value.below if value.below is not None else Undefined()
    if sorted(fields) != list(range(registers)):
        raise Wrong(f"{len(fields)} of {registers} registers are there")
    held = [_bytes_of(fields[register]) for register in range(registers)]
    if any(names.shape[2] != wanted.shape[3] for names in held):
        raise Wrong("elements of another size")
    differs = np.argwhere((np.stack(held, axis=2) != wanted).any(axis=3))
    if differs.size:
        warp, lane, register = differs[0].tolist()
        text = f"register {register} of lane {lane} of warp {warp} does not hold its element"
        raise Wrong(f"{text}, and {len(differs) - 1} more of {wanted[..., 0].size} do not")


def _bytes_of(value: Value) -> Array:
    if isinstance(value, Numbers):
        value = value.names()
    if not isinstance(value, Data):
        raise Wrong("a register without an element")
    return value.names


# Loads from a region of memory, or of several planes


def _region_trials(load: BlockLoadOp, tensor: Tensor, groups: Groups, step_bytes: Steps) -> Iterator[Trial]:
    if tensor.plane.any() and not load.planes:
        raise Wrong("a block load from one region has elements of several planes")
    for wished in settings(tensor, groups.x_multiple, step_bytes, dense=groups.dense):
        setting, inputs = settle(load, wished, tensor, dense=groups.dense)
        row, column = tensor.row + setting.y, tensor.column + setting.x
        inside = (row >= 0) & (row < setting.height) & (column >= 0) & (column * tensor.element_bytes < setting.width)
        address = setting.base + row * setting.pitch + column * tensor.element_bytes
        for part, (first, count, stride) in zip(tensor.planes, setting.planes, strict=False):
            inside &= (first + part >= 0) & (first + part < count)
            address = address + (first + part) * stride
        octets = tensor.octets(address)
        outside = np.array(literals(tensor.nan)) if load.pad_nan is not None else ZERO
        yield inputs, np.where(inside[..., None], octets, outside)


# Loads through pointers


def _pointer_trials(load: BlockLoadFromPtrOp, tensor: Tensor, groups: Groups, step_bytes: Steps) -> Iterator[Trial]:
    """Masks that let through some groups, all and none of them; and the least pitch."""
    size = tensor.element_bytes
    wide = -(-(max(64, tensor.columns * size) + ROOM) // 16) * 16
    least = min(wide, -(-groups.least_pitch // 16) * 16)
    row = np.zeros_like(tensor.row) if groups.repeated_rows else tensor.row
    down, across = row // groups.rows, tensor.column // groups.columns
    some: Array = (down * 3 + across * 5 + tensor.plane) % 2
    all_, none = down * 0 + 1, down * 0
    for skew, mask, pitch in ((56, some, wide), (60, all_, wide), (4, none, wide), (60, all_, least), (4, some, least)):
        # Groups lie at arbitrary places, far apart.
        step = max(8 if skew == 56 else step_bytes(), size)
        start = MEMORY + (down * 7919 + across * 104729 + tensor.plane * 1299709) * 8192 + (skew & -step)
        addresses = start + (row % groups.rows) * pitch + (tensor.column % groups.columns) * size
        inputs: dict[SSAValue, Value] = {load.base_pitch: tensor.number(pitch, 32), load.ptrs: _numbers(addresses, 64)}
        octets = tensor.octets(addresses)
        if load.mask is None:
            yield inputs, octets
            continue
        others = OTHERS - shaped(np.arange(octets.size, dtype=np.int64), *octets.shape)
        zero = load.other is None or _is_zero(load.other)
        if load.other is not None:
            inputs[load.other] = Fields(tuple(Data(others[:, :, at], size) for at in range(octets.shape[2])))
        inputs[load.mask] = _numbers(mask, 1)
        yield inputs, np.where(mask[..., None] != 0, octets, ZERO if zero else others)


def _numbers(values: Array, bits: int) -> Fields:
    return Fields(tuple(Numbers(values[:, :, register], bits) for register in range(values.shape[2])))


def _is_zero(value: SSAValue) -> bool:
    owner = value.owner
    constant = getattr(owner, "properties", {}).get("value")
    return constant is not None and not any(constant.get_values())
