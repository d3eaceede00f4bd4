"""Dialect `triton_gen`: Intel's matrix and 2D block instructions, between Triton GPU and LLVM.

    2Dblockload, 2Dblockstore, 2Dblockprefetch                cl_intel_subgroup_2d_block_io
    dpas, bdpas                                               triton_gen_matrix.py
    sub_group_block_read and _write, predicated_load and
    _store, barrier and its halves, f_to_tf32                 triton_gen_subgroup.py
    decoration_cache_control, an attribute                    triton_gen_attrs.py

`%ptr, %width, %height, %pitch, %x, %y`: width and pitch in bytes, x in elements of `elem_size_in_bits`, y and height in
rows. Constant operands are checked here, in the words of Intel's verifier; the caller is responsible for the others.
"""

from __future__ import annotations

from xdsl.dialects.builtin import BoolAttr, IntegerAttr, i1, i32
from xdsl.ir import Attribute, Dialect, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect

from dotload.dialect_ext import enums
from dotload.dialect_ext.constraints import int_attr
from dotload.dialect_ext.directives import Enum
from dotload.dialect_ext.triton_gen_attrs import ATTRIBUTES
from dotload.dialect_ext.triton_gen_matrix import BdpasOp, DpasOp
from dotload.dialect_ext.triton_gen_subgroup import (
    BarrierOp,
    FToTf32Op,
    PredicatedLoadOp,
    PredicatedStoreOp,
    SplitBarrierSignalOp,
    SplitBarrierWaitOp,
    SubGroupBlockReadOp,
    SubGroupBlockWriteOp,
)
from dotload.dialect_ext.triton_gen_verify import verify_load, verify_prefetch, verify_store

SHAPE = (
    "`elem_size_in_bits` `=` $elem_size_in_bits `,` `tile_width` `=` $tile_width `,` "
    "`tile_height` `=` $tile_height `,` `v_blocks` `=` $v_blocks `,` "
)
CACHE = "`cache_control` `=` custom<Enum>($cache_control) `}` attr-dict `:` "


class BlockMessageOp(IRDLOperation):
    """A message about `v_blocks` adjacent tiles of tile_height x tile_width elements each."""

    ptr = operand_def()
    base_width = operand_def(i32)
    base_height = operand_def(i32)
    base_pitch = operand_def(i32)
    x = operand_def(i32)
    y = operand_def(i32)
    elem_size_in_bits = prop_def(int_attr(32))
    tile_width = prop_def(int_attr(32))
    tile_height = prop_def(int_attr(32))
    v_blocks = prop_def(int_attr(32))


def _tile(elem_size_in_bits: int, tile_width: int, tile_height: int, v_blocks: int) -> dict[str, Attribute]:
    sizes = {
        "elem_size_in_bits": elem_size_in_bits,
        "tile_width": tile_width,
        "tile_height": tile_height,
        "v_blocks": v_blocks,
    }
    return {name: IntegerAttr(value, i32) for name, value in sizes.items()}


def _bool(value: bool) -> IntegerAttr:
    return IntegerAttr(-1 if value else 0, i1)


