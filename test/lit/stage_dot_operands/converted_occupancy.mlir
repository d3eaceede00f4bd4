// RUN: dotload-opt %s --stage-dot-operands='num-stages=3' --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

#blocked = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 8], order = [0, 1]}>
#wide = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [8, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 32, 16]}>
#mma_64 = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#columns = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Three tiles of A, two of bytes and one converted tile are 112 KB, of which two blocks fit. A second converted
// COM: tile would leave one.
// CHECK-LABEL: @two_blocks
// CHECK-NOT:   !ttg.memdesc<2x
// CHECK:       tt.return
// REMARK:      remark: stage-dot-operands: kept tt.load: with a second buffer for the converted tile, a single block would be resident; {{.*}} [ONE_BLOCK]
tt.func @two_blocks(%ap: tensor<128x128x!tt.ptr<f16>, #wide>, %bp: tensor<128x32x!tt.ptr<i8>, #blocked>, %s: tensor<128x32xf16, #blocked>, %n: i32) -> tensor<128x32xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x32xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x32xf32, #mma>) : i32 {
    %a = tt.load %ap : tensor<128x128x!tt.ptr<f16>, #wide>
    %as = ttg.local_alloc %a : (tensor<128x128xf16, #wide>) -> !ttg.memdesc<128x128xf16, #shared, #smem>
    %b = tt.load %bp : tensor<128x32x!tt.ptr<i8>, #blocked>
    %f = arith.sitofp %b : tensor<128x32xi8, #blocked> to tensor<128x32xf16, #blocked>
    %w = arith.mulf %f, %s : tensor<128x32xf16, #blocked>
    %bs = ttg.local_alloc %w : (tensor<128x32xf16, #blocked>) -> !ttg.memdesc<128x32xf16, #columns, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<128x128xf16, #shared, #smem> * !ttg.memdesc<128x32xf16, #columns, #smem> -> tensor<128x32xf32, #mma>
    scf.yield %d : tensor<128x32xf32, #mma>
  }
  tt.return %r : tensor<128x32xf32, #mma>
}

// COM: With 64 columns, one block is resident anyway.
// CHECK-LABEL: @one_block
// CHECK:       ttg.local_alloc : () -> !ttg.memdesc<2x128x64xf16
// REMARK:      remark: stage-dot-operands: tile 128x64 is converted into two buffers
tt.func @one_block(%ap: tensor<128x128x!tt.ptr<f16>, #wide>, %bp: tensor<128x64x!tt.ptr<i8>, #blocked>, %s: tensor<128x64xf16, #blocked>, %n: i32) -> tensor<128x64xf32, #mma_64> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x64xf32, #mma_64>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x64xf32, #mma_64>) : i32 {
    %a = tt.load %ap : tensor<128x128x!tt.ptr<f16>, #wide>
    %as = ttg.local_alloc %a : (tensor<128x128xf16, #wide>) -> !ttg.memdesc<128x128xf16, #shared, #smem>
    %b = tt.load %bp : tensor<128x64x!tt.ptr<i8>, #blocked>
    %f = arith.sitofp %b : tensor<128x64xi8, #blocked> to tensor<128x64xf16, #blocked>
    %w = arith.mulf %f, %s : tensor<128x64xf16, #blocked>
    %bs = ttg.local_alloc %w : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #columns, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<128x128xf16, #shared, #smem> * !ttg.memdesc<128x64xf16, #columns, #smem> -> tensor<128x64xf32, #mma_64>
    scf.yield %d : tensor<128x64xf32, #mma_64>
  }
  tt.return %r : tensor<128x64xf32, #mma_64>
}
}
