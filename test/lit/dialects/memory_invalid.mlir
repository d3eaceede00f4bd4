// RUN: dotload-opt %s --split-input-file --verify-diagnostics

// COM: An attribute of ttig keeps a module out of libtriton.
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  tt.func @another_shape(%x: tensor<32x32xf16, #b>) {
    // expected-error @+1 {{'ttg.local_alloc' op source shape [32, 32] must match destination shape [32, 64]}}
    %0 = ttg.local_alloc %x : (tensor<32x32xf16, #b>) -> !ttg.memdesc<32x64xf16, #shared, #smem>
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  tt.func @never_written() {
    // expected-error @+1 {{'ttg.local_alloc' op uninitialized alloc must have a mutable memdesc type}}
    %0 = ttg.local_alloc : () -> !ttg.memdesc<32x64xf16, #shared, #smem>
    tt.return
  }
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  tt.func @immutable(%m: !ttg.memdesc<32x64xf16, #shared, #smem>, %x: tensor<32x64xf16, #b>) {
    // expected-error @+1 {{'ttg.local_store' op cannot store into immutable memory}}
    ttg.local_store %x, %m : tensor<32x64xf16, #b> -> !ttg.memdesc<32x64xf16, #shared, #smem>
    tt.return
  }
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  tt.func @transposed(%m: !ttg.memdesc<32x64xf16, #shared, #smem>) {
    // expected-error @+1 {{'ttg.local_load' op source shape [32, 64] must match destination shape [64, 32]}}
    %0 = ttg.local_load %m : !ttg.memdesc<32x64xf16, #shared, #smem> -> tensor<64x32xf16, #b>
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  tt.func @one_of_two(%m: !ttg.memdesc<2x32x64xf16, #shared, #smem>, %i: i32) {
    // expected-error @+1 {{'ttg.memdesc_index' op result shape must equal that of}}
    %0 = ttg.memdesc_index %m[%i] : !ttg.memdesc<2x32x64xf16, #shared, #smem> -> !ttg.memdesc<64x64xf16, #shared, #smem>
    tt.return
  }
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  tt.func @other_axis(%a: tensor<32xi32, #ttg.slice<{dim = 0, parent = #b}>>) {
    // expected-error @+1 {{'tt.expand_dims' op incompatible slice dimension 0 for expand_dims of axis 1}}
    %0 = tt.expand_dims %a {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<32x1xi32, #b>
    tt.return
  }
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#c = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [2, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  tt.func @other_layout(%a: tensor<32xi32, #ttg.slice<{dim = 0, parent = #b}>>) {
    // expected-error @+1 {{'tt.expand_dims' op the result has the layout that the operand is a slice of}}
    %0 = tt.expand_dims %a {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x32xi32, #c>
    tt.return
  }
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  tt.func @same_layout(%a: tensor<32x32xi32, #b>) {
    // expected-error @+1 {{'tt.trans' op the result has the permuted layout of the operand, sizePerThread = [4, 1], threadsPerWarp = [8, 2], warpsPerCTA = [1, 4], order = [0, 1]}}
    %0 = tt.trans %a {order = array<i32: 1, 0>} : tensor<32x32xi32, #b> -> tensor<32x32xi32, #b>
    tt.return
  }
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#row = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 16], warpsPerCTA = [1, 4], order = [1, 0]}>
#column = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [16, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
#t = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  tt.func @right(%row: tensor<4x64xi32, #row>, %a: tensor<32x32xi32, #b>, %r: tensor<32xi32, #ttg.slice<{dim = 0, parent = #b}>>, %i: i32) {
    %0 = tt.trans %a {order = array<i32: 1, 0>} : tensor<32x32xi32, #b> -> tensor<32x32xi32, #t>
    // COM: The order of dims in which nothing is contiguous makes no difference.
    %column = tt.trans %row {order = array<i32: 1, 0>} : tensor<4x64xi32, #row> -> tensor<64x4xi32, #column>
    %1 = tt.expand_dims %r {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x32xi32, #b>
    %2 = ttg.local_alloc : () -> !ttg.memdesc<2x32x32xi32, #shared, #smem, mutable>
    %3 = ttg.memdesc_index %2[%i] : !ttg.memdesc<2x32x32xi32, #shared, #smem, mutable> -> !ttg.memdesc<32x32xi32, #shared, #smem, mutable>
    ttg.local_store %a, %3 : tensor<32x32xi32, #b> -> !ttg.memdesc<32x32xi32, #shared, #smem, mutable>
    tt.return
  }
}

// -----

// expected-error @+1 {{#ttg.blocked: every element of sizePerThread must be a power of two, got 3}}
#b = #ttg.blocked<{sizePerThread = [3], threadsPerWarp = [16], warpsPerCTA = [1], order = [0]}>
module attributes {ttig.support_2d_block_io} {
}

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [16], warpsPerCTA = [1], order = [0]}>
// expected-error @+1 {{#ttg.slice: dim = 1 must be less than the parent's rank 1}}
#s = #ttg.slice<{dim = 1, parent = #b}>
module attributes {ttig.support_2d_block_io} {
}
