// RUN: dotload-opt %s --lower-to-2d-block-prefetch --split-input-file --verify-diagnostics
// RUN: not dotload-opt %s --lower-to-2d-block-prefetch='target=dg2' 2>&1 | FileCheck %s

// CHECK: error: {{.*}}'lower-to-2d-block-prefetch' failed: unknown Xe target 'dg2'; known are pvc, xe2, lnl, xe3

// COM: A mark that names no memory order.
module attributes {ttig.support_2d_block_io} {
  tt.func @unknown_order(%ptr: tensor<64x32x!tt.ptr<f16>>) {
    // expected-error @+1 {{'lower-to-2d-block-prefetch' failed: ttig.block_io must be 'row_major' or 'column_major', got "diagonal"}}
    ttig.prefetch %ptr {ttig.block_io = "diagonal"} : tensor<64x32x!tt.ptr<f16>>
    tt.return
  }
}
