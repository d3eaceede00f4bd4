// RUN: dotload-opt %s --stage-dot-operands='num-stages=3' --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[0, 0]]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], CGALayout = [[0, 0]], instrShape = [16, 128, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[0, 0]]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Converted tiles of dots that are spread over a cluster of CTAs stay, with a remark each.
// CHECK-LABEL: @of_a_cluster
// CHECK-NOT:   !ttg.memdesc<2x64x128
// CHECK:       tt.return
// REMARK-NOT:  error
// REMARK:      remark: stage-dot-operands: kept tt.load: {{.*}} [SEVERAL_CONVERTED]
tt.func @of_a_cluster(%as: !ttg.memdesc<128x64xf16, #shared, #smem>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked>, %cp: tensor<64x128x!tt.ptr<i8>, #blocked>, %s: tensor<64x128xf16, #blocked>, %n: i32) -> tensor<128x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %f = arith.sitofp %b : tensor<64x128xi8, #blocked> to tensor<64x128xf16, #blocked>
    %w = arith.mulf %f, %s : tensor<64x128xf16, #blocked>
    %bs = ttg.local_alloc %w : (tensor<64x128xf16, #blocked>) -> !ttg.memdesc<64x128xf16, #shared, #smem>
    %c = tt.load %cp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %g = arith.sitofp %c : tensor<64x128xi8, #blocked> to tensor<64x128xf16, #blocked>
    %v = arith.mulf %g, %s : tensor<64x128xf16, #blocked>
    %cs = ttg.local_alloc %v : (tensor<64x128xf16, #blocked>) -> !ttg.memdesc<64x128xf16, #shared, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xf16, #shared, #smem> * !ttg.memdesc<64x128xf16, #shared, #smem> -> tensor<128x128xf32, #mma>
    %x = arith.addf %d, %d : tensor<128x128xf32, #mma>
    %e = ttng.warp_group_dot %as, %cs, %x {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xf16, #shared, #smem> * !ttg.memdesc<64x128xf16, #shared, #smem> -> tensor<128x128xf32, #mma>
    scf.yield %e : tensor<128x128xf32, #mma>
  }
  tt.return %r : tensor<128x128xf32, #mma>
}
}
