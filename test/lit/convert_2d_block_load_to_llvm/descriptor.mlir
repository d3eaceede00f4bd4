// RUN: dotload-opt %s --lower-to-2d-block-load --convert-2d-block-load-to-llvm='emit=spirv' | FileCheck %s

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // COM: A descriptor that is a function argument is a struct: two shapes, two strides, the base.
  // CHECK-LABEL: @argument
  // CHECK: %[[S:[a-z0-9_]+]] = builtin.unrealized_conversion_cast %desc : {{.*}} to !llvm.struct<(i64, i64, i64, i64, ptr<1>)>
  // CHECK: llvm.extractvalue %[[S]][1]
  // CHECK: llvm.extractvalue %{{.*}}[4]
  // CHECK: llvm.call spir_funccc @_Z32__spirv_Subgroup2DBlockLoadINTEL
  // CHECK-NOT: ttig.
  tt.func @argument(%desc: !tt.tensordesc<tensor<64x32xf16>>, %y: i32) -> tensor<64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %a = tt.descriptor_load %desc[%y, %c0] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16, #dot_a>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // COM: If the kernel makes the descriptor, its operands are used directly.
  // CHECK-LABEL: @made_here
  // CHECK: %[[W:[a-z0-9_]+]] = arith.extsi %columns : i32 to i64
  // CHECK: arith.trunci %[[W]] : i64 to i32
  // CHECK: arith.trunci %stride : i64 to i32
  // CHECK: builtin.unrealized_conversion_cast %base : !tt.ptr<f16> to !llvm.ptr<1>
  // CHECK-NOT: ttig.
  tt.func @made_here(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %rows: i32, %columns: i32 {tt.divisibility = 16 : i32}, %stride: i64 {tt.divisibility = 16 : i32}) -> tensor<64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %desc = tt.make_tensor_descriptor %base, [%rows, %columns], [%stride, %one] : <f16>, <tensor<64x32xf16>>
    %a = tt.descriptor_load %desc[%c0, %c0] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16, #dot_a>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }
}
