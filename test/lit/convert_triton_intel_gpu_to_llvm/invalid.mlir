// RUN: dotload-opt %s --convert-triton-intel-gpu-to-llvm -split-input-file -verify-diagnostics

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [16], warpsPerCTA = [2], order = [0]}>
module attributes {"ttg.num-warps" = 2 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  tt.func public @reduction(%p: !tt.ptr<f32>, %x: tensor<32xf32, #blocked>) {
    // expected-error @+1 {{'tt.reduce' of rows in several warps is not lowered here: it takes shared memory; Intel's backend lowers it: see dotload.compile_xe}}
    %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<32xf32, #blocked>) -> f32
    tt.store %p, %s : !tt.ptr<f32>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [16], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32} {
  tt.func public @call(%p: !tt.ptr<i32>) {
    %x = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32, #blocked>
    %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      // expected-error @+1 {{'tt.call' in a tt.reduce is not lowered here}}
      %c = tt.call @f(%a, %b) : (i32, i32) -> i32
      tt.reduce.return %c : i32
    }) : (tensor<8xi32, #blocked>) -> i32
    tt.store %p, %s : !tt.ptr<i32>
    tt.return
  }
  tt.func private @f(%a: i32, %b: i32) -> i32 {
    tt.return %a : i32
  }
}

// -----

// COM: A lane's two elements are also those of its neighbour.
#copies = #ttg.generic_linear<{register = [[1]], lane = [[1], [2], [4], [8]], warp = [], block = []}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32} {
  tt.func public @copies(%x: tensor<16xi32, #copies>) -> i32 {
    // expected-error @+1 {{'tt.reduce' of elements that several lanes hold is not lowered here}}
    %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      tt.reduce.return %c : i32
    }) : (tensor<16xi32, #copies>) -> i32
    tt.return %s : i32
  }
}

// -----

// COM: Two lanes hold a diagonal.
#slanted = #ttg.generic_linear<{register = [[1, 0]], lane = [[1, 1], [2, 0], [4, 0], [8, 0]], warp = [], block = []}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32} {
  tt.func public @slanted(%x: tensor<16x2xi32, #slanted>) -> tensor<16xi32, #ttg.slice<{dim = 1, parent = #slanted}>> {
    // expected-error @+1 {{'tt.reduce' of rows that lanes hold at a slant is not lowered here}}
    %s = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      tt.reduce.return %c : i32
    }) : (tensor<16x2xi32, #slanted>) -> tensor<16xi32, #ttg.slice<{dim = 1, parent = #slanted}>>
    tt.return %s : tensor<16xi32, #ttg.slice<{dim = 1, parent = #slanted}>>
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [16], warpsPerCTA = [2], order = [0]}>
#other = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [16], warpsPerCTA = [2], order = [0]}>
module attributes {"ttg.num-warps" = 2 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  tt.func private @between_lanes(%x: tensor<64xf32, #blocked>) -> tensor<64xf32, #other> {
    // expected-error @+1 {{'ttg.convert_layout' moves elements between lanes or warps, which is not lowered here; give its operands and its result layouts that agree in lanes and warps, or compile the kernel whole: Intel's backend lowers it: see dotload.compile_xe}}
    %y = ttg.convert_layout %x : tensor<64xf32, #blocked> -> tensor<64xf32, #other>
    tt.return %y : tensor<64xf32, #other>
  }
}

// -----

// COM: Each warp holds its own halves of 16 rows, whereas the pieces are 8 rows of all warps.
#blocked = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [1, 16], warpsPerCTA = [2, 1], order = [1, 0]}>
#rows = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [1, 16], warpsPerCTA = [2, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 2 : i32, "ttg.threads-per-warp" = 16 : i32} {
  tt.func @glued(%a: tensor<8x16xf16, #blocked>) -> tensor<16x16xf16, #rows> {
    // expected-error @+1 {{'ttig.glue' moves elements between lanes or warps, which is not lowered here; give its operands and its result layouts that agree in lanes and warps}}
    %0 = ttig.glue %a, %a : (tensor<8x16xf16, #blocked>, tensor<8x16xf16, #blocked>) -> tensor<16x16xf16, #rows>
    tt.return %0 : tensor<16x16xf16, #rows>
  }
}

// -----

