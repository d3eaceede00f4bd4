// RUN: dotload-opt %s --stage-dot-operands | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {

// COM: The loop exchanges the sums of even and of odd iterations. The columns of both are permuted until the loop ends.
// CHECK-LABEL: @accumulators_in_turn
// CHECK:         %[[R:.*]]:2 = scf.for %{{.*}} iter_args(%[[ACC:[^ ]*]] = %{{.*}}, %[[OTHER:[^ ]*]] = %{{.*}})
// CHECK:           ttg.local_load %{{.*}} {dotload.staged = "fragments"}
// CHECK:           %[[D:.*]] = tt.dot %{{.*}}, %{{.*}}, %[[ACC]]
// CHECK-NEXT:      scf.yield %[[OTHER]], %[[D]]
// CHECK:         tt.reshape %[[R]]#0
// CHECK-NEXT:    tt.trans
// CHECK-NEXT:    tt.reshape
// CHECK:         tt.reshape %[[R]]#1
// CHECK-NEXT:    tt.trans
// CHECK-NEXT:    tt.reshape
// CHECK:         tt.return
tt.func @accumulators_in_turn(%a: tensor<64x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked>, %n: i32) -> (tensor<64x128xi32, #mma>, tensor<64x128xi32, #mma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<64x128xi32, #mma>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %other = %zero) -> (tensor<64x128xi32, #mma>, tensor<64x128xi32, #mma>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %bo = ttg.convert_layout %b : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    %d = tt.dot %a, %bo, %acc : tensor<64x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x128xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<64x128xi32, #mma>
    scf.yield %other, %d : tensor<64x128xi32, #mma>, tensor<64x128xi32, #mma>
  }
  tt.return %r#0, %r#1 : tensor<64x128xi32, #mma>, tensor<64x128xi32, #mma>
}
}
