// RUN: dotload-opt %s --stage-dot-operands='num-stages=3' --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: As in attention, the loop scales rows of the accumulator: all columns alike, so they may be permuted.
// CHECK-LABEL: @rows_are_scaled
// CHECK:       %[[R:.*]] = scf.for
// CHECK:         %[[F:.*]] = builtin.unrealized_conversion_cast %{{.*}} to tensor<64x128xf8E4M3FN
// CHECK:         %[[W:.*]] = tt.fp_to_fp %[[F]]
// CHECK:         tt.dot %{{.*}}, %[[W]], %{{.*}} -> tensor<16x128xf32, #mma>
// CHECK-NOT:     tt.reshape
// CHECK:         scf.yield
// CHECK:       tt.reshape %[[R]]
// CHECK-NEXT:  tt.trans
// CHECK-NEXT:  tt.reshape
// REMARK:      rescaled_rows.mlir:[[@LINE+8]]:{{.*}} row-major B (not K-major, 8 bits, tile 64x128) is staged
tt.func @rows_are_scaled(%p: tensor<16x64xf16, #a>, %vp: tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>, %s: tensor<16x1xf32, #mma>, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %row = tt.broadcast %s : tensor<16x1xf32, #mma> -> tensor<16x128xf32, #mma>
    %old = arith.mulf %acc, %row : tensor<16x128xf32, #mma>
    %v = tt.load %vp : tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>
    %vo = ttg.convert_layout %v : tensor<64x128xf8E4M3FN, #blocked> -> tensor<64x128xf8E4M3FN, #b>
    %w = tt.fp_to_fp %vo : tensor<64x128xf8E4M3FN, #b> -> tensor<64x128xf16, #b>
    %d = tt.dot %p, %w, %old : tensor<16x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<16x128xf32, #mma>
    scf.yield %d : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}

// COM: A scale for each column would not match permuted columns.
// CHECK-LABEL: @columns_are_scaled
// CHECK-NOT:   ttg.local_alloc
// CHECK:       tt.return
// REMARK:      kept tt.load: the loop uses the accumulator for more than accumulation; {{.*}}: row-major B (not K-major, 8 bits, tile 64x128) [ACCUMULATOR_USED]
tt.func @columns_are_scaled(%p: tensor<16x64xf16, #a>, %vp: tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>, %s: tensor<1x128xf32, #mma>, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %column = tt.broadcast %s : tensor<1x128xf32, #mma> -> tensor<16x128xf32, #mma>
    %old = arith.mulf %acc, %column : tensor<16x128xf32, #mma>
    %v = tt.load %vp : tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>
    %vo = ttg.convert_layout %v : tensor<64x128xf8E4M3FN, #blocked> -> tensor<64x128xf8E4M3FN, #b>
    %w = tt.fp_to_fp %vo : tensor<64x128xf8E4M3FN, #b> -> tensor<64x128xf16, #b>
    %d = tt.dot %p, %w, %old : tensor<16x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<16x128xf32, #mma>
    scf.yield %d : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}

// COM: The initial value of the accumulator is permuted before the loop.
// CHECK-LABEL: @starts_from_a_value
// CHECK:       %[[S:.*]] = ttg.convert_layout {{.*}} -> tensor<16x128xf32, #mma>
// CHECK:       scf.for {{.*}} iter_args(%{{.*}} = %[[S]])
tt.func @starts_from_a_value(%p: tensor<16x64xf16, #a>, %vp: tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>, %start: tensor<16x128xf32, #mma>, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %start) -> (tensor<16x128xf32, #mma>) : i32 {
    %v = tt.load %vp : tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>
    %vo = ttg.convert_layout %v : tensor<64x128xf8E4M3FN, #blocked> -> tensor<64x128xf8E4M3FN, #b>
    %w = tt.fp_to_fp %vo : tensor<64x128xf8E4M3FN, #b> -> tensor<64x128xf16, #b>
    %d = tt.dot %p, %w, %acc : tensor<16x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<16x128xf32, #mma>
    scf.yield %d : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}
}