module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32} {
  tt.func @pieces_of_block_pointers(%a: !tt.ptr<tensor<8x16xf16>>) {
    // expected-error @+1 {{'ttig.glue' of what is no tensor is not lowered here}}
    %0 = ttig.glue %a, %a : (!tt.ptr<tensor<8x16xf16>>, !tt.ptr<tensor<8x16xf16>>) -> !tt.ptr<tensor<16x16xf16>>
    %1 = tt.load %0 : !tt.ptr<tensor<16x16xf16>>
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32} {
  // expected-error @+1 {{tensor<8x16xf16> has no layout}}
  tt.func @without_layout(%a: tensor<8x16xf16>) {
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  tt.func @of_another_dialect(%a: i32) {
    // expected-error @+1 {{'other.op' is not lowered here}}
    "other.op"(%a) : (i32) -> ()
    tt.return
  }
}

// -----

// COM: Lanes 8 to 15 would hold columns 0 to 7 of A once more, and their products would be added twice.
#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [1, 1], repCluster = [1, 1]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#dot_b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32} {
  tt.func @half_of_k(%a: tensor<8x8xf16, #dot_a>, %b: tensor<8x16xf16, #dot_b>, %c: tensor<8x16xf32, #mma>) -> tensor<8x16xf32, #mma> {
    // expected-error @+1 {{'tt.dot' with less of K than one DPAS multiplies is not lowered here}}
    %0 = tt.dot %a, %b, %c : tensor<8x8xf16, #dot_a> * tensor<8x16xf16, #dot_b> -> tensor<8x16xf32, #mma>
    tt.return %0 : tensor<8x16xf32, #mma>
  }
}

// -----

#rows = #ttg.blocked<{sizePerThread = [8, 2147483648], threadsPerWarp = [1, 16], warpsPerCTA = [1, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32} {
  // expected-error @+1 {{elements in a lane, more than 65536}}
  tt.func @too_many(%a: tensor<16x16xf16, #rows>) -> tensor<16x16xf16, #rows> {
    tt.return %a : tensor<16x16xf16, #rows>
  }
}

// -----

// COM: DPAS of subgroups of 8 lanes, as in Arc A-series.
#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 8, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [1, 1], repCluster = [1, 1]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#dot_b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32} {
  tt.func @eight_columns(%a: tensor<8x16xf16, #dot_a>, %b: tensor<16x8xf16, #dot_b>, %c: tensor<8x8xf32, #mma>) -> tensor<8x8xf32, #mma> {
    // expected-error @+1 {{'tt.dot' is lowered for DPAS of 16 columns only, its layout has executionSize = 8}}
    %d = tt.dot %a, %b, %c, inputPrecision = ieee : tensor<8x16xf16, #dot_a> * tensor<16x8xf16, #dot_b> -> tensor<8x8xf32, #mma>
    tt.return %d : tensor<8x8xf32, #mma>
  }
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 8 : i32} {
  // expected-error @+1 {{the module's ttg.num-warps and ttg.threads-per-warp do not fit: a subgroup of xe2 has 16 or 32 lanes, not 8}}
  tt.func @eight_lanes(%a: i32) {
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32} {
  // expected-error @+1 {{a subgroup of xe2 has 16 or 32 lanes, not 64}}
  tt.func @sixty_four_lanes(%a: i32) {
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 64 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // expected-error @+1 {{a work-group of xe2 has at most 1024 lanes, which is 32 subgroups of 32, not 64}}
  tt.func @too_many_warps(%a: i32) {
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 64 : i32, "ttg.threads-per-warp" = 16 : i32} {
  tt.func @most_warps(%a: i32) {
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [2, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32} {
  tt.func public @two_paddings(%base: !tt.ptr<f16>, %n: i32, %stride: i64, %which: i1) -> tensor<4x16xf16, #blocked> {
    %one = arith.constant 1 : i64
    %zeros = tt.make_tensor_descriptor %base, [%n, %n], [%stride, %one] : <f16>, <4x16xf16>
    %nans = tt.make_tensor_descriptor %base, [%n, %n], [%stride, %one] {padding = 2 : i32} : <f16>, <4x16xf16>
    %desc = arith.select %which, %zeros, %nans : !tt.tensordesc<4x16xf16>
    // expected-error @+1 {{'tt.descriptor_load' of descriptors with different paddings is not lowered here}}
    %a = tt.descriptor_load %desc[%n, %n] : !tt.tensordesc<4x16xf16> -> tensor<4x16xf16, #blocked>
    tt.return %a : tensor<4x16xf16, #blocked>
  }
}

// -----

// COM: The channels of the layout hold two elements, those of bytes four.
#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [1, 1], repCluster = [1, 1]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#dot_b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32} {
  tt.func private @bytes(%a: tensor<8x32xf8E5M2, #dot_a>, %b: tensor<32x16xf8E5M2, #dot_b>, %c: tensor<8x16xf32, #mma>) -> tensor<8x16xf32, #mma> {
    // expected-error @+1 {{'tt.dot' of f8E5M2 needs a layout with opsPerChan = 4, not 2}}
    %d = tt.dot %a, %b, %c : tensor<8x32xf8E5M2, #dot_a> * tensor<32x16xf8E5M2, #dot_b> -> tensor<8x16xf32, #mma>
    tt.return %d : tensor<8x16xf32, #mma>
  }
}

// -----

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 4, threadsPerWarp = 16, warpsPerCTA = [1, 1], repCluster = [1, 1]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#dot_b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32} {
  tt.func private @mixed(%a: tensor<8x32xf8E5M2, #dot_a>, %b: tensor<32x16xi8, #dot_b>, %c: tensor<8x16xf32, #mma>) -> tensor<8x16xf32, #mma> {
    // expected-error @+1 {{'tt.dot' of f8E5M2 and i8 is not lowered here}}
    %d = tt.dot %a, %b, %c : tensor<8x32xf8E5M2, #dot_a> * tensor<32x16xi8, #dot_b> -> tensor<8x16xf32, #mma>
    tt.return %d : tensor<8x16xf32, #mma>
  }
}
