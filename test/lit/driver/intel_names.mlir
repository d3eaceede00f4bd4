// RUN: dotload-opt %s -tritonintelgpu-lower-to-2d-block-load | FileCheck %s
// RUN: dotload-opt %s -tritonintelgpu-lower-to-2d-block-load -verify-diagnostics
// RUN: not dotload-opt %s -tritonintelgpu-lower-to-2d-block-load -verify-diagnostics --remarks 2>&1 | FileCheck %s --check-prefix=REMARK

// COM: Nothing here needs dotload's dialects, but all passes are Intel's, so the values keep their names. A remark that
// COM: a test does not expect is not an error.
// CHECK: tt.func @f(%desc: !tt.tensordesc<64x32xf16>, %x: i32)
// CHECK-NEXT: %tile = tt.descriptor_load %desc[%x, %x]
// REMARK: error: unexpected remark: lower-to-2d-block-load: kept tt.descriptor_load
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32} {
  tt.func @f(%desc: !tt.tensordesc<64x32xf16>, %x: i32) -> tensor<64x32xf16, #blocked> {
    %tile = tt.descriptor_load %desc[%x, %x] : !tt.tensordesc<64x32xf16> -> tensor<64x32xf16, #blocked>
    tt.return %tile : tensor<64x32xf16, #blocked>
  }
}
