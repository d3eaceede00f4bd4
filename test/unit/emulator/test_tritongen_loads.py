"""`triton_gen.2Dblockload`, lowered by convert-tritongen-to-llvm and run: each element of each lane is compared with
the payload of the vISA specification, zeros outside of the memory, also left of a base that is not a multiple of 64
bytes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from block_load_case import to_llvm
from limits import HANG_SECONDS
from xe_kernels import aligned

from dotload import dialect_ext
from dotload.emulator import run
from dotload.passes.convert_tritongen_to_llvm import ConvertTritongenToLLVMPass

WIDTH, HEIGHT, PITCH = 192, 24, 272  # bytes, rows, bytes


@dataclass(frozen=True)
class Form:
    """A message; elements of the vector that a lane gets have `result` bits."""

    bits: int
    columns: int
    rows: int
    blocks: int
    mode: str
    result: int
    lanes: int = 16

    @property
    def length(self) -> int:
        """The number of elements of the vector."""
        return self.bits * self.columns * self.rows * self.blocks // (self.lanes * self.result)

    def source(self, emit: str) -> str:
        """A kernel that stores the vector of every lane."""
        vector = f"vector<{self.length}xi{self.result}>"
        text = f"""module attributes {{"ttg.threads-per-warp" = {self.lanes} : i32}} {{
  llvm.func spir_funccc @_Z12get_local_idj(i32) -> i64
  llvm.func @load(%base: !llvm.ptr<1>, %out: !llvm.ptr<1>, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32) {{
    %v = triton_gen.2Dblockload %base, %w, %h, %p, %x, %y {{elem_size_in_bits = {self.bits},
      tile_width = {self.columns}, tile_height = {self.rows}, v_blocks = {self.blocks},
      transpose = {str(self.mode == "transpose").lower()}, vnni_transform = {str(self.mode == "transform").lower()},
      cache_control = Default}} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> {vector}
    %zero = llvm.mlir.constant(0 : i32) : i32
    %item = llvm.call spir_funccc @_Z12get_local_idj(%zero) : (i32) -> i64
    %to = llvm.getelementptr %out[%item] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, {vector}
    llvm.store %v, %to {{alignment = 1 : i64}} : {vector}, !llvm.ptr<1>
    llvm.return
  }}
}}
"""
        module = dialect_ext.parse_module(text)
        ConvertTritongenToLLVMPass(emit=emit).apply(dialect_ext.context(), module)
        module.attributes.clear()
        return to_llvm(dialect_ext.print_module(module, generic=True))

    def wanted(self, memory: np.ndarray, x: int, y: int) -> np.ndarray:
        """The expected bytes, [lane][byte]; `memory`: rows of bytes."""
        size, quarter = self.bits // 8, 4 * 8 // self.bits
        payload = np.zeros(self.rows * self.columns * self.blocks * size, np.uint8)
        for block, row, column in np.ndindex(self.blocks, self.rows, self.columns):
            at = block * self.rows * self.columns
            match self.mode:
                case "plain":
                    at += row * self.columns + column
                case "transform":
                    at += row // quarter * quarter * self.columns + column * quarter + row % quarter
                case _:
                    at += column * self.rows + row
            across, down = (x + block * self.columns + column) * size, y + row
            if 0 <= down < HEIGHT and 0 <= across < WIDTH:
                payload[at * size : (at + 1) * size] = memory[down, across : across + size]
        return payload.reshape(self.length, self.lanes, self.result // 8).transpose(1, 0, 2).reshape(self.lanes, -1)


FORMS = [
    (Form(16, 16, 8, 2, "plain", 16), "auto"),
    (Form(8, 32, 16, 2, "plain", 16), "auto"),
    (Form(32, 8, 8, 2, "plain", 32), "auto"),
    (Form(16, 16, 32, 2, "transform", 32), "auto"),
    (Form(8, 16, 32, 4, "transform", 32), "genisa"),
    (Form(32, 8, 32, 1, "transpose", 32), "auto"),
    (Form(64, 4, 8, 1, "transpose", 64), "auto"),
    (Form(64, 8, 16, 1, "plain", 64), "auto"),
    (Form(16, 32, 8, 1, "plain", 16, lanes=32), "auto"),
    (Form(16, 16, 16, 2, "plain", 16, lanes=32), "auto"),
    (Form(32, 8, 32, 1, "transpose", 32, lanes=32), "auto"),
]


@pytest.mark.parametrize(("form", "emit"), FORMS, ids=repr)
def test_zeros_outside_of_the_memory(form: Form, emit: str) -> None:
    source, unit = form.source(emit), max(4, form.bits // 8)
    for skew in (0, unit, 56 // unit * unit):
        whole = aligned((PITCH * HEIGHT + 64,), np.uint8)
        whole[:] = np.random.default_rng(skew).integers(1, 255, whole.size, dtype=np.uint8)
        flat = whole[skew : skew + PITCH * HEIGHT]
        memory = flat.reshape(HEIGHT, PITCH)
        step = max(1, 4 * 8 // form.bits)
        for x in (0, -step, -8, -form.columns, 8, WIDTH * 8 // form.bits - step):
            for y in (0, -3, HEIGHT - 2):
                out = np.full((form.lanes, form.length * form.result // 8), 0xEE, np.uint8)
                arguments = [flat, out, WIDTH, HEIGHT, PITCH, x, y]
                types = ["*bits"] * 2 + ["i32"] * 5
                run(source, (1,), arguments, 1, form.lanes, kernel="load", signature=types, timeout=HANG_SECONDS)
                np.testing.assert_array_equal(out, form.wanted(memory, x, y), err_msg=f"{form} {skew=} {x=} {y=}")
