// RUN: dotload-opt %s --lower-to-2d-block-load --remarks 2>&1 | FileCheck %s
// RUN: dotload-opt %s --lower-to-2d-block-load --convert-triton-intel-gpu-to-llvm --convert-tritongen-to-llvm | FileCheck %s --check-prefix=LLVM

// COM: The contract of descriptors says nothing of the width, so the kernel checks that it is even, and its range.
// CHECK: tt.descriptor_load becomes 1 x 16b_32r16x2c, proved, guarded, if a check at run time allows it, else a gather
// CHECK: kept tt.descriptor_load: width is known to be a multiple of 2 B only, must be one of 4 B [WIDTH_ALIGNMENT]
// CHECK: tt.descriptor_load becomes 1 x 16b_32r16x1c, proved, guarded, if a check at run time allows it, else a gather
// CHECK: tt.descriptor_load becomes 1 x 16b_32r16x1c, proved

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // COM: Width and pitch do not change in the loop: they are checked once, before it.
  // CHECK-LABEL: @in_a_loop
  // CHECK: %[[LOW:.*]] = arith.andi %columns, %c1_i32 : i32
  // CHECK: %[[EVEN:.*]] = arith.cmpi eq, %[[LOW]], %c0_i32
  // CHECK: arith.subi %stride, %c32_i64 : i64
  // CHECK: arith.subi %columns, %c32_i32 : i32
  // CHECK: %[[ALL:.*]] = arith.andi {{.*}} : i1
  // CHECK-NEXT: %[[MAY:.*]] = arith.andi %[[ALL]], {{.*}} : i1
  // CHECK: scf.for
  // CHECK: scf.if %[[MAY]] -> {{.*}} {
  // CHECK: %[[BLOCK:.*]] = ttig.2d_block_load {{.*}} {row_major}
  // CHECK-NEXT: scf.yield %[[BLOCK]]
  // CHECK: else
  // CHECK-NEXT: %[[GATHER:.*]] = tt.descriptor_load %desc[%c0, %k] :
  // CHECK-NEXT: scf.yield %[[GATHER]]
  // LLVM-LABEL: @in_a_loop
  // LLVM: scf.if
  // LLVM: llvm.call spir_funccc @{{.*}}__spirv_Subgroup2DBlockLoadINTEL
  tt.func @in_a_loop(%base: !tt.ptr<f16>, %rows: i32, %columns: i32, %stride: i64, %x: tensor<64x32xf16, #dot_a>) -> tensor<64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %one = arith.constant 1 : i64
    %desc = tt.make_tensor_descriptor %base, [%rows, %columns], [%stride, %one] : <f16>, <tensor<64x32xf16>>
    %sum = scf.for %k = %c0 to %columns step %c32 iter_args(%acc = %x) -> (tensor<64x32xf16, #dot_a>) : i32 {
      %a = tt.descriptor_load %desc[%c0, %k] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16, #dot_a>
      %s = arith.addf %acc, %a : tensor<64x32xf16, #dot_a>
      scf.yield %s : tensor<64x32xf16, #dot_a>
    }
    tt.return %sum : tensor<64x32xf16, #dot_a>
  }

  // COM: One of two descriptors: no single number decides.
  // CHECK-LABEL: @one_of_two
  // CHECK-NOT: 2d_block_load
  // CHECK: tt.return
  tt.func @one_of_two(%base: !tt.ptr<f16>, %rows: i32, %columns: i32, %stride: i64, %c: i1) -> tensor<64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %d = tt.make_tensor_descriptor %base, [%rows, %columns], [%stride, %one] : <f16>, <tensor<64x32xf16>>
    %e = tt.make_tensor_descriptor %base, [%rows, %rows], [%stride, %one] : <f16>, <tensor<64x32xf16>>
    %desc = arith.select %c, %d, %e : !tt.tensordesc<tensor<64x32xf16>>
    %a = tt.descriptor_load %desc[%c0, %c0] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16, #dot_a>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }
  // COM: Rows of 32 bytes do not show that pitch and width are 64 bytes; a mark is trusted.
  // CHECK-LABEL: @short_rows
  // CHECK: scf.if
  // CHECK: ttig.2d_block_load
  // CHECK: tt.descriptor_load
  // CHECK-NOT: scf.if
  // CHECK: ttig.2d_block_load
  // CHECK: tt.return
  tt.func @short_rows(%base: !tt.ptr<f16>, %rows: i32, %columns: i32 {tt.divisibility = 16 : i32}, %stride: i64) -> tensor<64x16xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %desc = tt.make_tensor_descriptor %base, [%rows, %columns], [%stride, %one] : <f16>, <tensor<64x16xf16>>
    %a = tt.descriptor_load %desc[%c0, %c0] : !tt.tensordesc<tensor<64x16xf16>> -> tensor<64x16xf16, #dot_a>
    %b = tt.descriptor_load %desc[%c0, %c0] {ttig.block_io = "row_major"} : !tt.tensordesc<tensor<64x16xf16>> -> tensor<64x16xf16, #dot_a>
    %sum = arith.addf %a, %b : tensor<64x16xf16, #dot_a>
    tt.return %sum : tensor<64x16xf16, #dot_a>
  }
}
