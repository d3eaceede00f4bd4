// RUN: dotload-opt %s --lower-to-2d-block-prefetch --split-input-file --verify-diagnostics

// COM: A mark that names no memory order.
module attributes {ttig.support_2d_block_io} {
  tt.func @unknown_order(%ptr: tensor<64x32x!tt.ptr<f16>>) {
    // expected-error @+1 {{'lower-to-2d-block-prefetch' failed: ttig.block_io must be 'row_major' or 'column_major', got "diagonal"}}
    ttig.prefetch %ptr {ttig.block_io = "diagonal"} : tensor<64x32x!tt.ptr<f16>>
    tt.return
  }
}
