// RUN: dotload-opt %s --lower-to-2d-block-load=versions=false --lower-to-2d-block-prefetch --remarks 2>&1 >/dev/null | FileCheck %s

// COM: Memory whose rows a message cannot read. By their contract, descriptors have a base and strides that are
// COM: multiples of 16 bytes; their width is any number.
// CHECK: :21:10: remark: {{.*}} kept tt.descriptor_load: width is known to be a multiple of 2 B only, must be one of 4 B [WIDTH_ALIGNMENT]
// CHECK: :30:10: remark: {{.*}} tt.descriptor_load becomes
// CHECK: :39:10: remark: {{.*}} tt.descriptor_load becomes
// CHECK: :47:10: remark: {{.*}} kept tt.descriptor_load: neither of the last two dimensions is contiguous in memory [CONTIGUITY]
// CHECK: :56:10: remark: {{.*}} kept tt.descriptor_load: the descriptor may be one of several, with different paddings [PADDING]
// CHECK: :63:10: remark: {{.*}} kept tt.descriptor_load: the ops that make the descriptor are not known [UNKNOWN_DESCRIPTOR]
// CHECK: :70:10: remark: {{.*}} kept tt.descriptor_load: messages read global memory, and the pointers are to address space 3 [NOT_GLOBAL]
// CHECK: :20:5: remark: {{.*}} kept ttig.descriptor_prefetch: width is known to be a multiple of 2 B only, must be one of 4 B [WIDTH_ALIGNMENT]
#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  tt.func @any_width(%base: !tt.ptr<f16>, %rows: i32, %columns: i32, %stride: i64) -> tensor<64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %desc = tt.make_tensor_descriptor %base, [%rows, %columns], [%stride, %one] : <f16>, <tensor<64x32xf16>>
    ttig.descriptor_prefetch %desc[%c0, %c0] : !tt.tensordesc<tensor<64x32xf16>>
    %a = tt.descriptor_load %desc[%c0, %c0] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16, #dot_a>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // COM: The same, but the width is known to be even.
  tt.func @even_width(%base: !tt.ptr<f16>, %rows: i32, %columns: i32 {tt.divisibility = 2 : i32}, %stride: i64) -> tensor<64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %desc = tt.make_tensor_descriptor %base, [%rows, %columns], [%stride, %one] : <f16>, <tensor<64x32xf16>>
    %a = tt.descriptor_load %desc[%c0, %c0] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16, #dot_a>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // COM: The mark says that Intel's analysis has checked the width.
  tt.func @marked(%base: !tt.ptr<f16>, %rows: i32, %columns: i32, %stride: i64) -> tensor<64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %desc = tt.make_tensor_descriptor %base, [%rows, %columns], [%stride, %one] : <f16>, <tensor<64x32xf16>>
    %a = tt.descriptor_load %desc[%c0, %c0] {ttig.block_io = "row_major"} : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16, #dot_a>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  tt.func @every_other_element(%base: !tt.ptr<f16>, %rows: i32, %columns: i32 {tt.divisibility = 16 : i32}, %stride: i64) -> tensor<64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %two = arith.constant 2 : i64
    %desc = tt.make_tensor_descriptor %base, [%rows, %columns], [%stride, %two] : <f16>, <tensor<64x32xf16>>
    %a = tt.descriptor_load %desc[%c0, %c0] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16, #dot_a>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }
  tt.func @two_paddings(%base: !tt.ptr<f16>, %rows: i32, %columns: i32 {tt.divisibility = 16 : i32}, %stride: i64, %which: i1) -> tensor<64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %zeros = tt.make_tensor_descriptor %base, [%rows, %columns], [%stride, %one] : <f16>, <tensor<64x32xf16>>
    %nans = tt.make_tensor_descriptor %base, [%rows, %columns], [%stride, %one] {padding = 2 : i32} : <f16>, <tensor<64x32xf16>>
    %desc = arith.select %which, %zeros, %nans : !tt.tensordesc<tensor<64x32xf16>>
    %a = tt.descriptor_load %desc[%c0, %c0] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16, #dot_a>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  tt.func @made_by_an_unknown_op() -> tensor<64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %desc = "test.make"() : () -> !tt.tensordesc<tensor<64x32xf16>>
    %a = tt.descriptor_load %desc[%c0, %c0] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16, #dot_a>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }
  tt.func @shared_memory(%base: !tt.ptr<f16, 3>, %n: i32 {tt.divisibility = 16 : i32}, %stride: i64) -> tensor<64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %desc = tt.make_tensor_descriptor %base, [%n, %n], [%stride, %one] : <f16, 3>, <tensor<64x32xf16>>
    %a = tt.descriptor_load %desc[%c0, %c0] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16, #dot_a>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }
}
