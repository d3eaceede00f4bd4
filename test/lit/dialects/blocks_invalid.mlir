// RUN: dotload-opt %s --split-input-file --verify-diagnostics

// COM: Offsets, indices and checked dims must match the block. (The module uses ttig, so dotload's own dialects parse
// COM: it.)
module attributes {ttig.support_2d_block_io} {
  tt.func @one_offset(%p: !tt.ptr<tensor<64x32xf16>>, %n: i32) {
    // expected-error @+1 {{'tt.advance' op a block of rank 2 has 2 offsets, got 1}}
    %q = tt.advance %p, [%n] : <tensor<64x32xf16>>
    tt.return
  }
}

// -----

module attributes {ttig.support_2d_block_io} {
  tt.func @shape_of_another_rank(%p: !tt.ptr<f16>, %s: i64, %n: i32) {
    // expected-error @+1 {{'tt.make_tensor_ptr' op a block of rank 2 has 2 offsets, got 3}}
    %q = tt.make_tensor_ptr %p, [%s, %s, %s], [%s, %s, %s], [%n, %n, %n] {order = array<i32: 2, 1, 0>} : <tensor<64x32xf16>>
    tt.return
  }
}

// -----

module attributes {ttig.support_2d_block_io} {
  tt.func @one_index(%d: !tt.tensordesc<64x32xf16>, %n: i32) {
    // expected-error @+1 {{'tt.descriptor_load' op a block of rank 2 has 2 indices, got 1}}
    %x = tt.descriptor_load %d[%n] : !tt.tensordesc<64x32xf16> -> tensor<64x32xf16>
    tt.return
  }
}

// -----

module attributes {ttig.support_2d_block_io} {
  tt.func @three_indices(%d: !tt.tensordesc<64x32xf16>, %n: i32, %x: tensor<64x32xf16>) {
    // expected-error @+1 {{'tt.descriptor_store' op a block of rank 2 has 2 indices, got 3}}
    tt.descriptor_store %d[%n, %n, %n], %x : !tt.tensordesc<64x32xf16>, tensor<64x32xf16>
    tt.return
  }
}

// -----

module attributes {ttig.support_2d_block_io} {
  tt.func @prefetch(%d: !tt.tensordesc<64x32xf16>, %n: i32) {
    // expected-error @+1 {{'ttig.descriptor_prefetch' op a block of rank 2 has 2 indices, got 1}}
    ttig.descriptor_prefetch %d[%n] : !tt.tensordesc<64x32xf16>
    tt.return
  }
}

// -----

module attributes {ttig.support_2d_block_io} {
  tt.func @no_such_dim(%p: !tt.ptr<tensor<64x32xf16>>) {
    // expected-error @+1 {{'tt.load' op a block of rank 2 has no dim 2 to check (boundaryCheck)}}
    %x = tt.load %p {boundaryCheck = array<i32: 0, 2>} : !tt.ptr<tensor<64x32xf16>>
    tt.return
  }
}

// -----

module attributes {ttig.support_2d_block_io} {
  tt.func @negative_dim(%p: !tt.ptr<tensor<64x32xf16>>, %x: tensor<64x32xf16>) {
    // expected-error @+1 {{'tt.store' op a block of rank 2 has no dim -1 to check (boundaryCheck)}}
    tt.store %p, %x {boundaryCheck = array<i32: -1>} : !tt.ptr<tensor<64x32xf16>>
    tt.return
  }
}

// -----

// expected-error @+1 {{#ttig.dpas: warpsPerCTA and repCluster must both have rank 2 or 3, got 1 and 1}}
#rank_1 = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2], repCluster = [4]}>

// -----

// expected-error @+1 {{pointer types must point to integer or floating-point types, not vector<4xf32>}}
!pointer = !tt.ptr<vector<4xf32>>
module attributes {ttig.support_2d_block_io} {
}

// -----

module attributes {ttig.support_2d_block_io} {
  llvm.func @number_to_pointer(%a: i32) {
    // expected-error @+1 {{'llvm.trunc' op does not take operands or results of these types}}
    %0 = llvm.trunc %a : i32 to !llvm.ptr
    llvm.return
  }
}
