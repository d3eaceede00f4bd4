"""One 2D block message on names: the byte of memory that each lane gets, by the formula of the instruction's payload.

With ES bytes per element, q = 4 / ES, and blocks padded to whole registers of 64 bytes, element e of the payload is

    plain       b * block + y * W + x
    transform   b * block + (y / q) * q * W + x * q + y % q
    transpose   x * H + y

Lanes take the payload's bytes in turn, one result element each (vISA LSC_UNTYPED; cl_intel_subgroup_2d_block_io).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dotload.layout.block_message import Message, Mode
from dotload.layout.xe_messages import Emit, form_problem
from dotload.layout.xe_targets import XeTarget
from dotload.passes.block_load.validation.names import ZERO, Array, Data, Numbers, Wrong, shaped

_REGISTER_BYTES = 64


@dataclass(frozen=True)
class Sent:
    """A message as written in the code: its form, its spelling, its operands, and the type of a lane's result."""

    form: Message
    emit: Emit
    base: Numbers
    width: Numbers
    height: Numbers
    pitch: Numbers
    x: Numbers
    y: Numbers
    result_bytes: int  # of one element of the vector
    length: int


def receive(sent: Sent, target: XeTarget, active: Array) -> Data:
    """What every lane gets; raises Wrong if the hardware rejects the message. `active`: the warps that send it."""
    warps, lanes = sent.x.values.shape
    if (problem := form_problem(sent.emit, sent.form, lanes)) is not None:
        raise Wrong(f"{sent.form}: {problem}")
    base, width, height, pitch, x, y = (
        numbers.uniform(f"{name} of {sent.form}")
        for name, numbers in (
            ("the base", sent.base),
            ("the width", sent.width),
            ("the height", sent.height),
            ("the pitch", sent.pitch),
            ("x", sent.x),
            ("y", sent.y),
        )
    )
    size = sent.form.element_bits // 8
    _obey(sent.form, target, [part[active] for part in (base, width, pitch, x * size)])
    column, row = x[:, None] + _places(sent.form)[1], y[:, None] + _places(sent.form)[0]
    inside = (column >= 0) & (column * size < width[:, None]) & (row >= 0) & (row < height[:, None])
    address = base[:, None] + row * pitch[:, None] + column * size
    octets = address[..., None] + np.arange(size)
    octets = shaped(np.where(inside[..., None], octets, ZERO), warps, -1)
    if octets.shape[1] != sent.length * sent.result_bytes * lanes:
        raise Wrong(f"{sent.form} does not fill a vector of {sent.length} x {8 * sent.result_bytes} bits")
    dealt = np.swapaxes(shaped(octets, warps, sent.length, lanes, sent.result_bytes), 1, 2)
    return Data(shaped(dealt, warps, lanes, -1), sent.result_bytes)


def _obey(form: Message, target: XeTarget, operands: list[Array]) -> None:
    """Check the rules for run-time values."""
    base, width, pitch, x_bytes = operands
    unit, step = max(4, form.element_bits // 8), target.pitch_multiple_bytes
    rules = (
        (base % target.base_multiple_bytes == 0, f"the base is not a multiple of {target.base_multiple_bytes} bytes"),
        (width >= target.min_width_bytes, f"the width is less than {target.min_width_bytes} bytes"),
        (width % unit == 0, f"the width is not a multiple of {unit} bytes"),
        (pitch >= width, "the pitch is less than the width"),
        (pitch % step == 0, f"the pitch is not a multiple of {step} bytes"),
        (x_bytes % 4 == 0, "x is not a multiple of 4 bytes"),
    )
    for holds, text in rules:
        if not holds.all():
            raise Wrong(f"{form}: {text}")


def _places(form: Message) -> tuple[Array, Array]:
    """The row and column of every element of the payload, in the payload's order."""
    size, width, height = form.element_bits // 8, form.columns, form.rows
    if form.mode is Mode.TRANSPOSE:
        at = np.arange(width * height)
        return at % height, at // height
    if form.blocks > 1 and width * height * size < _REGISTER_BYTES:
        raise Wrong(f"{form}: blocks smaller than a register")
    q = 4 // size if form.mode is Mode.TRANSFORM else 1
    block, inside = np.divmod(np.arange(form.blocks * width * height), width * height)
    group, rest = np.divmod(inside, q * width)
    return group * q + rest % q, block * width + rest // q
