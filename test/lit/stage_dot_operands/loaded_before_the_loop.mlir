// RUN: dotload-opt %s --stage-dot-operands | FileCheck %s

// COM: A tile that the loop does not load is copied K-major once, and wgmma reads the copy in every iteration.
// COM: Fragments would be read from shared memory again in each.

#col = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#row = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 32]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// CHECK-LABEL: @copied_once
// CHECK:       ttg.local_load {{.*}} {dotload.staged = "copy"}
// CHECK:       %[[B:.*]] = ttg.local_alloc
// CHECK:       scf.for
// CHECK-NOT:     ttg.local_load
// CHECK:         ttng.warp_group_dot %{{.*}}, %[[B]], %{{.*}}
tt.func @copied_once(%ap: tensor<128x64x!tt.ptr<f8E4M3FN>, #row>, %bp: tensor<64x128x!tt.ptr<f8E4M3FN>, #row>, %n: i32) -> tensor<128x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %b = tt.load %bp : tensor<64x128x!tt.ptr<f8E4M3FN>, #row>
  %bs = ttg.local_alloc %b : (tensor<64x128xf8E4M3FN, #row>) -> !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
    %a = tt.load %ap : tensor<128x64x!tt.ptr<f8E4M3FN>, #row>
    %as = ttg.local_alloc %a : (tensor<128x64xf8E4M3FN, #row>) -> !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
    scf.yield %d : tensor<128x128xf32, #mma>
  }
  tt.return %r : tensor<128x128xf32, #mma>
}

// COM: The registers are then free for the operand that the loop loads, A. Its copy would be the cheaper one otherwise.
// CHECK-LABEL: @other_operand_through_registers
// CHECK:       ttg.local_load {{.*}} {dotload.staged = "copy"}
// CHECK:       scf.for
// CHECK:         ttg.local_load {{.*}} {dotload.staged = "fragments"}
// CHECK-NOT:     ttg.local_load
// CHECK:         ttng.warp_group_dot
tt.func @other_operand_through_registers(%ap: tensor<64x64x!tt.ptr<f8E4M3FN>, #col>, %bp: tensor<64x128x!tt.ptr<f8E4M3FN>, #row>, %n: i32) -> tensor<64x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x128xf32, #mma>
  %b = tt.load %bp : tensor<64x128x!tt.ptr<f8E4M3FN>, #row>
  %bs = ttg.local_alloc %b : (tensor<64x128xf8E4M3FN, #row>) -> !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x128xf32, #mma>) : i32 {
    %a = tt.load %ap : tensor<64x64x!tt.ptr<f8E4M3FN>, #col>
    %as = ttg.local_alloc %a : (tensor<64x64xf8E4M3FN, #col>) -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<64x128xf32, #mma>
    scf.yield %d : tensor<64x128xf32, #mma>
  }
  tt.return %r : tensor<64x128xf32, #mma>
}
}
