// RUN: dotload-opt %s --permute-k-for-ldmatrix --allocate-shared-memory-nv='compute-capability=90 ptx-version=81' --convert-triton-gpu-to-llvm='compute-capability=90 ptx-version=81' | FileCheck %s
// RUN: dotload-opt %s --allocate-shared-memory-nv='compute-capability=90 ptx-version=81' --convert-triton-gpu-to-llvm='compute-capability=90 ptx-version=81' | FileCheck %s --check-prefix=STOCK

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#shared = #ttg.swizzled_shared<{vec = 16, perPhase = 1, maxPhase = 4, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: ldmatrix reads A; registers of B stay in place.
// CHECK-LABEL: @invariant
// CHECK-NOT:   nvvm.shfl
// CHECK:       ldmatrix
// CHECK-NOT:   nvvm.shfl
// CHECK-NOT:   llvm.store {{.*}} !llvm.ptr<3>
// CHECK:       mma.sync
// STOCK-LABEL: @invariant
// STOCK-NOT:   ldmatrix
// STOCK:       mma.sync
tt.func @invariant(%q: tensor<16x64xf16, #blocked>, %b: tensor<64x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>, %n: i32, %cp: tensor<16x32x!tt.ptr<f32>, #mma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x32xf32, #mma>
  %tile = ttg.local_alloc %q : (tensor<16x64xf16, #blocked>) -> !ttg.memdesc<16x64xf16, #shared, #smem>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x32xf32, #mma>) : i32 {
    %a = ttg.local_load %tile : !ttg.memdesc<16x64xf16, #shared, #smem> -> tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
    %d = tt.dot %a, %b, %acc : tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<16x32xf32, #mma>
    scf.yield %d : tensor<16x32xf32, #mma>
  }
  tt.store %cp, %r : tensor<16x32x!tt.ptr<f32>, #mma>
  tt.return
}
}
