"""`pack-operand-conversions`: convert operands of dots to 16 bits on packed words, and compute with them there.

Candidates: `tt.fp_to_fp`, `arith.sitofp` and `arith.uitofp` of a tensor from which a dot's operand is computed, if each
thread has four or two adjacent bytes, or two 32-bit integers that are known to be small.

Emit:

    %w = tt.fp_to_fp %b : tensor<64x128xf8E4M3FN, #dot_op> -> tensor<64x128xbf16, #dot_op>

becomes

    %w = tt.elementwise_inline_asm "{ ... }" {packed_element = 4} %b : ... -> tensor<64x128xbf16, #dot_op>

with PTX from `operand_staging.packed_conversions`, `packed_integers` and `packed_fields`, bit-identical to Triton's
conversion. Masks and shifts of the bytes before it, by which kernels unpack 4-bit values, are done on words as well,
and so are products, sums and differences of the converted values. 8-bit floats become f32 through f16. Two conversions
in a row become one, and fields of bytes are converted before a kernel joins them (`operand_staging.byte_conversions`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, f16, f32
from xdsl.ir import Operation, SSAValue

from dotload.dialect_ext.arith import ExtFOp
from dotload.dialect_ext.traits import is_elementwise
from dotload.dialect_ext.tt_compute import ElementwiseInlineAsmOp, FpToFpOp
from dotload.dialect_ext.ttg import LocalAllocOp, LocalStoreOp
from dotload.dialect_ext.typed import as_tensor, tensor_type
from dotload.dialect_ext.types import element_bits, element_of, with_element
from dotload.layout.nvidia_targets import HOPPER
from dotload.layout.widths import BYTE_BITS, WORD_BITS
from dotload.passes.analysis.fusion import MOVING_REGISTERS
from dotload.passes.analysis.intervals import interval_of
from dotload.passes.analysis.known_elements import Elements, known_elements, origin_of
from dotload.passes.ir.constants import splat_of
from dotload.passes.ir.conversions import OF_BYTES, OF_INTEGERS
from dotload.passes.ir.def_use import erase_unused, only_user, uses_behind
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.layouts import layout_of
from dotload.passes.ir.loops import DOTS
from dotload.passes.ir.targets import capability_of
from dotload.passes.operand_staging.byte_conversions import (
    NARROWING,
    bits_behind,
    convert_at_once,
    convert_before_join,
    less_behind,
)
from dotload.passes.operand_staging.bytes_in_registers import are_apart, are_in_words, are_rearranged, registers_of
from dotload.passes.operand_staging.packed_conversions import (
    ELEMENTS,
    PAIR,
    PackedConversion,
    find_conversion,
)
from dotload.passes.operand_staging.packed_fields import Fields, convert_fields
from dotload.passes.operand_staging.packed_integers import (
    BINADES,
    NUMBERS,
    SIGNED,
    UNSIGNED,
    Meaning,
    convert_field,
    convert_numbers,
)
from dotload.passes.operand_staging.pair_arithmetic import pair_arithmetic
from dotload.passes.rewriting import RewritePass

Found = TypeVar("Found", bound=Operation)


@dataclass(frozen=True)
class Packed:
    """The packed form of a conversion, its inputs, and the op whose result it replaces."""

    conversion: PackedConversion
    sources: tuple[SSAValue, ...]
    last: Operation


def packed(op: Operation, capability: int) -> Packed | None:
    """The packed form of a conversion, including a constant subtracted after it; None if it stays as it is."""
    last, less = less_behind(op)
    for each, offset in {last: less, op: 0}.items():
        found = packed_less(op, each, offset, capability)
        if found is not None and found.conversion.runs_on(capability):
            return found if registers_of(found.sources[0]) >= found.conversion.elements else None
    return None


def packed_difference(op: arith.SubfOp, capability: int) -> list[Packed]:
    """The packed forms of two conversions of integers that are subtracted from each other, else none.

    Both results are larger by the first number of a binade, which the conversions then need not subtract.
    """
    found = list[Packed]()
    for made in (value.owner for value in op.operands):
        if not isinstance(made, OF_INTEGERS) or only_user(made.result) is not op:
            return []
        binade, (numbers, offset) = BINADES.get(str(element_of(made.result.type))), without_offset(made.input)
        if binade is None or offset or element_bits(numbers.type) != WORD_BITS or registers_of(numbers) < NUMBERS:
            return []
        one = packed_numbers(made, binade.name, made, -binade.first)
        found += [one] if one is not None and one.conversion.runs_on(capability) else []
    return found if len(found) == len(op.operands) else []


def packed_less(op: Operation, last: Operation, less: int, capability: int) -> Packed | None:
    """The packed form of a conversion minus a constant, which is the result of `last`."""
    source, result = as_tensor(op.operands[0].type), as_tensor(op.results[0].type)
    if source is None or result is None:
        return None
    element, target = str(source.element_type), str(result.element_type)
    if element == "i32" and target in BINADES:
        return packed_numbers(op, target, last, less)
    value, bits = bits_behind(op.operands[0], is_signed=op.name == SIGNED)
    elements, conversion = PAIR if bits.is_whole and not are_in_words(value) else ELEMENTS, None
    if isinstance(op, FpToFpOp):
        if bits.is_whole and are_apart(value):
            elements = PAIR  # a pair of bytes is put together in fewer instructions than a word
        if target == "f32":
            target = "f16" if are_rearranged(value) else target  # through f16, as Triton does
        conversion = None if less else find_conversion(element, target, capability, elements)
    elif element == "i8":
        conversion = convert_field(bits, target, less, elements)
    return None if conversion is None else Packed(conversion, (value,), last)


def packed_numbers(op: Operation, target: str, last: Operation, less: int) -> Packed | None:
    """The packed form of a conversion of 32-bit integers: of two fields of one integer or of two, or any."""
    numbers, offset = without_offset(op.operands[0])
    interval, meaning = interval_of(numbers), Meaning(op.name, offset, less)
    if op.name == UNSIGNED and interval.low < max(0, offset):
        return None
    if not (BINADES[target].takes(offset) and BINADES[target].takes(less)):
        return None
    if (fields := fields_of(numbers)) is not None:
        conversion = convert_fields(replace(fields.fields, offset=meaning.offset), target)
        if conversion is not None:
            return Packed(conversion, (fields.source, fields.shift), last)
    conversion = convert_numbers(interval, target, meaning)
    return None if conversion is None else Packed(conversion, (numbers,), last)


@dataclass(frozen=True)
class ShiftedFields:
    """(source >> shift) & mask, for pairs of registers: disjoint fields of one source, or one field of two."""

    source: SSAValue
    shift: SSAValue
    fields: Fields


def fields_of(value: SSAValue) -> ShiftedFields | None:
    """The fields from which a value is unpacked; None if registers do not pair up."""
    masked = value.owner
    if not isinstance(masked, arith.AndIOp) or (mask := splat_of(masked.rhs)) is None:
        return None
    if not isinstance(shifted := masked.lhs.owner, arith.ShRUIOp | arith.ShRSIOp):
        return None
    shifts, registers = known_elements(shifted.rhs), registers_of(value)
    if shifts is None or registers < NUMBERS:
        return None
    first, second = in_twos(origin_of(shifted.lhs).places, value)
    lower, upper = in_twos(shifts, value)
    distances = np.unique(upper - lower)
    is_held = lower.min() >= 0 and upper.max() + int(mask).bit_length() <= element_bits(value.type)
    is_of_two = int(distances[0]) == 0 and int(np.max(lower % BYTE_BITS)) + int(mask).bit_length() <= BYTE_BITS
    if not is_held or len(distances) > 1 or not (is_of_two or np.array_equal(first, second)):
        return None
    integers = interval_of(shifted.lhs)
    highest = integers.high if integers.low >= 0 else None
    in_bytes = not np.any(lower % BYTE_BITS)
    fields = Fields(int(mask), int(distances[0]), highest=highest, in_bytes=in_bytes)
    return ShiftedFields(shifted.lhs, shifted.rhs, fields)


def in_twos(elements: Elements, value: SSAValue) -> tuple[Elements, Elements]:
    """The elements in the registers of a value's layout: those of the even registers, and of the odd ones."""
    places = layout_of(value).table()
    held = elements[tuple(places[:, dim] for dim in range(elements.ndim))]
    return held[::2], held[1::2]


