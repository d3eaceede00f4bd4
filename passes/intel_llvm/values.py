"""Values during the conversion of a function: a tensor is a lane's registers, one LLVM value each."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, field

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IndexType, IntAttr, IntegerType, ModuleOp, i32
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from dotload.dialect_ext.encodings import EncodingAttr
from dotload.dialect_ext.typed import as_tensor
from dotload.dialect_ext.types import PointerType, TensorDescType
from dotload.layout.encodings import LANE, REGISTER, WARP
from dotload.layout.linear import Basis, LinearLayout
from dotload.passes.block_load.site import FLOATS
from dotload.passes.block_load.spelling import LANE_ID, SUBGROUP_ID
from dotload.passes.errors import IN_BACKEND, LocatedFailure
from dotload.passes.ir.layouts import layout_of, layout_of_type
from dotload.passes.llvm.types import GLOBAL_POINTER, block_pointer_type, descriptor_type, struct_type
from dotload.passes.tritongen.builder import Callee, GenBuilder

_MOST_REGISTERS = 1 << 16


def is_block_pointer(type_: Attribute) -> bool:
    """Whether a type is a pointer to a tensor."""
    return isinstance(type_, PointerType) and as_tensor(type_.pointee) is not None


def element_type(type_: Attribute) -> Attribute:
    """The LLVM type of a scalar or an element: pointers in their address space, 8-bit floats as i8, index as i32,
    descriptors and block pointers as structs."""
    match type_:
        case PointerType() if is_block_pointer(type_):
            return block_pointer_type(type_)
        case PointerType():
            return _pointer(type_)
        case TensorDescType():
            return descriptor_type(type_)
        case IndexType():
            return i32
        case IntegerType():
            return type_
        case _ if str(type_) in FLOATS or str(type_).startswith("!llvm") or type_.name in ("vector", "f64"):
            return type_
        case _:
            return IntegerType(8)


def _pointer(type_: PointerType) -> LLVMPointerType:
    if type_.is_global:
        return GLOBAL_POINTER
    return LLVMPointerType(type_.address_space) if isinstance(type_.address_space, IntAttr) else LLVMPointerType()


def llvm_type(type_: Attribute) -> Attribute:
    """The LLVM type of a value; for a tensor, the struct of a lane's registers."""
    tensor = as_tensor(type_)
    if tensor is None:
        return element_type(type_)
    count = layout_of_type(tensor).in_sizes[REGISTER]
    return struct_type([element_type(tensor.element_type)] * count)


def moves_elements(op: Operation) -> LocatedFailure:
    """The failure for an op whose result is in other lanes or warps than its operands."""
    want = "give its operands and its result layouts that agree in lanes and warps"
    more = "" if op.dialect_name() == "ttig" else f", or compile the kernel whole: {IN_BACKEND}"
    return LocatedFailure(
        op, f"'{op.name}' moves elements between lanes or warps, which is not lowered here; {want}{more}"
    )


def check_sizes(function: Operation) -> None:
    """LocatedFailure for a tensor with more registers in a lane than any kernel can have: each becomes a value here."""
    sizes: dict[Attribute, int] = {}
    for op in function.walk():
        arguments = (argument for region in op.regions for block in region.blocks for argument in block.args)
        for value in (*op.results, *arguments):
            tensor = as_tensor(value.type)
            if tensor is None or not isinstance(tensor.encoding, EncodingAttr):
                continue
            if value.type not in sizes:
                sizes[value.type] = layout_of_type(tensor).in_sizes[REGISTER]
            if (size := sizes[value.type]) > _MOST_REGISTERS:
                raise LocatedFailure(op, f"{tensor} has {size} elements in a lane, more than {_MOST_REGISTERS}")


def _stays(value: SSAValue, before: Set[SSAValue], block: Block) -> bool:
    owner = value.owner
    return value in before or (owner if isinstance(owner, Block) else owner.parent_block()) is block


