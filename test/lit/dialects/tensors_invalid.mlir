// RUN: dotload-opt %s --lower-to-2d-block-load --split-input-file --verify-diagnostics

// COM: What MLIR's traits and Triton's verifiers ask of tensors. dotload's own parser reads these modules.
tt.func @three(%i: i32) {
  // expected-error @+1 {{'tt.splat' op result #0: number of elements must be power-of-two, but tensor<3xi32> has 3}}
  %0 = tt.splat %i : i32 -> tensor<3xi32>
  tt.return
}

// -----

// COM: The most elements, and twice as many.
tt.func @most(%i: i32) {
  %0 = tt.splat %i : i32 -> tensor<1048576xi32>
  // expected-error @+1 {{'tt.splat' op result #0: a tensor has at most 1048576 elements, but tensor<2097152xi32> has 2097152}}
  %1 = tt.splat %i : i32 -> tensor<2097152xi32>
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
tt.func @shape(%t: tensor<16x16xf32, #blocked>) {
  // expected-error @+1 {{'ttg.convert_layout' op requires the same shape for all operands and results}}
  %0 = ttg.convert_layout %t : tensor<16x16xf32, #blocked> -> tensor<16x32xf32, #rows>
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
tt.func @element(%t: tensor<16x16xf32, #blocked>) {
  // expected-error @+1 {{'ttg.convert_layout' op requires the same element type for all operands and results}}
  %0 = ttg.convert_layout %t : tensor<16x16xf32, #blocked> -> tensor<16x16xf16, #rows>
  tt.return
}

// -----

tt.func @scalar(%f: f32) {
  // expected-error @+1 {{'ttg.convert_layout' op converts tensors, got f32 and f32}}
  %0 = ttg.convert_layout %f : f32 -> f32
  tt.return
}

// -----

tt.func @rounding(%f: f32) {
  %0 = tt.fp_to_fp %f, rounding = rtne : f32 -> f16
  // expected-error @+1 {{'tt.fp_to_fp' op rounding mode is required for FP downcast; write `rounding = rtne` or `rounding = rtz`}}
  %1 = tt.fp_to_fp %f : f32 -> f16
  tt.return
}

// -----

tt.func @assert(%i: i32, %b: tensor<16xi1>) {
  tt.assert %b, "" : tensor<16xi1>
  // expected-error @+1 {{'tt.assert' op operand #0 must be of i1, but got i32}}
  tt.assert %i, "" : i32
  tt.return
}

// -----

tt.func @packed(%i: i32) {
  // expected-error @+1 {{'tt.elementwise_inline_asm' op packed_element must be positive}}
  %0 = tt.elementwise_inline_asm "" {constraints = "=r,r", packed_element = 0 : i32, pure = true} %i : i32 -> i32
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>
tt.func @no_operand(%t: tensor<16x16xf32, #blocked>, %b: tensor<16x16xf32, #b>) {
  // expected-error @+1 {{'tt.dot' op operand #0 must have a layout #ttg.dot_op<{opIdx = 0, ...}>, but got #ttg.blocked}}
  %0 = tt.dot %t, %b, %t : tensor<16x16xf32, #blocked> * tensor<16x16xf32, #b> -> tensor<16x16xf32, #blocked>
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
tt.func @other_operand(%a: tensor<16x16xf32, #a>, %t: tensor<16x16xf32, #blocked>) {
  // expected-error @+1 {{'tt.dot' op operand #1 must have a layout of opIdx = 1, but got #ttg.dot_op<{opIdx = 0}}
  %0 = tt.dot %a, %a, %t : tensor<16x16xf32, #a> * tensor<16x16xf32, #a> -> tensor<16x16xf32, #blocked>
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #rows}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>
tt.func @other_parent(%a: tensor<16x16xf32, #a>, %b: tensor<16x16xf32, #b>, %t: tensor<16x16xf32, #blocked>) {
  // expected-error @+1 {{'tt.dot' op operand #0 must have a layout whose parent is the result's}}
  %0 = tt.dot %a, %b, %t : tensor<16x16xf32, #a> * tensor<16x16xf32, #b> -> tensor<16x16xf32, #blocked>
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
tt.func @some_layouts(%a: tensor<16x16xf32>, %t: tensor<16x16xf32, #blocked>) {
  // expected-error @+1 {{'tt.dot' op operands and result must all have a layout, or none}}
  %0 = tt.dot %a, %t, %t : tensor<16x16xf32> * tensor<16x16xf32, #blocked> -> tensor<16x16xf32, #blocked>
  tt.return
}

// -----

tt.func @if(%b: i1, %i: i32, %f: f32) {
  // expected-error @+1 {{'scf.if' op the if branch yields f32, where i32 should be}}
  %0 = scf.if %b -> (i32) {
    scf.yield %f : f32
  } else {
    scf.yield %i : i32
  }
  tt.return
}

// -----

tt.func @else(%b: i1, %i: i32) {
  // expected-error @+1 {{'scf.if' op the else branch yields nothing, where i32 should be}}
  %0 = scf.if %b -> (i32) {
    scf.yield %i : i32
  } else {
  }
  tt.return
}

// -----

tt.func @while_condition(%b: i1, %i: i32, %f: f32) {
  // expected-error @+1 {{'scf.while' op the condition of the loop passes on f32, where i32 should be}}
  %0 = scf.while (%a = %i) : (i32) -> i32 {
    scf.condition(%b) %f : f32
  } do {
  ^bb0(%c: i32):
    scf.yield %c : i32
  }
  tt.return
}

// -----

tt.func @while_end(%b: i1, %i: i32, %f: f32) {
  // expected-error @+1 {{'scf.while' op the end of the loop passes on f32, where i32 should be}}
  %0 = scf.while (%a = %i) : (i32) -> i32 {
    scf.condition(%b) %a : i32
  } do {
  ^bb0(%c: i32):
    scf.yield %f : f32
  }
  tt.return
}

// -----

// expected-error @+1 {{#ttg.linear: two bases move by 1 in dim 1}}
tt.func @twice(%t: tensor<1x2xf32, #ttg.linear<{register = [[0, 1], [0, 1]], lane = [], warp = [], block = []}>>) {
  tt.return
}

// -----

// expected-error @+1 {{#ttg.linear: each basis must be a power of two in one dim, and 0 in the others}}
tt.func @three(%t: tensor<1x4xf32, #ttg.linear<{register = [[0, 3], [0, 0]], lane = [], warp = [], block = []}>>) {
  tt.return
}

// -----

// expected-error @+1 {{#ttg.linear: each basis must be a power of two in one dim, and 0 in the others}}
tt.func @slant(%t: tensor<2x2xf32, #ttg.linear<{register = [[1, 1], [0, 1]], lane = [], warp = [], block = []}>>) {
  tt.return
}

// -----

// expected-error @+1 {{#ttg.linear: all bases must have one entry for each dim}}
tt.func @ranks(%t: tensor<1x2xf32, #ttg.linear<{register = [[0, 1]], lane = [[0]], warp = [], block = []}>>) {
  tt.return
}

// -----

// COM: Of #ttg.generic_linear only the rank counts.
tt.func @generic(%t: tensor<2x2xf32, #ttg.generic_linear<{register = [[1, 1], [0, 1]], lane = [], warp = [], block = []}>>) {
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
// expected-error @+1 {{!ttg.memdesc: #ttg.blocked is a layout of registers, not one of memory}}
tt.func @registers(%m: !ttg.memdesc<16x16xf32, #blocked, #ttg.shared_memory>) {
  tt.return
}

// -----

// expected-error @+1 {{!ttg.memdesc needs an encoding and a memory space, as in !ttg.memdesc<8x16xf16, #shared, #smem>}}
tt.func @no_encoding(%m: !ttg.memdesc<16x16xf32>) {
  tt.return
}
