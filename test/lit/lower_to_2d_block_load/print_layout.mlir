// RUN: dotload-opt %s --lower-to-2d-block-load --print-block-load-layout -o /dev/null 2>&1 | FileCheck %s

// COM: B^T in 32-bit elements of two f16 each along K: a message has 8 elements by 32 rows; the second starts 8
// COM: further.
// CHECK: print_layout.mlir:{{[0-9]+}}:{{[0-9]+}}: lower-to-2d-block-load: 2 x transpose 32b_32r8x1c
// CHECK-NEXT: Block load tile layout:
// CHECK-NEXT:  - offset=1 -> (0, 1)
// CHECK:         offset=64 -> (8, 0)
// CHECK-NEXT: where out dims are: [dim0 (size 16), dim1 (size 8)]
// CHECK: Block load tile layout after adding iterations:
// CHECK:  - iteration=1 -> (16, 0)
// CHECK-NEXT: where out dims are: [dim0 (size 32), dim1 (size 8)]
// CHECK: Block load tile layout after adding loads:
// CHECK:  - load=1 -> (0, 8)
// CHECK-NEXT: where out dims are: [dim0 (size 32), dim1 (size 16)]

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>
#dot_b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  tt.func @transposed_b(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<32x64xf16, #dot_b> {
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %size = arith.constant 1024 : i64
    %ptr = tt.make_tensor_ptr %base, [%size, %size], [%one, %size], [%c0, %c0] {order = array<i32: 0, 1>} : <tensor<32x64xf16, #dot_b>>
    %b = tt.load %ptr : !tt.ptr<tensor<32x64xf16, #dot_b>>
    tt.return %b : tensor<32x64xf16, #dot_b>
  }
}
