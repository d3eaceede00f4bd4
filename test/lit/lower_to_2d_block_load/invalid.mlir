// RUN: dotload-opt %s -tritonintelgpu-lower-to-2d-block-load --split-input-file --verify-diagnostics
// RUN: dotload-opt %s --lower-to-2d-block-load --split-input-file --verify-diagnostics

// COM: Marks that name no memory order.
module attributes {ttig.support_2d_block_io} {
  tt.func @unknown_order(%ptr: !tt.ptr<tensor<64x32xf16>>) {
    // expected-error @+1 {{'lower-to-2d-block-load' failed: ttig.block_io must be 'row_major' or 'column_major', got "diagonal"}}
    %a = tt.load %ptr {ttig.block_io = "diagonal"} : !tt.ptr<tensor<64x32xf16>>
    tt.return
  }
}

// -----

module attributes {ttig.support_2d_block_io} {
  tt.func @not_a_string(%desc: !tt.tensordesc<64x32xf16>, %i: i32) {
    // expected-error @+1 {{'lower-to-2d-block-load' failed: ttig.block_io must be 'row_major' or 'column_major', got 1 : i32}}
    %a = tt.descriptor_load %desc[%i, %i] {ttig.block_io = 1 : i32} : !tt.tensordesc<64x32xf16> -> tensor<64x32xf16>
    tt.return
  }
}

// -----

module attributes {triton_intel_gpu.support_sg_2d_block} {
  tt.func @older_name(%ptr: tensor<64x32x!tt.ptr<f16>>) {
    // expected-error @+1 {{'lower-to-2d-block-load' failed: triton_intel_gpu.block_io must be 'row_major' or 'column_major', got "rowmajor"}}
    %a = tt.load %ptr {triton_intel_gpu.block_io = "rowmajor"} : tensor<64x32x!tt.ptr<f16>>
    tt.return
  }
}
