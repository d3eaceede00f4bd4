// RUN: dotload-opt %s --await-register-operands | FileCheck %s

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: The branch uses the result of a dot with A in registers. The wait for the other dot ends this one too, but does
// COM: not forward its result: only the pass's own wait keeps the multiplication behind it.
// CHECK-LABEL: @a_branch_uses_the_result
// CHECK:           %[[D:.*]] = ttng.warp_group_dot %
// CHECK:           %[[OTHER:.*]] = ttng.warp_group_dot %
// CHECK-NEXT:      ttng.warp_group_dot_wait %[[OTHER]] {pendings = 0 : i32}
// CHECK:           scf.if
// CHECK-NEXT:        %[[W:.*]] = ttng.warp_group_dot_wait %[[D]] {pendings = 0 : i32}
// CHECK-NEXT:        arith.addf %[[W]], %[[W]]
// CHECK:           } else {
// CHECK-NEXT:        scf.yield %[[D]]
tt.func @a_branch_uses_the_result(%a: tensor<64x64xf16, #dot>, %b: !ttg.memdesc<64x64xf16, #shared, #smem>, %n: i32) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %sums:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %other = %zero) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) : i32 {
    %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x64xf16, #dot> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    %e = ttng.warp_group_dot %a, %b, %zero {inputPrecision = 0 : i32, isAsync = true} : tensor<64x64xf16, #dot> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    %w = ttng.warp_group_dot_wait %e {pendings = 0 : i32} : tensor<64x64xf32, #mma>
    %sum = arith.addf %other, %w : tensor<64x64xf32, #mma>
    %is_first = arith.cmpi eq, %i, %c0 : i32
    %next = scf.if %is_first -> (tensor<64x64xf32, #mma>) {
      %twice = arith.addf %d, %d : tensor<64x64xf32, #mma>
      scf.yield %twice : tensor<64x64xf32, #mma>
    } else {
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    scf.yield %next, %sum : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
  }
  %all = ttng.warp_group_dot_wait %sums#0 {pendings = 0 : i32} : tensor<64x64xf32, #mma>
  tt.return %all, %sums#1 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
}
}
