"""The matrix unit in dialect `triton_gen`: dpas (cl_intel_subgroup_matrix_multiply_accumulate), and bdpas, scaled.

As in Intel's dialect, the ops have no traits: MLIR neither merges nor erases them.
"""

from __future__ import annotations

from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, prop_def, result_def

from dotload.dialect_ext import enums
from dotload.dialect_ext.constraints import int_attr
from dotload.dialect_ext.directives import Enum
from dotload.dialect_ext.triton_gen_verify import verify_bdpas, verify_dpas

_PRECISIONS = "` ` `{` `pa` `=` custom<Enum>($pa) `,` `pb` `=` custom<Enum>($pb) `,` `rc` `=` $rc `}` attr-dict "


@irdl_op_definition
class DpasOp(IRDLOperation):
    """d = c + a b over one systolic array: rc rows, 8 * (32 / element bits) deep, 16 columns.

    %d = triton_gen.dpas %c, %a, %b {pa = f16, pb = f16, rc = 8} : (vector<8xf32>, vector<8xi16>, vector<8xi32>) -> ...
    """

    name = "triton_gen.dpas"
    c = operand_def()
    a = operand_def()
    b = operand_def()
    pa = prop_def(enums.DPAS_PRECISION)
    pb = prop_def(enums.DPAS_PRECISION)
    rc = prop_def(int_attr(32))
    d = result_def()
    custom_directives = (Enum,)
    assembly_format = "operands " + _PRECISIONS + "`:` functional-type(operands, $d)"

    def verify_(self) -> None:
        verify_dpas(self)


@irdl_op_definition
class BdpasOp(IRDLOperation):
    """d = c + (scale_a a) (scale_b b), one scale for every 32 elements along k; rc is 8.

    %d = triton_gen.bdpas %c, %a, %b, %sa, %sb {pa = bf8, pb = bf8, rc = 8}
           : (vector<8xf32>, vector<8xi16>, vector<8xi32>, i8, i8) -> vector<8xf32>
    """

    name = "triton_gen.bdpas"
    c = operand_def()
    a = operand_def()
    b = operand_def()
    scale_a = operand_def()
    scale_b = operand_def()
    pa = prop_def(enums.DPAS_PRECISION)
    pb = prop_def(enums.DPAS_PRECISION)
    rc = prop_def(int_attr(32))
    d = result_def()
    custom_directives = (Enum,)
    assembly_format = "operands " + _PRECISIONS + "`:` functional-type(operands, $d)"

    def verify_(self) -> None:
        verify_bdpas(self)
