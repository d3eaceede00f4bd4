// RUN: dotload-opt %s --convert-2d-block-load-to-llvm='emit=opencl' | FileCheck %s

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [1, 1], repCluster = [4, 2]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // COM: A row of 64 bytes and the up to 60 bytes between the aligned base and the first element may exceed the pitch.
  // COM: The surface ends at the pitch. The missing bytes are the beginning of the next row: p bytes to the left, one
  // COM: row below.
  // CHECK-LABEL: @any_pitch
  // CHECK-DAG: %[[C1:[a-z0-9_]+]] = arith.constant 1 : i32
  // CHECK-DAG: %[[C33:[a-z0-9_]+]] = arith.constant 33 : i32
  // CHECK-DAG: %[[ROOM:[a-z0-9_]+]] = arith.constant 124 : i32
  // CHECK: %[[WIDTH:[a-z0-9_]+]] = arith.addi
  // CHECK: %[[WIDER:[a-z0-9_]+]] = arith.cmpi ult, %p, %[[WIDTH]] : i32
  // CHECK: %[[CUT:[a-z0-9_]+]] = arith.select %[[WIDER]], %p, %[[WIDTH]] : i32
  // CHECK: llvm.call {{.*}}_16b_32r16x2c{{[A-Za-z0-9_]*}}(%{{.*}}, %[[CUT]], %c32_i32, %p,
  // CHECK: %[[FIRST:[a-z0-9_]+]] = llvm.load
  // CHECK: %[[SHORT:[a-z0-9_]+]] = arith.cmpi ult, %p, %[[ROOM]] : i32
  // CHECK: %[[ALL:[a-z0-9_]+]] = scf.if %[[SHORT]] -> (vector<64xi16>) {
  // CHECK: %[[ACROSS:[a-z0-9_]+]] = arith.shrui %p, %[[C1]] : i32
  // CHECK: %[[X:[a-z0-9_]+]] = arith.subi %{{.*}}, %[[ACROSS]] : i32
  // CHECK: llvm.insertelement %[[X]],
  // CHECK: llvm.call {{.*}}_16b_32r16x2c{{[A-Za-z0-9_]*}}(%{{.*}}, %{{.*}}, %[[C33]], %p,
  // CHECK: %[[REST:[a-z0-9_]+]] = llvm.load
  // CHECK: %[[BOTH:[a-z0-9_]+]] = llvm.or %[[FIRST]], %[[REST]] : vector<64xi16>
  // CHECK-NEXT: scf.yield %[[BOTH]]
  // CHECK-NEXT: } else {
  // CHECK-NEXT: scf.yield %[[FIRST]]
  // CHECK: llvm.shufflevector %[[ALL]], %[[ALL]]
  tt.func @any_pitch(%ptrs: tensor<32x32x!tt.ptr<f16>, #a>, %p: i32) -> tensor<32x32xf16, #a> {
    %x = ttig.2d_block_load_from_ptr %ptrs, %p {row_major} {base_height = 32 : i32, base_width = 32 : i32} : (tensor<32x32x!tt.ptr<f16>, #a>, i32) -> tensor<32x32xf16, #a>
    tt.return %x : tensor<32x32xf16, #a>
  }

  // COM: No check where the values are known: a constant, a multiple of 128, and a row of 128 bytes that is known to
  // COM: exist.
  // CHECK-LABEL: @constant
  // CHECK-NOT: scf.if
  // CHECK: tt.return
  tt.func @constant(%ptrs: tensor<32x32x!tt.ptr<f16>, #a>) -> tensor<32x32xf16, #a> {
    %p = arith.constant 128 : i32
    %x = ttig.2d_block_load_from_ptr %ptrs, %p {row_major} {base_height = 32 : i32, base_width = 32 : i32} : (tensor<32x32x!tt.ptr<f16>, #a>, i32) -> tensor<32x32xf16, #a>
    tt.return %x : tensor<32x32xf16, #a>
  }

  // CHECK-LABEL: @multiple
  // CHECK-NOT: scf.if
  // CHECK: tt.return
  tt.func @multiple(%ptrs: tensor<32x32x!tt.ptr<f16>, #a>, %stride: i32 {tt.divisibility = 16 : i32}) -> tensor<32x32xf16, #a> {
    %c8 = arith.constant 8 : i32
    %p = arith.muli %stride, %c8 : i32
    %x = ttig.2d_block_load_from_ptr %ptrs, %p {row_major} {base_height = 32 : i32, base_width = 32 : i32} : (tensor<32x32x!tt.ptr<f16>, #a>, i32) -> tensor<32x32xf16, #a>
    tt.return %x : tensor<32x32xf16, #a>
  }

  // CHECK-LABEL: @long_rows
  // CHECK-NOT: scf.if
  // CHECK: tt.return
  tt.func @long_rows(%ptrs: tensor<32x64x!tt.ptr<f16>, #a>, %p: i32) -> tensor<32x64xf16, #a> {
    %x = ttig.2d_block_load_from_ptr %ptrs, %p {row_major} {base_height = 32 : i32, base_width = 32 : i32} : (tensor<32x64x!tt.ptr<f16>, #a>, i32) -> tensor<32x64xf16, #a>
    tt.return %x : tensor<32x64xf16, #a>
  }

  // COM: Under a mask, a row of 128 bytes need not exist.
  // CHECK-LABEL: @masked_rows
  // CHECK: scf.if
  // CHECK: tt.return
  tt.func @masked_rows(%ptrs: tensor<32x64x!tt.ptr<f16>, #a>, %p: i32, %mask: tensor<32x64xi1, #a>) -> tensor<32x64xf16, #a> {
    %zero = arith.constant dense<0.000000e+00> : tensor<32x64xf16, #a>
    %x = ttig.2d_block_load_from_ptr %ptrs, %p, %mask, %zero {row_major} {base_height = 32 : i32, base_width = 32 : i32} : (tensor<32x64x!tt.ptr<f16>, #a>, i32, tensor<32x64xi1, #a>, tensor<32x64xf16, #a>) -> tensor<32x64xf16, #a>
    tt.return %x : tensor<32x64xf16, #a>
  }
}
