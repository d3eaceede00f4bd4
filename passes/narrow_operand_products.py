"""`narrow-operand-products`: compute with unpacked integers in the operand's type, if that is exact.

    %f = arith.sitofp %n : tensor<128x64xi32> to tensor<128x64xf32>            0 <= %n <= 15
    %x = arith.subf %f, %eight
    %w = arith.extf %scale : tensor<128x64xbf16> to tensor<128x64xf32>
    %p = arith.mulf %x, %w
    %b = arith.truncf %p : tensor<128x64xf32> to tensor<128x64xbf16>           to a dot

Kernels for 8- and 4-bit quantised weights compute operands this way. f32 represents the product of a bf16 and an 8-bit
integer, so the product is rounded once. A product in bf16 is also rounded once, is computed for two elements at a time,
and the integers are converted on packed words (`pack-operand-conversions`):

    %f = arith.sitofp %n : tensor<128x64xi32> to tensor<128x64xbf16>
    %x = arith.subf %f, %eight
    %b = arith.mulf %x, %scale : tensor<128x64xbf16>

Zeros of columns or groups may be subtracted as well as constants, if they are small integers, too. Where the kernel
subtracts integers, as AWQ's kernel does, each is converted on its own, and they are subtracted two at a time:

    %d = arith.subi %n, %zero                                %f = arith.sitofp %n : ... to tensor<128x64xf16>
    %f = arith.sitofp %d : ... to tensor<128x64xf16>         %z = arith.sitofp %zero : ... to tensor<128x64xf16>
                                                             %x = arith.subf %f, %z
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, bf16, f16
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import Rewriter

from dotload.dialect_ext.arith import ExtFOp
from dotload.dialect_ext.tt_compute import BroadcastOp
from dotload.dialect_ext.typed import as_tensor, tensor_type
from dotload.dialect_ext.types import element_bits, with_element
from dotload.layout.widths import BYTE_BITS
from dotload.passes.analysis.fusion import goes_to_sum
from dotload.passes.analysis.intervals import Interval, interval_of, unsigned_interval_of
from dotload.passes.ir.constants import uniform_number
from dotload.passes.ir.conversions import OF_INTEGERS, rounds_to_nearest
from dotload.passes.ir.def_use import behind, erase_unused, only_user
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.loops import feeds_dot
from dotload.passes.operand_staging.packed_integers import BINADES, Meaning, convert_numbers
from dotload.passes.rewriting import RewritePass


@dataclass(frozen=True)
class Product:
    """A product of whole numbers and a scale of the operand's type, rounded to that type."""

    rounded: Operation
    whole: SSAValue
    scale: SSAValue

    @property
    def element(self) -> Attribute:
        """The operand's type."""
        return tensor_type(self.rounded.results[0]).element_type


# Candidates


def find_product(rounded: Operation) -> Product | None:
    """The product, if it is exact in f32, and its factors are exact in the operand's type."""
    if not rounds_to_nearest(rounded) or as_tensor(rounded.results[0].type) is None:
        return None
    product, element = rounded.operands[0].owner, tensor_type(rounded.results[0]).element_type
    if element not in (bf16, f16) or not isinstance(product, arith.MulfOp) or not feeds_dot(rounded):
        return None
    if only_user(product.result) is not rounded or goes_to_sum(rounded):
        return None
    for whole, wide in ((product.lhs, product.rhs), (product.rhs, product.lhs)):
        scale = narrow_scale(wide)
        if scale is not None and tensor_type(scale).element_type == element:
            if whole_numbers(whole, str(element), {}) is not None:
                return Product(rounded, whole, wide)
    return None


def narrow_scale(wide: SSAValue) -> SSAValue | None:
    """The value that an f32 scale, perhaps a broadcast row or column, is extended from; None if it is not."""
    scale = behind(wide, (BroadcastOp,)).owner
    return scale.operands[0] if isinstance(scale, ExtFOp) else None


def whole_numbers(value: SSAValue, target: str, known: dict[SSAValue, Interval | None]) -> Interval | None:
    """The interval of whole numbers that packed conversions compute from integers, exactly in the target type.

    None if that is not known at any step. `known`: results so far.
    """
    if value not in known:
        found = interval_by(value.owner, target, known) if isinstance(value.owner, Operation) else None
        known[value] = found if found is not None and found.largest <= BINADES[target].exact else None
    return known[value]