def without_offset(value: SSAValue) -> tuple[SSAValue, int]:
    """The value from which a constant is subtracted, and the constant."""
    op = value.owner
    if isinstance(op, arith.SubiOp) and (splat := splat_of(op.rhs)) is not None:
        return op.lhs, int(splat)
    return value, 0


def becoming_operands(module: ModuleOp, kinds: tuple[type[Found], ...]) -> list[Found]:
    """The ops of these kinds of which a dot reads an elementwise result, as an operand or from shared memory."""
    return [op for op in module.walk() if isinstance(op, kinds) and becomes_operand(op)]


def becomes_operand(op: Operation) -> bool:
    """Whether a dot reads an elementwise result of the op."""
    uses = uses_behind(op, lambda user: is_elementwise(user) or isinstance(user, MOVING_REGISTERS))
    return any(isinstance(use.operation, (*DOTS, LocalAllocOp, LocalStoreOp)) for use in uses)


@dataclass(frozen=True)
class PackOperandConversionsPass(RewritePass):
    """Convert operands of dots to 16 bits on packed words, and compute with them there.

    `pairs_to_bf16`: Triton converts a pair of e4m3 to bf16 by one instruction where the GPU has it, from capability 100
    on. Versions before 3.9 convert as on capability 90.
    """

    name = "pack-operand-conversions"

    pairs_to_bf16: bool = True

    def rewrite(self, module: ModuleOp) -> bool:
        capability, reported = capability_of(module), set[tuple[str, str]]()
        if not self.pairs_to_bf16:
            capability = min(capability, HOPPER.capability)
        for op in becoming_operands(module, NARROWING):
            if (new := convert_at_once(op)) is not None:
                self.report(new, "bytes are converted to 16 bits at once", reported)
        for op in becoming_operands(module, (arith.SubfOp,)):
            for value in [self.emit(found, reported) for found in packed_difference(op, capability)]:
                pair_arithmetic(value)
        conversions = becoming_operands(module, OF_BYTES)
        for conversion in conversions:  # grows during the iteration
            if before := convert_before_join(conversion):
                conversions += before
                self.report(before[0], "fields of bytes are converted before they are joined", reported)
            elif (found := packed(conversion, capability)) is not None:
                pair_arithmetic(self.emit(found, reported))
        return bool(reported)

    def emit(self, found: Packed, reported: set[tuple[str, str]]) -> SSAValue:
        """Replace a conversion by its packed form, which is returned; `reported`: what remarks have said."""
        made, last, emitter = found.conversion, found.last, Emitter.before(found.last)
        wide = tensor_type(last.results[0])
        result = with_element(wide, f16) if wide.element_type == f32 else wide
        asm = ElementwiseInlineAsmOp(made.asm, made.constraints, found.sources, [result], made.elements)
        types = " to ".join(str(value.type.element_type) for value in (asm.args[0], asm.result[0]))  # pyright: ignore
        self.report(last, f"{types} is converted {made.elements} elements at a time", reported)
        new = emitter.insert(asm)
        last.results[0].replace_all_uses_with(new if result == wide else emitter.make(ExtFOp, [new], wide))
        erase_unused([last.results[0]])
        return new

    def report(self, op: Operation, message: str, reported: set[tuple[str, str]]) -> None:
        """Emit a remark, once at each place."""
        if (once := (message, str(op.location))) not in reported:
            self.passed(op, message)
        reported.add(once)
