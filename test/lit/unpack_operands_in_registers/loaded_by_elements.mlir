// RUN: dotload-opt %s --unpack-operands-in-registers --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

// COM: Two bytes are too few for an asynchronous copy, so there is no tile in shared memory to read fragments from.

#down = #ttg.blocked<{sizePerThread = [2, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [0, 1]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#sharedt = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
!a = !ttg.memdesc<64x64xf16, #shared, #smem>
!b = !ttg.memdesc<64x64xf16, #sharedt, #smem>
!c = tensor<64x64xf32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// CHECK-LABEL: @two_bytes_at_a_time
// CHECK:       ttg.local_alloc
// REMARK:      kept tt.load: the tile is not known to be contiguous and aligned, {{.*}} [LOADED_BY_ELEMENTS]
tt.func @two_bytes_at_a_time(%a: !a, %bp: tensor<64x64x!tt.ptr<i8>, #down>, %s: f16, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %t = tt.splat %s : f16 -> tensor<64x64xf16, #down>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %b = tt.load %bp : tensor<64x64x!tt.ptr<i8>, #down>
    %w = arith.sitofp %b : tensor<64x64xi8, #down> to tensor<64x64xf16, #down>
    %h = arith.mulf %w, %t : tensor<64x64xf16, #down>
    %m = ttg.local_alloc %h : (tensor<64x64xf16, #down>) -> !b
    %d = ttng.warp_group_dot %a, %m, %acc {inputPrecision = 0 : i32} : !a * !b -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}
}
