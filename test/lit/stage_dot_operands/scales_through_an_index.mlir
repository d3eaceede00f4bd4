// RUN: dotload-opt %s --stage-dot-operands='num-stages=2' | FileCheck %s

// COM: Tiles of a paged cache and scales of 16 bits, which lie where an index says. cp.async cannot copy separate
// COM: elements of 2 bytes, so Triton carries what is loaded ahead in registers.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: A thread has 16 scales, in 8 registers: loaded ahead with the tiles.
// CHECK-LABEL: @few_scales
// CHECK:       tt.load {{.*}} {tt.latency = 1 : i32} : !tt.ptr<i32>
// CHECK:       tt.load {{.*}} {tt.latency = 1 : i32} : tensor<512x64x!tt.ptr<i8>
// CHECK:       tt.load {{.*}} {tt.latency = 1 : i32} : tensor<512x!tt.ptr<f16>
tt.func @few_scales(%a: tensor<16x512xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>, %bp: tensor<512x64x!tt.ptr<i8>, #blocked>, %sp: tensor<512x!tt.ptr<f16>, #ttg.slice<{dim = 1, parent = #blocked}>>, %tp: !tt.ptr<i32>, %n: i32) -> tensor<16x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x64xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x64xf32, #mma>) : i32 {
    %page = tt.load %tp : !tt.ptr<i32>
    %at = tt.splat %page : i32 -> tensor<512x64xi32, #blocked>
    %atp = tt.addptr %bp, %at : tensor<512x64x!tt.ptr<i8>, #blocked>, tensor<512x64xi32, #blocked>
    %b = tt.load %atp : tensor<512x64x!tt.ptr<i8>, #blocked>
    %s_at = tt.splat %page : i32 -> tensor<512xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %s_atp = tt.addptr %sp, %s_at : tensor<512x!tt.ptr<f16>, #ttg.slice<{dim = 1, parent = #blocked}>>, tensor<512xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %s = tt.load %s_atp : tensor<512x!tt.ptr<f16>, #ttg.slice<{dim = 1, parent = #blocked}>>
    %s1 = tt.expand_dims %s {axis = 1 : i32} : tensor<512xf16, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<512x1xf16, #blocked>
    %so = ttg.convert_layout %s1 : tensor<512x1xf16, #blocked> -> tensor<512x1xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    %scale = tt.broadcast %so : tensor<512x1xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<512x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    %bo = ttg.convert_layout %b : tensor<512x64xi8, #blocked> -> tensor<512x64xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    %bf = arith.sitofp %bo : tensor<512x64xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> to tensor<512x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    %bs = arith.mulf %bf, %scale : tensor<512x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    %d = tt.dot %a, %bs, %acc : tensor<16x512xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<512x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<16x64xf32, #mma>
    scf.yield %d : tensor<16x64xf32, #mma>
  }
  tt.return %r : tensor<16x64xf32, #mma>
}

// COM: 16 registers are too many: Triton decides.
// CHECK-LABEL: @many_scales
// CHECK-NOT:   tt.latency
// CHECK:       tt.return
tt.func @many_scales(%a: tensor<16x1024xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>, %bp: tensor<1024x64x!tt.ptr<i8>, #blocked>, %sp: tensor<1024x!tt.ptr<f16>, #ttg.slice<{dim = 1, parent = #blocked}>>, %tp: !tt.ptr<i32>, %n: i32) -> tensor<16x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x64xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x64xf32, #mma>) : i32 {
    %page = tt.load %tp : !tt.ptr<i32>
    %at = tt.splat %page : i32 -> tensor<1024x64xi32, #blocked>
    %atp = tt.addptr %bp, %at : tensor<1024x64x!tt.ptr<i8>, #blocked>, tensor<1024x64xi32, #blocked>
    %b = tt.load %atp : tensor<1024x64x!tt.ptr<i8>, #blocked>
    %s_at = tt.splat %page : i32 -> tensor<1024xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %s_atp = tt.addptr %sp, %s_at : tensor<1024x!tt.ptr<f16>, #ttg.slice<{dim = 1, parent = #blocked}>>, tensor<1024xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %s = tt.load %s_atp : tensor<1024x!tt.ptr<f16>, #ttg.slice<{dim = 1, parent = #blocked}>>
    %s1 = tt.expand_dims %s {axis = 1 : i32} : tensor<1024xf16, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<1024x1xf16, #blocked>
    %so = ttg.convert_layout %s1 : tensor<1024x1xf16, #blocked> -> tensor<1024x1xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    %scale = tt.broadcast %so : tensor<1024x1xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<1024x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    %bo = ttg.convert_layout %b : tensor<1024x64xi8, #blocked> -> tensor<1024x64xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    %bf = arith.sitofp %bo : tensor<1024x64xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> to tensor<1024x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    %bs = arith.mulf %bf, %scale : tensor<1024x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    %d = tt.dot %a, %bs, %acc : tensor<16x1024xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<1024x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<16x64xf32, #mma>
    scf.yield %d : tensor<16x64xf32, #mma>
  }
  tt.return %r : tensor<16x64xf32, #mma>
}
}
