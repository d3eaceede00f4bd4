"""Demand-driven execution of emitted LLVM-dialect code on the names of elements."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import cast

import numpy as np
from xdsl.ir import Block, Operation, OpResult, SSAValue

from dotload.dialect_ext.typed import number_of
from dotload.layout.block_message import Message, Mode
from dotload.layout.xe_messages import Emit
from dotload.layout.xe_targets import XeTarget
from dotload.passes.block_load.validation.messages import Sent, receive
from dotload.passes.block_load.validation.names import (
    UNKNOWN,
    Array,
    Coordinates,
    Data,
    Numbers,
    Value,
    Wrong,
)
from dotload.passes.block_load.validation.operations import LANE_HANDLERS, LaneOperations, vector_of

_OPENCL = re.compile(r"intel_sub_group_2d_block_read(?P<mode>|_transform|_transpose)_(?P<bits>\d+)b_(?P<rows>\d+)r"
                     r"(?P<columns>\d+)x(?P<blocks>\d+)cPU3AS1viiiDv2_iP(?P<element>[htjm])$")  # fmt: skip
_SPIRV = re.compile(r"__spirv_Subgroup2DBlockLoad(?P<mode>|Transform|Transpose)INTELiiiiPU3AS1viiiDv2_iPv$")
_MODES = {"": Mode.PLAIN, "transform": Mode.TRANSFORM, "transpose": Mode.TRANSPOSE}
MOST_TIMES = 64  # the most iterations of a loop: more than a message has rows
_ELEMENT_BYTES = {"h": 1, "t": 2, "j": 4, "m": 8}


class Interpreter(LaneOperations):
    """Values of the code in a block, in the warps with these numbers; `inputs` are those from outside the block.

    The `active` warps have taken the branches around the block; None for all warps.
    """

    def __init__(
        self,
        inputs: Mapping[SSAValue, Value],
        warps: Array,
        lanes: int,
        target: XeTarget,
        block: Block,
        active: Array | None = None,
    ):
        super().__init__(len(warps), lanes)
        self.active = cast("Array", np.ones(len(warps), dtype=bool)) if active is None else active
        self.numbers_of_warps = warps
        self.target = target
        self.block = block
        self.widest_bytes = 4  # bytes of an element of the widest message so far, at least a word: unit of x, bases
        self.known.update(inputs)
        self._calls: dict[Block, dict[SSAValue, list[Operation]]] = {}

    def value(self, asked: SSAValue) -> Value:
        """The value of `asked`; the values that it needs are computed first, without recursion."""
        waiting = [asked]
        while waiting:
            value = waiting[-1]
            if value in self.known:
                waiting.pop()
                continue
            op = self._maker(value)
            missing = [need for need in self._needs(op) if need not in self.known]
            if missing:
                waiting += missing
                continue
            self._run(op)
            waiting.pop()
        return self.known[asked]

    def _maker(self, value: SSAValue) -> Operation:
        if not isinstance(value, OpResult):
            raise Wrong("a value that nothing makes")
        return value.op

    def _needs(self, op: Operation) -> list[SSAValue]:
        needs = list(op.operands)
        if op.name == "llvm.load":
            call = self._filling(op)
            needs = [operand for operand in call.operands if operand is not op.operands[0]]
            needs += self._guards(op)
        elif op.name == "triton_gen.2Dblockload":
            needs += self._guards(op)
        elif op.name == "scf.if" and op.operands[0] in self.known:
            needs += [yielded for block in self._taken(op) for yielded in _yielded(block)]
        elif op.name == "scf.for":
            needs += [*_from_outside(op.regions[0].block), *self._guards(op)]
        return needs

    def _taken(self, branch: Operation) -> Iterator[Block]:
        """The blocks of a branch that any warp reaches."""
        holds = self.numbers(branch.operands[0]).uniform("the condition of a branch") != 0
        for region, reached in zip(branch.regions, (holds.any(), not holds.all()), strict=True):
            if reached:
                yield region.block

    def _branches(self, op: Operation) -> Iterator[tuple[Operation, Block]]:
        """The branches around an op within the block, and the branch's block that holds the op."""
        inside = op.parent
        while inside is not None and inside is not self.block:
            parent = inside.parent_op()
            if parent is None or parent.name != "scf.if":
                return
            yield parent, inside
            inside = parent.parent

    def _guards(self, op: Operation) -> list[SSAValue]:
        """The conditions of the branches around an op."""
        return [branch.operands[0] for branch, _ in self._branches(op)]

    def _active(self, op: Operation) -> Array:
        """The warps that reach an op."""
        active = self.active
        for branch, block in self._branches(op):
            holds = self.numbers(branch.operands[0]).uniform("the condition of a branch") != 0
            active = active & (holds if block is branch.regions[0].block else ~holds)
        return active

    def _filling(self, load: Operation) -> Operation:
        """The call that last wrote to the memory that is loaded from."""
        pointer, block = load.operands[0], load.parent
        if block is None or self._maker(pointer).name != "llvm.alloca":
            raise Wrong("a load from memory that is not the function's own")
        if block not in self._calls:
            written: dict[SSAValue, list[Operation]] = {}
            for op in block.ops:
                if op.name == "llvm.call" and op.operands:
                    written.setdefault(op.operands[-1], []).append(op)
            self._calls[block] = written
        before = [call for call in self._calls[block].get(pointer, []) if call.is_before_in_block(load)]
        if not before:
            raise Wrong("a load from memory that no message has filled")
        return before[-1]

    def _run(self, op: Operation) -> None:
        if op.name in _REGIONS:
            _REGIONS[op.name](self, op)
            return
        handler = _HANDLERS.get(op.name) or LANE_HANDLERS.get(op.name)
        if handler is None:
            raise Wrong(f"{op.name} is not an op that a load is made of")
        self.known[op.results[0]] = handler(self, op)

    # Ops of a subgroup

    def subgroup_id(self, _op: Operation) -> Value:
        return Numbers(np.broadcast_to(self.numbers_of_warps[:, None], (self.warps, self.lanes)), 32)

    def lane_id(self, _op: Operation) -> Value:
        return Numbers(np.broadcast_to(np.arange(self.lanes, dtype=np.int64), (self.warps, self.lanes)), 32)

    def call(self, op: Operation) -> Value:
        name = _callee(op)
        if name == "_Z16get_sub_group_id":
            return self.subgroup_id(op)
        if name == "_Z22get_sub_group_local_id":
            return self.lane_id(op)
        if name == "_Z17sub_group_shufflelj":
            lane = self.numbers(op.operands[1]).uniform("the lane of a shuffle") % self.lanes
            shuffled = self.numbers(op.operands[0]).values[np.arange(self.warps), lane]
            return Numbers(np.broadcast_to(shuffled[:, None], (self.warps, self.lanes)), 64)
        if name == "_Z21sub_group_shuffle_xorjj":
            word, mask = self.data(op.operands[0]), self.numbers(op.operands[1]).uniform("the mask of a shuffle")
            lanes = np.arange(self.lanes) ^ mask[:, None]
            if word.element_bytes != 4 or (lanes >= self.lanes).any() or (lanes < 0).any():
                raise Wrong("a shuffle with lanes that are not there")
            return Data(np.take_along_axis(word.names, lanes[..., None], axis=1), 4)
        raise Wrong(f"a call of {name}")

    def block_load(self, op: Operation) -> Value:
        read = op.properties
        bits, rows, columns, blocks = (
            cast("int", number_of(read[name]))
            for name in ("elem_size_in_bits", "tile_height", "tile_width", "v_blocks")
        )
        transpose, transform = (bool(number_of(read[name])) for name in ("transpose", "vnni_transform"))
        mode = Mode.TRANSPOSE if transpose else Mode.TRANSFORM if transform else Mode.PLAIN
        length, size = vector_of(op.results[0].type)
        surface = [self.numbers(operand) for operand in op.operands]
        return self._receive(op, Message(mode, bits, rows, columns, blocks), Emit.TRITON_GEN, surface, length, size)

    def loaded(self, op: Operation) -> Value:
        call = self._filling(op)
        length, size = vector_of(op.results[0].type)
        if match := _OPENCL.search(_callee(call)):
            sizes = (int(match[part]) for part in ("bits", "rows", "columns", "blocks"))
            form, emit, first = Message(_MODES[match["mode"].strip("_").lower()], *sizes), Emit.OPENCL, 0
            size = _ELEMENT_BYTES[match["element"]] if _ELEMENT_BYTES[match["element"]] == size else 0
        elif match := _SPIRV.search(_callee(call)):
            bytes_, columns, rows, blocks = (
                int(self.numbers(operand).uniform("the size of a message")[0]) for operand in call.operands[:4]
            )
            form, emit, first = (
                Message(_MODES[match["mode"].strip("_").lower()], bytes_ * 8, rows, columns, blocks),
                Emit.SPIRV,
                4,
            )
        else:
            raise Wrong(f"a call of {_callee(call)}")
        *surface, place = call.operands[first:-1]
        corner = self.known[place]
        if not isinstance(corner, Coordinates) or None in corner.entries or len(corner.entries) != 2:
            raise Wrong("coordinates that are not two numbers")
        operands = [*map(self.numbers, surface), *cast("tuple[Numbers, ...]", corner.entries)]
        return self._receive(op, form, emit, operands, length, size)

    def _receive(
        self, op: Operation, form: Message, emit: Emit, surface: Sequence[Numbers], length: int, size: int
    ) -> Value:
        if not size:
            raise Wrong(f"{form} gives elements of another size")
        sent = Sent(form, emit, *surface, result_bytes=size, length=length)
        self.widest_bytes = max(self.widest_bytes, form.element_bits // 8)
        active = self._active(op)
        got = receive(sent, self.target, active)
        return Data(np.where(active[:, None, None], got.names, UNKNOWN), got.element_bytes)

    def branch(self, op: Operation) -> None:
        holds = self.numbers(op.operands[0]).uniform("the condition of a branch") != 0
        taken = [[self.data(value) for value in _yielded(block)] for block in self._taken(op)]
        for result, each in zip(op.results, zip(*taken, strict=True), strict=True):
            one, two = each[0], each[-1]
            names = cast("Array", np.where(holds[:, None, None], one.names, two.names))
            self.known[result] = Data(names, one.element_bytes)

    def loop(self, op: Operation) -> None:
        body, active = op.regions[0].block, self._active(op)
        start, end, step = (int(self.numbers(bound).uniform("a bound of a loop")[0]) for bound in op.operands[:3])
        if step <= 0 or (end - start) // step > MOST_TIMES:
            raise Wrong(f"a loop from {start} to {end} by {step}")
        carried = [self.known[value] for value in op.operands[3:]]
        for number in range(start, end, step):
            inputs = {
                **self.known,
                body.args[0]: self.splat(number, 32),
                **dict(zip(body.args[1:], carried, strict=True)),
            }
            once = Interpreter(inputs, self.numbers_of_warps, self.lanes, self.target, body, active)
            carried = [once.value(value) for value in _yielded(body)]
        self.known.update(zip(op.results, carried, strict=True))


_REGIONS: dict[str, Callable[[Interpreter, Operation], None]] = {
    "scf.if": Interpreter.branch,
    "scf.for": Interpreter.loop,
}
_HANDLERS: dict[str, Callable[[Interpreter, Operation], Value]] = {
    "gpu.subgroup_id": Interpreter.subgroup_id,
    "llvm.call": Interpreter.call,
    "llvm.load": Interpreter.loaded,
    "triton_gen.2Dblockload": Interpreter.block_load,
}


def _yielded(block: Block) -> Sequence[SSAValue]:
    last = block.last_op
    return () if last is None else last.operands


def _from_outside(block: Block) -> Iterator[SSAValue]:
    """The values from outside a block that its ops use, except the memory that messages write to."""
    inside = {value for op in block.walk() for value in op.results}.union(block.args)
    for op in block.walk():
        for value in op.operands:
            if value not in inside and getattr(value.owner, "name", "") != "llvm.alloca":
                yield value


def _callee(call: Operation) -> str:
    return str(call.properties.get("callee")).removeprefix("@").strip('"')