@dataclass
class Conversion:
    """A function during its conversion: the new values, and the place of new ops."""

    module: ModuleOp
    at: Operation
    registers: dict[SSAValue, list[SSAValue]] = field(default_factory=dict[SSAValue, "list[SSAValue]"])
    structs: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])

    @property
    def builder(self) -> GenBuilder:
        """A builder that inserts before the op that is being converted."""
        return GenBuilder(self.at, self.module)

    def of(self, value: SSAValue) -> list[SSAValue]:
        """A lane's registers of a value; the value itself if it is already LLVM's."""
        if (known := self.registers.get(value)) is not None:
            return known
        if (struct := self.structs.get(value)) is not None:
            return self.registers.setdefault(value, self.fields(struct))
        if as_tensor(value.type) is not None:
            raise LocatedFailure(self.at, f"'{self.at.name}' uses a tensor that nothing here has made")
        return [value]

    @contextmanager
    def inside(self) -> Generator[None, None, None]:
        """A scope for a region: forget, after it, the registers computed in it for outside values."""
        registers, structs = self.registers.copy(), self.structs.copy()
        yield
        self.registers, self.structs = registers, structs

    @contextmanager
    def in_block(self, block: Block) -> Generator[None, None, None]:
        """A scope for a block: after it, keep only the block's own values of what was computed in it."""
        registers, structs = set(self.registers), set(self.structs)
        yield
        self.registers = {value: each for value, each in self.registers.items() if _stays(value, registers, block)}
        self.structs = {value: each for value, each in self.structs.items() if _stays(value, structs, block)}

    def give(self, old: SSAValue, new: SSAValue) -> None:
        """Set the new value of an old one."""
        if as_tensor(old.type) is None:
            self.registers[old] = [new]
        else:
            self.structs[old] = new

    def has(self, value: SSAValue) -> bool:
        """Whether a value has a new one."""
        return value in self.registers or value in self.structs

    def scalar(self, value: SSAValue) -> SSAValue:
        """The new value of a scalar."""
        return self.of(value)[0]

    def fields(self, struct: SSAValue) -> list[SSAValue]:
        """The fields of a struct; for any other value, the value itself."""
        if not isinstance(struct.type, llvm.LLVMStructType):
            return [struct]
        return [self.builder.field(struct, at) for at in range(len(struct.type.types.data))]

    def struct(self, value: SSAValue) -> SSAValue:
        """A value as one LLVM value."""
        if as_tensor(value.type) is None:
            return self.scalar(value)
        if (known := self.structs.get(value)) is None:
            known = self.structs[value] = self.builder.struct(self.of(value))
        return known

    def query(self, name: str) -> SSAValue:
        """A number of the lane or its warp, as i32."""
        return self.builder.call(Callee(name), [], i32)

    def places(self, layout: LinearLayout) -> list[Basis]:
        """The coordinates of each register of lane 0 in warp 0."""
        none = dict.fromkeys(layout.in_dims, 0)
        images = (layout.apply({**none, REGISTER: at}) for at in range(layout.in_sizes[REGISTER]))
        return [tuple(int(image[name]) for name in layout.out_dims) for image in images]

    def coordinate(self, layout: LinearLayout, axis: int = 0) -> SSAValue:
        """The coordinate of register 0 along an axis: bits of the lane and the warp number, shifted."""
        total: SSAValue | None = None
        for name, dim in ((LANE_ID, LANE), (SUBGROUP_ID, WARP)):
            images = [basis[axis] for basis in layout.bases.get(dim, ())]
            if not any(images):
                continue
            index = self.query(name)
            for bit, image in enumerate(images):
                total = self._with_bit(total, index, bit, image)
        return self.builder.constant(0) if total is None else total

    def _with_bit(self, total: SSAValue | None, index: SSAValue, bit: int, image: int) -> SSAValue | None:
        """`total` plus the contribution of one bit of the index."""
        if image == 0:
            return total
        build = self.builder
        shifted = build.binary(llvm.LShrOp, index, build.constant(bit))
        one = build.binary(llvm.AndOp, shifted, build.constant(1))
        moved = build.binary(llvm.MulOp, one, build.constant(image))
        return moved if total is None else build.binary(llvm.XOrOp, total, moved)

    def gathered(
        self, sources: Sequence[SSAValue], result: SSAValue, source: Callable[[Basis], tuple[int, Basis]]
    ) -> list[SSAValue]:
        """The registers of `result`: for each place, the element that `source` names, by operand and place in it.

        Only registers are rearranged: lanes and warps must already hold what they need.
        """
        outer = layout_of(result)
        inner = [layout_of(value) for value in sources]
        start = source((0,) * len(outer.out_dims))
        for dim in (LANE, WARP):
            moved = [_moved(start, source(basis)) for basis in outer.bases.get(dim, ())]
            if any(moved != list(each.bases.get(dim, ())) for each in inner):
                raise moves_elements(self.at)
        found = {
            (number, place): register
            for number, (value, layout) in enumerate(zip(sources, inner, strict=True))
            for place, register in reversed(list(zip(self.places(layout), self.of(value), strict=True)))
        }
        wanted = [source(place) for place in self.places(outer)]
        if any(each not in found for each in wanted):
            raise LocatedFailure(self.at, f"'{self.at.name}' wants elements that the lane does not hold")
        return [found[each] for each in wanted]


def _moved(start: tuple[int, Basis], end: tuple[int, Basis]) -> Basis | None:
    """The displacement between two places of the same operand."""
    if start[0] != end[0]:
        return None
    return tuple(b - a for a, b in zip(start[1], end[1], strict=True))
