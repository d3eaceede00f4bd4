// RUN: dotload-opt %s --stage-dot-operands='k-within-columns=true' | FileCheck %s --check-prefixes=CHECK,WITHIN
// RUN: dotload-opt %s --stage-dot-operands | FileCheck %s --check-prefixes=CHECK,ANY

// COM: With A from registers, Triton 3.6 cannot lower a dot that has fewer columns than its tile has k. For B, these
// COM: columns are the rows of the result, since the dot is transposed.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 32]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// CHECK-LABEL: @more_k
// WITHIN:        ttg.local_load {{.*}} {dotload.staged = "copy"}
// ANY:           ttg.local_load {{.*}} {dotload.staged = "fragments"}
tt.func @more_k(%as: !ttg.memdesc<64x128xf8E4M3FN, #shared, #smem>, %bp: tensor<128x128x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32) -> tensor<64x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x128xf32, #mma>) : i32 {
    %b = tt.load %bp : tensor<128x128x!tt.ptr<f8E4M3FN>, #blocked>
    %bs = ttg.local_alloc %b : (tensor<128x128xf8E4M3FN, #blocked>) -> !ttg.memdesc<128x128xf8E4M3FN, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<64x128xf8E4M3FN, #shared, #smem> * !ttg.memdesc<128x128xf8E4M3FN, #shared1, #smem> -> tensor<64x128xf32, #mma>
    scf.yield %d : tensor<64x128xf32, #mma>
  }
  tt.return %r : tensor<64x128xf32, #mma>
}

// CHECK-LABEL: @as_many
// CHECK:         ttg.local_load {{.*}} {dotload.staged = "fragments"}
tt.func @as_many(%as: !ttg.memdesc<128x128xf8E4M3FN, #shared, #smem>, %bp: tensor<128x128x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32) -> tensor<128x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
    %b = tt.load %bp : tensor<128x128x!tt.ptr<f8E4M3FN>, #blocked>
    %bs = ttg.local_alloc %b : (tensor<128x128xf8E4M3FN, #blocked>) -> !ttg.memdesc<128x128xf8E4M3FN, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x128xf8E4M3FN, #shared, #smem> * !ttg.memdesc<128x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
    scf.yield %d : tensor<128x128xf32, #mma>
  }
  tt.return %r : tensor<128x128xf32, #mma>
}
}
