; COM: Every work-group copies one 8 x 16 tile of f16: one message to read it, one to write it, 256 bytes each.
; RUN: dotload-run-xe %s --grid 2,2 --num-warps 1 --arg a=i16:16x32:arange --arg b=i16:16x32 | FileCheck %s
; RUN: dotload-run-xe %s --grid 2,2 --num-warps 1 --arg a=i16:16x32:arange --arg b=i16:16x32 --compare %s \
; RUN:   | FileCheck %s --check-prefix=COMPARE
; RUN: not dotload-run-xe %s --grid 2,3 --num-warps 1 --arg a=i16:14x32:arange --arg b=i16:16x32 2>&1 \
; RUN:   | FileCheck %s --check-prefix=BOUNDS
; RUN: not dotload-run-xe %s --grid 2,2 --arg a=i16:16x32:arange 2>&1 | FileCheck %s --check-prefix=COUNT
; RUN: not dotload-run-xe %s --grid 2,2 --arg a=i99:16x32 --arg 1 2>&1 | FileCheck %s --check-prefix=DTYPE
; RUN: not dotload-run-xe %s.missing --grid 2,2 2>&1 | FileCheck %s --check-prefix=MISSING

; CHECK: copy: grid 2 x 2 x 1, 1 subgroups of 16
; CHECK: read_16b_8r16x1c {{ *}}4 {{ *}}1,024 {{ *}}1,024
; CHECK: write_16b_8r16x1c {{ *}}4 {{ *}}1,024 {{ *}}1,024
; CHECK: dpas {{ *}}0

; COMPARE: read_16b_8r16x1c {{ *}}4 {{ *}}1,024 {{ *}}1,024 {{ *}}4 {{ *}}1,024 {{ *}}1,024
; COMPARE: argument 0: equal, bit for bit
; COMPARE: argument 1: equal, bit for bit

; BOUNDS: dotload-run-xe: error: copy: read_16b_8r16x1c: 2D block read (one row of it) of 32 bytes at address 0x
; BOUNDS-SAME: byte 896 of argument 0, which has 896 bytes [work-group
; COUNT: dotload-run-xe: error: copy takes 2 arguments (ptr, ptr), 1 were given
; DTYPE: dotload-run-xe: error: --arg 0: 'i99:16x32' needs a dtype of f16
; MISSING: dotload-run-xe: error: cannot read '{{.*}}.missing': No such file or directory

declare spir_func i64 @_Z12get_group_idj(i32)
declare spir_func void @_Z41intel_sub_group_2d_block_read_16b_8r16x1cPU3AS1viiiDv2_iPt(ptr addrspace(1), i32, i32, i32, <2 x i32>, ptr)
declare spir_func void @_Z42intel_sub_group_2d_block_write_16b_8r16x1cPU3AS1viiiDv2_iPt(ptr addrspace(1), i32, i32, i32, <2 x i32>, ptr)

define spir_kernel void @copy(ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %tile = alloca <8 x i16>, align 16
  %gx = call spir_func i64 @_Z12get_group_idj(i32 0)
  %gy = call spir_func i64 @_Z12get_group_idj(i32 1)
  %gx32 = trunc i64 %gx to i32
  %gy32 = trunc i64 %gy to i32
  %x = shl i32 %gx32, 4
  %y = shl i32 %gy32, 3
  %c0 = insertelement <2 x i32> poison, i32 %x, i32 0
  %c = insertelement <2 x i32> %c0, i32 %y, i32 1
  call spir_func void @_Z41intel_sub_group_2d_block_read_16b_8r16x1cPU3AS1viiiDv2_iPt(ptr addrspace(1) %a, i32 64, i32 16, i32 64, <2 x i32> %c, ptr %tile)
  call spir_func void @_Z42intel_sub_group_2d_block_write_16b_8r16x1cPU3AS1viiiDv2_iPt(ptr addrspace(1) %b, i32 64, i32 16, i32 64, <2 x i32> %c, ptr %tile)
  ret void
}
