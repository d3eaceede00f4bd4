// RUN: dotload-opt %s --await-register-operands | FileCheck %s
// RUN: dotload-opt %s --await-register-operands --check-shared-memory-hazards | FileCheck %s

// COM: The loop converts A into registers that the previous iteration's dot reads until a wait completes it.

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
!a8 = tensor<64x64xf8E4M3FN, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
!a16 = tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
!acc = tensor<64x64xf32, #mma>
!b = !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// CHECK-LABEL: @converted_above_the_wait
// CHECK:         tt.fp_to_fp
// CHECK:         ttng.warp_group_dot_wait {{.*}} {pendings = 0 : i32}
// CHECK:         scf.yield
tt.func @converted_above_the_wait(%x: !a8, %b: !b, %c: !acc, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (!acc) : i32 {
    %a = tt.fp_to_fp %x : !a8 -> !a16
    %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : !a16 * !b -> !acc
    %w = ttng.warp_group_dot_wait %d {pendings = 1 : i32} : !acc
    scf.yield %w : !acc
  }
  %all = ttng.warp_group_dot_wait %sum {pendings = 0 : i32} : !acc
  tt.return %all : !acc
}

// COM: The conversion follows a wait for all dots, as in attention: the dot may stay in flight at the end of an
// COM: iteration.
// CHECK-LABEL: @converted_below_a_wait
// CHECK:         ttng.warp_group_dot_wait {{.*}} {pendings = 0 : i32}
// CHECK:         tt.fp_to_fp
// CHECK-NOT:     ttng.warp_group_dot_wait
// CHECK:         scf.yield
tt.func @converted_below_a_wait(%x: !a8, %b: !b, %c: !acc, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (!acc) : i32 {
    %w = ttng.warp_group_dot_wait %acc {pendings = 0 : i32} : !acc
    %a = tt.fp_to_fp %x : !a8 -> !a16
    %d = ttng.warp_group_dot %a, %b, %w {inputPrecision = 0 : i32, isAsync = true} : !a16 * !b -> !acc
    scf.yield %d : !acc
  }
  %all = ttng.warp_group_dot_wait %sum {pendings = 0 : i32} : !acc
  tt.return %all : !acc
}
}
