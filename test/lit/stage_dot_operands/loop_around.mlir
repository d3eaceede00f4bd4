// RUN: dotload-opt %s --stage-dot-operands | FileCheck %s

// COM: Triton does not pipeline a loop around another. The inner one is guarded by a condition, behind which Triton does
// COM: not see it: so the outer one is told to have one stage, if it has its own number of stages, or a dot.

#row = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 32]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: A is loaded by the outer loop.
// CHECK-LABEL: @loads_for_the_inner_loop
// CHECK:       scf.for
// CHECK:         scf.if
// CHECK:           scf.for
// CHECK:             ttng.warp_group_dot
// CHECK:       {tt.num_stages = 1 : i32}
// CHECK-NEXT:  tt.return
tt.func @loads_for_the_inner_loop(%ap: tensor<128x64x!tt.ptr<f8E4M3FN>, #row>, %bp: tensor<64x128x!tt.ptr<f8E4M3FN>, #row>, %n: i32, %cp: tensor<128x128x!tt.ptr<f32>, #mma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  scf.for %j = %c0 to %n step %c1 : i32 {
    %a = tt.load %ap : tensor<128x64x!tt.ptr<f8E4M3FN>, #row>
    %as = ttg.local_alloc %a : (tensor<128x64xf8E4M3FN, #row>) -> !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
      %b = tt.load %bp : tensor<64x128x!tt.ptr<f8E4M3FN>, #row>
      %bs = ttg.local_alloc %b : (tensor<64x128xf8E4M3FN, #row>) -> !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>
      %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
      scf.yield %d : tensor<128x128xf32, #mma>
    }
    tt.store %cp, %r : tensor<128x128x!tt.ptr<f32>, #mma>
  } {tt.num_stages = 3 : i32}
  tt.return
}

// COM: With its own number of stages, Triton would pipeline all loads of the outer loop, here a bias.
// CHECK-LABEL: @own_stages
// CHECK:       scf.for
// CHECK:         scf.if
// CHECK:       {tt.num_stages = 1 : i32}
// CHECK-NEXT:  tt.return
tt.func @own_stages(%as: !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>, %bp: tensor<64x128x!tt.ptr<f8E4M3FN>, #row>, %n: i32, %cp: tensor<128x128x!tt.ptr<f32>, #mma>, %biasp: tensor<128x128x!tt.ptr<f32>, #mma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  scf.for %j = %c0 to %n step %c1 : i32 {
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
      %b = tt.load %bp : tensor<64x128x!tt.ptr<f8E4M3FN>, #row>
      %bs = ttg.local_alloc %b : (tensor<64x128xf8E4M3FN, #row>) -> !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>
      %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
      scf.yield %d : tensor<128x128xf32, #mma>
    }
    %bias = tt.load %biasp : tensor<128x128x!tt.ptr<f32>, #mma>
    %biased = arith.addf %r, %bias : tensor<128x128xf32, #mma>
    tt.store %cp, %biased : tensor<128x128x!tt.ptr<f32>, #mma>
  } {tt.num_stages = 3 : i32}
  tt.return
}

// COM: A persistent kernel, whose outer loop has no number of stages: its TMA stores stay pipelined.
// CHECK-LABEL: @loads_nothing
// CHECK-NOT:     tt.num_stages
// CHECK:       tt.return
tt.func @loads_nothing(%as: !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>, %bp: tensor<64x128x!tt.ptr<f8E4M3FN>, #row>, %n: i32, %cp: tensor<128x128x!tt.ptr<f32>, #mma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  scf.for %j = %c0 to %n step %c1 : i32 {
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
      %b = tt.load %bp : tensor<64x128x!tt.ptr<f8E4M3FN>, #row>
      %bs = ttg.local_alloc %b : (tensor<64x128xf8E4M3FN, #row>) -> !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>
      %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
      scf.yield %d : tensor<128x128xf32, #mma>
    }
    tt.store %cp, %r : tensor<128x128x!tt.ptr<f32>, #mma>
  }
  tt.return
}
}