@irdl_op_definition
class BlockLoad2DOp(BlockMessageOp):
    """2D block load into a vector per lane, optionally transposed or with the VNNI transform.

    %v = triton_gen.2Dblockload %ptr, %w, %h, %pitch, %x, %y {elem_size_in_bits = 16, tile_width = 16,
           tile_height = 8, v_blocks = 2, transpose = false, vnni_transform = false, cache_control = Default}
           : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<16xi16>
    """

    name = "triton_gen.2Dblockload"
    transpose = prop_def(BoolAttr.constr(i1))
    vnni_transform = prop_def(BoolAttr.constr(i1))
    cache_control = prop_def(enums.LOAD_CACHE_CONTROL, default_value=IntegerAttr(0, i32))
    res = result_def()
    custom_directives = (Enum,)
    traits = traits_def(MemoryReadEffect())
    assembly_format = (
        "operands ` ` `{` "
        + SHAPE
        + "`transpose` `=` $transpose `,` `vnni_transform` `=` $vnni_transform `,` "
        + CACHE
        + "functional-type(operands, $res)"
    )

    def __init__(
        self,
        ptr: SSAValue | Operation,
        base_width: SSAValue | Operation,
        base_height: SSAValue | Operation,
        base_pitch: SSAValue | Operation,
        x: SSAValue | Operation,
        y: SSAValue | Operation,
        result_type: Attribute,
        *,
        elem_size_in_bits: int,
        tile_width: int,
        tile_height: int,
        v_blocks: int,
        transpose: bool = False,
        vnni_transform: bool = False,
        cache_control: str = "Default",
    ):
        super().__init__(
            operands=[ptr, base_width, base_height, base_pitch, x, y],
            result_types=[result_type],
            properties={
                **_tile(elem_size_in_bits, tile_width, tile_height, v_blocks),
                "transpose": _bool(transpose),
                "vnni_transform": _bool(vnni_transform),
                "cache_control": IntegerAttr(enums.LOAD_CACHE_CONTROL.cases[cache_control], i32),
            },
        )

    def verify_(self) -> None:
        verify_load(self)


@irdl_op_definition
class BlockStore2DOp(BlockMessageOp):
    """2D block store of one tile of up to 8 rows."""

    name = "triton_gen.2Dblockstore"
    ptr = operand_def()  # repeated, because xDSL orders the operands of a subclass before those of its base
    base_width = operand_def(i32)
    base_height = operand_def(i32)
    base_pitch = operand_def(i32)
    x = operand_def(i32)
    y = operand_def(i32)
    stored_val = operand_def()
    cache_control = prop_def(enums.STORE_CACHE_CONTROL, default_value=IntegerAttr(0, i32))
    custom_directives = (Enum,)
    traits = traits_def(MemoryWriteEffect())
    assembly_format = "operands ` ` `{` " + SHAPE + CACHE + "`(` type(operands) `)`"

    def verify_(self) -> None:
        verify_store(self)


@irdl_op_definition
class BlockPrefetch2DOp(BlockMessageOp):
    """2D block prefetch: tiles into the cache."""

    name = "triton_gen.2Dblockprefetch"
    cache_control = prop_def(enums.LOAD_CACHE_CONTROL, default_value=IntegerAttr(0, i32))
    custom_directives = (Enum,)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "operands ` ` `{` " + SHAPE + CACHE + "`(` type(operands) `)`"

    def __init__(
        self,
        ptr: SSAValue | Operation,
        base_width: SSAValue | Operation,
        base_height: SSAValue | Operation,
        base_pitch: SSAValue | Operation,
        x: SSAValue | Operation,
        y: SSAValue | Operation,
        *,
        elem_size_in_bits: int,
        tile_width: int,
        tile_height: int,
        v_blocks: int = 1,
        cache_control: str = "Default",
    ):
        super().__init__(
            operands=[ptr, base_width, base_height, base_pitch, x, y],
            properties={
                **_tile(elem_size_in_bits, tile_width, tile_height, v_blocks),
                "cache_control": IntegerAttr(enums.LOAD_CACHE_CONTROL.cases[cache_control], i32),
            },
        )

    def verify_(self) -> None:
        verify_prefetch(self)


TRITON_GEN = Dialect(
    "triton_gen",
    [
        *(BlockLoad2DOp, BlockStore2DOp, BlockPrefetch2DOp),
        *(DpasOp, BdpasOp),
        *(SubGroupBlockReadOp, SubGroupBlockWriteOp, PredicatedLoadOp, PredicatedStoreOp),
        *(BarrierOp, SplitBarrierSignalOp, SplitBarrierWaitOp, FToTf32Op),
    ],
    [*ATTRIBUTES],
)
