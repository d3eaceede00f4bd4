// RUN: dotload-opt %s --unpack-operands-in-registers --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

// COM: 128 rows by 128 columns by K = 128, 4 warps: 128 registers of the accumulator, 64 of the operand.

#down = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#sharedt = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
!a = !ttg.memdesc<128x128xf16, #shared, #smem>
!b = !ttg.memdesc<128x128xf16, #sharedt, #smem>
!c = tensor<128x128xf32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// CHECK-LABEL: @many_registers
// CHECK:       ttg.local_alloc
// REMARK:      kept tt.load: the accumulator and the operand unpacked from this tile would take 192 registers per thread; {{.*}} [MANY_REGISTERS]
tt.func @many_registers(%a: !a, %bp: tensor<128x128x!tt.ptr<i8>, #down>, %s: f16, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %t = tt.splat %s : f16 -> tensor<128x128xf16, #down>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %b = tt.load %bp : tensor<128x128x!tt.ptr<i8>, #down>
    %w = arith.sitofp %b : tensor<128x128xi8, #down> to tensor<128x128xf16, #down>
    %h = arith.mulf %w, %t : tensor<128x128xf16, #down>
    %m = ttg.local_alloc %h : (tensor<128x128xf16, #down>) -> !b
    %d = ttng.warp_group_dot %a, %m, %acc {inputPrecision = 0 : i32} : !a * !b -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}
}
