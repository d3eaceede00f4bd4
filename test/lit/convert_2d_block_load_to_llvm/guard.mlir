// RUN: dotload-opt %s --convert-2d-block-load-to-llvm='emit=opencl cut-surfaces=false' | FileCheck %s

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [1, 1], repCluster = [4, 2]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // COM: Messages of 32 rows by 16 columns. A message overlaps a surface of h rows if y + 31 < h + 31 as unsigned
  // COM: numbers, that is for y from -31 to h - 1. Both messages start at the same row; the second starts 16 columns
  // COM: further.
  // CHECK-LABEL: @both_axes
  // CHECK-DAG: %[[C1:[a-z0-9_]+]] = arith.constant 1 : i32
  // CHECK-DAG: %[[C15:[a-z0-9_]+]] = arith.constant 15 : i32
  // CHECK-DAG: %[[C31:[a-z0-9_]+]] = arith.constant 31 : i32
  // CHECK-DAG: %[[ZERO:[a-z0-9_]+]] = llvm.mlir.zero : vector<16xi32>
  // CHECK: %[[COLUMNS:[a-z0-9_]+]] = arith.shrui %w, %[[C1]] : i32
  // CHECK: %[[LAST_ROW:[a-z0-9_]+]] = arith.addi %h, %[[C31]] : i32
  // CHECK: %[[LAST_COLUMN:[a-z0-9_]+]] = arith.addi %[[COLUMNS]], %[[C15]] : i32
  // CHECK: %[[ROW:[a-z0-9_]+]] = arith.addi %y, %[[C31]] : i32
  // CHECK: %[[IN_ROWS:[a-z0-9_]+]] = arith.cmpi ult, %[[ROW]], %[[LAST_ROW]] : i32
  // CHECK: %[[COLUMN:[a-z0-9_]+]] = arith.addi %x, %[[C15]] : i32
  // CHECK: %[[IN_COLUMNS:[a-z0-9_]+]] = arith.cmpi ult, %[[COLUMN]], %[[LAST_COLUMN]] : i32
  // CHECK: %[[MEETS:[a-z0-9_]+]] = arith.andi %[[IN_ROWS]], %[[IN_COLUMNS]] : i1
  // CHECK: %[[V0:[a-z0-9_]+]] = scf.if %[[MEETS]] -> (vector<16xi32>) {
  // CHECK: llvm.call {{.*}}_transpose_32b_32r8x1c
  // CHECK-NEXT: %[[GOT:[a-z0-9_]+]] = llvm.load
  // CHECK-NEXT: scf.yield %[[GOT]] : vector<16xi32>
  // CHECK-NEXT: } else {
  // CHECK-NEXT: scf.yield %[[ZERO]] : vector<16xi32>
  // CHECK: %[[COLUMN1:[a-z0-9_]+]] = arith.addi %x, %[[C31]] : i32
  // CHECK: %[[IN_COLUMNS1:[a-z0-9_]+]] = arith.cmpi ult, %[[COLUMN1]], %[[LAST_COLUMN]] : i32
  // CHECK: %[[MEETS1:[a-z0-9_]+]] = arith.andi %[[IN_ROWS]], %[[IN_COLUMNS1]] : i1
  // CHECK: %[[V1:[a-z0-9_]+]] = scf.if %[[MEETS1]] -> (vector<16xi32>) {
  // CHECK: llvm.call {{.*}}_transpose_32b_32r8x1c
  // CHECK: llvm.shufflevector %[[V0]], %[[V0]]
  // CHECK-NOT: scf.if
  // CHECK: tt.return
  tt.func @both_axes(%base: !tt.ptr<f16>, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32) -> tensor<32x32xf16, #dot_a> {
    %a = ttig.2d_block_load %base, %w, %h, %p[%x, %y] {column_major} {ttig.guard = array<i32: 0, 1>} : !tt.ptr<f16> -> tensor<32x32xf16, #dot_a>
    tt.return %a : tensor<32x32xf16, #dot_a>
  }

  // COM: Only the rows are guarded: two messages side by side share a branch, and there are two such pairs.
  // CHECK-LABEL: @one_axis
  // CHECK: %[[MEETS:[a-z0-9_]+]] = arith.cmpi ult
  // CHECK: %[[V:[a-z0-9_]+]]:2 = scf.if %[[MEETS]] -> (vector<64xi16>, vector<64xi16>) {
  // CHECK: llvm.call {{.*}}_16b_32r16x2c
  // CHECK: llvm.call {{.*}}_16b_32r16x2c
  // CHECK: } else {
  // CHECK: scf.if
  // CHECK: llvm.call {{.*}}_16b_32r16x2c
  // CHECK: llvm.call {{.*}}_16b_32r16x2c
  // CHECK: } else {
  // CHECK-NOT: scf.if
  // CHECK: llvm.shufflevector %[[V]]#0
  // CHECK: tt.return
  tt.func @one_axis(%base: !tt.ptr<f16>, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32) -> tensor<64x64xf16, #dot_a> {
    %a = ttig.2d_block_load %base, %w, %h, %p[%x, %y] {row_major} {ttig.guard = array<i32: 0>} : !tt.ptr<f16> -> tensor<64x64xf16, #dot_a>
    tt.return %a : tensor<64x64xf16, #dot_a>
  }

  // COM: The other lanes get a masked pointer as null.
  // CHECK-LABEL: @mask
  // CHECK: %[[OWN:[a-z0-9_]+]] = llvm.ptrtoint
  // CHECK: %[[ON:[a-z0-9_]+]] = llvm.extractvalue
  // CHECK: %[[OR_NULL:[a-z0-9_]+]] = arith.select %[[ON]], %[[OWN]], %[[NULL:[a-z0-9_]+]] : i64
  // CHECK: %[[ADDRESS:[a-z0-9_]+]] = llvm.call spir_funccc @_Z17sub_group_shufflelj(%[[OR_NULL]], %[[C0:[a-z0-9_]+]])
  // CHECK: %[[SENT:[a-z0-9_]+]] = arith.cmpi ne, %[[ADDRESS]], %[[NULL]] : i64
  // CHECK: scf.if %[[SENT]] -> (vector<64xi16>) {
  // CHECK: llvm.inttoptr %[[ADDRESS]]
  // CHECK-NOT: arith.select %[[ON]]
  // CHECK: llvm.insertelement %[[C0]], %{{.*}}[%{{.*}} : i32] : vector<2xi32>
  // CHECK: llvm.call {{.*}}_16b_32r16x2c
  // CHECK: tt.return
  tt.func @mask(%ptrs: tensor<32x32x!tt.ptr<f16>, #dot_a>, %p: i32, %mask: tensor<32x32xi1, #dot_a>) -> tensor<32x32xf16, #dot_a> {
    %other = arith.constant dense<0.000000e+00> : tensor<32x32xf16, #dot_a>
    %a = ttig.2d_block_load_from_ptr %ptrs, %p, %mask, %other {row_major} {base_height = 32 : i32, base_width = 32 : i32, ttig.guard = array<i32: 0, 1>} : (tensor<32x32x!tt.ptr<f16>, #dot_a>, i32, tensor<32x32xi1, #dot_a>, tensor<32x32xf16, #dot_a>) -> tensor<32x32xf16, #dot_a>
    tt.return %a : tensor<32x32xf16, #dot_a>
  }

  // COM: The op asks for no guard: no branch.
  // CHECK-LABEL: @none
  // CHECK-NOT: scf.if
  // CHECK-NOT: llvm.mlir.zero
  // CHECK: tt.return
  tt.func @none(%base: !tt.ptr<f16>, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32) -> tensor<32x32xf16, #dot_a> {
    %a = ttig.2d_block_load %base, %w, %h, %p[%x, %y] {column_major} : !tt.ptr<f16> -> tensor<32x32xf16, #dot_a>
    tt.return %a : tensor<32x32xf16, #dot_a>
  }
}