def interval_by(op: Operation, target: str, known: dict[SSAValue, Interval | None]) -> Interval | None:
    """The interval of an op's result on such numbers, exact or not."""
    match op:
        case arith.SIToFPOp() | arith.UIToFPOp():
            (number,) = op.operands
            values = interval_of(number) if isinstance(op, arith.SIToFPOp) else unsigned_interval_of(number)
            is_byte = element_bits(number.type) == BYTE_BITS
            return values if is_byte or convert_numbers(values, target, Meaning(op.name)) is not None else None
        case arith.ConstantOp():
            constant = uniform_number(op.result)
            return Interval(int(constant), int(constant)) if constant is not None and constant % 1 == 0 else None
        case BroadcastOp():
            return whole_numbers(op.src, target, known)
        case arith.SubfOp() | arith.AddfOp():
            first, second = (whole_numbers(each, target, known) for each in op.operands)
            if first is None or second is None:
                return None
            return first.minus(second) if isinstance(op, arith.SubfOp) else first.plus(second)
        case _:
            return None


def find_difference(converted: arith.SIToFPOp) -> arith.SubiOp | None:
    """The difference of integers that is converted to a 16-bit type, which represents all three numbers."""
    if (tensor := as_tensor(converted.result.type)) is None:
        return None
    difference, target = converted.input.owner, str(tensor.element_type)
    if not isinstance(difference, arith.SubiOp) or target not in BINADES or element_bits(converted.input.type) != 32:
        return None
    if only_user(difference.result) is not converted or not feeds_dot(converted):
        return None
    if any(uniform_number(each) is not None for each in difference.operands):  # packed conversions subtract these
        return None
    is_small = all(convert_numbers(interval_of(each), target, Meaning(converted.name)) for each in difference.operands)
    is_exact = interval_of(difference.result).largest <= BINADES[target].exact
    return difference if is_small and is_exact else None


# Emit


def emit_difference(converted: arith.SIToFPOp, difference: arith.SubiOp) -> None:
    """Convert both integers, and subtract the results."""
    emitter, type_ = Emitter.before(converted), converted.result.type
    first, second = (emitter.make(type(converted), [each], type_) for each in difference.operands)
    converted.result.replace_all_uses_with(emitter.insert(arith.SubfOp(first, second)))
    erase_unused([converted.result])


def emit(product: Product) -> None:
    """Multiply in the operand's type."""
    made: dict[SSAValue, SSAValue] = {}
    whole, scale = (narrowed(each, product.element, made) for each in (product.whole, product.scale))
    narrow = Emitter.before(product.rounded).insert(arith.MulfOp(whole, scale))
    above = product.rounded.operands[0]
    Rewriter.replace_op(product.rounded, (), [narrow])
    erase_unused([above])


def narrowed(value: SSAValue, element: Attribute, made: dict[SSAValue, SSAValue]) -> SSAValue:
    """Whole numbers, or an extended scale, recomputed in the operand's type, each once."""
    if value not in made:
        made[value] = _narrowed(value, element, made)
    return made[value]


def _narrowed(value: SSAValue, element: Attribute, made: dict[SSAValue, SSAValue]) -> SSAValue:
    """`narrowed` for a value that is not memoized yet."""
    op, type_ = value.owner, with_element(tensor_type(value), element)
    assert isinstance(op, Operation)
    if isinstance(op, ExtFOp):
        return op.operands[0]
    emitter = Emitter.after(op)
    if isinstance(op, arith.ConstantOp):
        number = uniform_number(value)
        assert number is not None
        return emitter.splat(number, type_)
    is_conversion = isinstance(op, OF_INTEGERS)
    operands = list(op.operands) if is_conversion else [narrowed(each, element, made) for each in op.operands]
    return emitter.make(type(op), operands, type_)


@dataclass(frozen=True)
class NarrowOperandProductsPass(RewritePass):
    """Compute with unpacked integers in the operand's type, where that is exact."""

    name = "narrow-operand-products"

    def rewrite(self, module: ModuleOp) -> bool:
        changed = False
        for op in list(module.walk()):
            if (product := find_product(op)) is not None:
                self.passed(op, f"integers are multiplied by their scale in {product.element} instead of f32")
                emit(product)
                changed = True
            elif isinstance(op, arith.SIToFPOp) and (difference := find_difference(op)) is not None:
                element = tensor_type(op.result).element_type
                self.passed(op, f"integers are subtracted in {element}, two at a time")
                emit_difference(op, difference)
                changed = True
        return changed
