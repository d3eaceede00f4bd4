// RUN: dotload-opt %s --lower-to-2d-block-load --split-input-file --verify-diagnostics

// COM: A part of comments only is an empty module, as for MLIR.

// -----

// expected-error @+1 {{'builtin.module' op ttg.threads-per-warp must be a power of two, got 0 : i32}}
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 0 : i32} {}

// -----

// expected-error @+1 {{'builtin.module' op ttg.num-warps must be a power of two, got -4 : i32}}
module attributes {"ttg.num-warps" = -4 : i32} {}

// -----

// expected-error @+1 {{'builtin.module' op ttg.num-warps must be a power of two, got "4"}}
module attributes {"ttg.num-warps" = "4"} {}

// -----

// expected-error @+1 {{'builtin.module' op ttg.num-ctas must be a power of two, got 3 : i32}}
module attributes {"ttg.num-ctas" = 3 : i32} {}

// -----

// expected-error @+1 {{'builtin.module' op ttg.num-warps must be a power of two, got 6 : i32}}
module attributes {"triton_gpu.num-warps" = 6 : i32} {}

// -----

module {
  // expected-error @+1 {{'tt.func' op empty block: expect at least a terminator}}
  tt.func @no_end(%i: i32) {
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  tt.func @ranks(%a: tensor<16x16xf16, #blocked>) {
    // expected-error @+1 {{Layout has rank 1, but the tensor it's attached to has rank 2}}
    %0 = ttg.convert_layout %a : tensor<16x16xf16, #blocked> -> tensor<16x16xf16, #ttg.slice<{dim = 0, parent = #blocked}>>
    tt.return
  }
}

// -----

#linear = #ttg.linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0]], warp = [], block = []}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  tt.func @ranks_of_pointers(%p: tensor<64x!tt.ptr<f16>, #linear>) {
    // expected-error @+1 {{Layout has rank 2, but the tensor it's attached to has rank 1}}
    %0 = tt.load %p : tensor<64x!tt.ptr<f16>, #linear>
    tt.return
  }
}

// -----

// COM: Rules of Triton's verifier, which does not see modules of Intel's dialects here.
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [16], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 8 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  tt.func @warps() {
    // expected-error @+1 {{Layout has 4 warps per CTA, but the context requires 8 warps per CTA}}
    %0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #blocked>
    tt.return
  }
}

// -----

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [4, 1], repCluster = [1, 1]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @lanes(%p: tensor<32x32x!tt.ptr<f16>, #dot_a>) {
    // expected-error @+1 {{Layout has 16 threads per warp, but the module specifies 32 threads per warp}}
    %0 = tt.load %p : tensor<32x32x!tt.ptr<f16>, #dot_a>
    tt.return
  }
}


// -----

// expected-error @+1 {{attribute 'ttg.block' is unknown}}
#former = #triton_gpu.block<{sizePerThread = [1], threadsPerWarp = [16], warpsPerCTA = [4], order = [0]}>


// -----

tt.func @former_op(%a: tensor<16xf16>) {
  // expected-error @+1 {{custom op 'triton_gpu.view_slice' is unknown}}
  %0 = triton_gpu.view_slice %a : tensor<16xf16> -> tensor<16xf16>
  tt.return
}


// -----

tt.func @former_generic_op() {
  // expected-error @+1 {{unregistered operation 'triton_gpu.cmpi' found in dialect ('ttg') that does not allow unknown operations}}
  "triton_gpu.cmpi"() : () -> ()
  tt.return
}


// -----

tt.func @other_dialect(%x: i32) {
  // expected-error @+1 {{custom op 'nvvm.read.ptx.sreg.tid.x' is unknown; ops of other dialects are read in generic form: "nvvm.read.ptx.sreg.tid.x"(...)}}
  %0 = nvvm.read.ptx.sreg.tid.x : i32
  tt.return
}


// -----

tt.func @wide_elements(%x: i32) {
  // expected-error @+1 {{elements of dense<...> have at most 64 bits here, got 128}}
  %0 = arith.constant dense<1> : tensor<4xi128>
  tt.return
}


// -----

tt.func @many_elements(%x: i32) {
  // expected-error @+1 {{dense<...> has at most 16777216 elements here, got 2000000000}}
  %0 = arith.constant dense<1> : tensor<2000000000xi8>
  tt.return
}


// -----

tt.func @sparse(%x: i32) {
  // expected-error @+1 {{sparse<...> is not read here; write dense<...>}}
  %0 = arith.constant sparse<0, 1> : tensor<4xi32>
  tt.return
}


// -----

tt.func @shape(%x: i32) {
  // expected-error @+1 {{shape mismatch in dense literal}}
  %0 = arith.constant dense<[1, 2]> : tensor<4xi32>
  tt.return
}


// -----

tt.func @range(%x: i32) {
  // expected-error @+1 {{integer constant out of range for i8}}
  %0 = arith.constant dense<300> : tensor<4xi8>
  tt.return
}


// -----

tt.func @integer_for_float(%x: i32) {
  // expected-error @+1 {{integer 3 for a value of f32; write 3.0}}
  %0 = arith.constant 3 : f32
  tt.return
}


// -----

tt.func @wide_dims(%p: !tt.ptr<tensor<16xf16>>) {
  // expected-error @+1 {{'tt.load' op boundaryCheck must be an array of i32, got array<i64: 0>}}
  %0 = tt.load %p {boundaryCheck = array<i64: 0>} : !tt.ptr<tensor<16xf16>>
  tt.return
}


// -----

// expected-error @+1 {{attribute 'ttg.dpas' is unknown}}
#unknown = #ttg.dpas<{repeatCount = 8}>


// -----

// expected-error @+1 {{expected an unsigned integer of 32 bits, got -1}}
#negative = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [-1, 1]}>

// -----

// expected-error @+1 {{floats have at most 64 bits here, got f128}}
module attributes {a = 3.0 : f128} {}

// -----

#linear = #ttg.linear<{register = [[1]], lane = [[2], [4], [8], [16]], warp = [[32]], block = []}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32} {
  tt.func @linear(%x: tensor<64xf32, #linear>) {
    // expected-error @+1 {{Layout has 2 warps per CTA, but the context requires 4 warps per CTA}}
    %y = tt.bitcast %x : tensor<64xf32, #linear> -> tensor<64xi32, #linear>
    tt.return
  }
}

// -----

#block = #ttig.subgroup_2d_block<{warpsPerCTA = [2, 2], instrShape = [8, 16], numBlocks = 2, order = [1, 0], kWidth = 2, threadsPerWarp = 32}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32} {
  tt.func @block(%x: tensor<16x64xf32, #block>) {
    // expected-error @+1 {{Layout has 32 threads per warp, but the module specifies 16 threads per warp}}
    %y = tt.bitcast %x : tensor<16x64xf32, #block> -> tensor<16x64xi32, #block>
    tt.return
  }
}
