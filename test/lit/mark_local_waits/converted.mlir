// RUN: dotload-opt %s --mark-local-waits | FileCheck %s

// COM: Nothing is staged. A dot whose A the kernel converts in registers is waited for locally.

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
!a = !ttg.memdesc<64x16xf16, #rows, #smem, mutable>
!b = !ttg.memdesc<16x128xf16, #shared, #smem, mutable>
!c = tensor<64x128xf32, #mma>
!bytes = tensor<64x16xi8, #dot>
!halves = tensor<64x16xf16, #dot>
module attributes {dotload.converted = "operands", "ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// CHECK-LABEL: @in_registers
// CHECK:         scf.for
// CHECK:           ttng.warp_group_dot_wait {{.*}} {pendings = 0 : i32, warpGroupLocal}
tt.func @in_registers(%bytes: !bytes, %b: !b, %init: !c, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (!c) : i32 {
    %a = arith.sitofp %bytes : !bytes to !halves
    %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : !halves * !b -> !c
    %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !c
    scf.yield %w : !c
  }
  tt.return %r : !c
}

// COM: Another loop of the kernel, which is Triton's.
// CHECK-LABEL: @in_shared_memory
// CHECK:         scf.for
// CHECK:           ttng.warp_group_dot_wait {{.*}} {pendings = 0 : i32} :
tt.func @in_shared_memory(%a: !a, %b: !b, %init: !c, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (!c) : i32 {
    %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : !a * !b -> !c
    %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !c
    scf.yield %w : !c
  }
  tt.return %r : !c
}
// COM: Attention's second dot takes its probabilities from registers, the first its queries from shared memory.
// CHECK-LABEL: @one_of_two
// CHECK-COUNT-2:   ttng.warp_group_dot_wait {{.*}} {pendings = 0 : i32} :
tt.func @one_of_two(%bytes: !bytes, %a: !a, %b: !b, %init: !c, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (!c) : i32 {
    %d0 = ttng.warp_group_dot %a, %b, %init {inputPrecision = 0 : i32, isAsync = true} : !a * !b -> !c
    %w0 = ttng.warp_group_dot_wait %d0 {pendings = 0 : i32} : !c
    %p = arith.sitofp %bytes : !bytes to !halves
    %d = ttng.warp_group_dot %p, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : !halves * !b -> !c
    %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !c
    scf.yield %w : !c
  }
  tt.return %r : !c
}
}
