// RUN: dotload-opt %s --hoist-carried-transposes --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 16, 16]}>
#flat = #ttg.linear<{register = [[1, 0], [0, 8], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 16], [0, 32]], block = []}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
!acc = tensor<64x16xf32, #mma>
!carried = tensor<16x64xf32, #flat>
!b = !ttg.memdesc<32x16xbf16, #shared, #smem>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Triton's pipeliner lets these dots stay in flight: the loop has to wait before it writes the registers of A
// COM: again.
// CHECK:       module attributes {dotload.converted = "operands"
// COM: The loop carries the untransposed result of the dot. Zeros need no transpose; the result is transposed after the
// COM: loop.
// CHECK-LABEL: @from_zero
// CHECK-NOT:   tt.trans
// CHECK:       %[[R:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}) -> (tensor<64x16xf32, #mma>)
// CHECK-NEXT:    %[[D:.*]] = ttng.warp_group_dot %{{.*}}, %{{.*}}, %[[ACC]]
// CHECK-NEXT:    scf.yield %[[D]] : tensor<64x16xf32, #mma>
// CHECK:       %[[T:.*]] = tt.trans %[[R]] {order = array<i32: 1, 0>} : tensor<64x16xf32, #mma> -> tensor<16x64xf32
// CHECK-NEXT:  tt.return %[[T]]
// REMARK:      remark: hoist-carried-transposes: transposed before and after the loop instead of in it
tt.func @from_zero(%a: tensor<64x32xbf16, #a>, %b: !b, %n: i32) -> !carried {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !carried
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!carried) : i32 {
    %t = tt.trans %acc {order = array<i32: 1, 0>} : !carried -> !acc
    %d = ttng.warp_group_dot %a, %b, %t {inputPrecision = 0 : i32} : tensor<64x32xbf16, #a> * !b -> !acc
    %u = tt.trans %d {order = array<i32: 1, 0>} : !acc -> !carried
    scf.yield %u : !carried
  }
  tt.return %r : !carried
}

// COM: An initial value other than zeros is transposed before the loop; an unused result is not transposed.
// CHECK-LABEL: @from_a_value
// CHECK:       %[[T:.*]] = tt.trans %arg3
// CHECK:       scf.for {{.*}} iter_args(%{{.*}} = %[[T]]) -> (tensor<64x16xf32, #mma>)
// CHECK-NOT:   tt.trans
// CHECK:       tt.return
tt.func @from_a_value(%a: tensor<64x32xbf16, #a>, %b: !b, %n: i32, %init: !carried) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (!carried) : i32 {
    %t = tt.trans %acc {order = array<i32: 1, 0>} : !carried -> !acc
    %d = ttng.warp_group_dot %a, %b, %t {inputPrecision = 0 : i32} : tensor<64x32xbf16, #a> * !b -> !acc
    %u = tt.trans %d {order = array<i32: 1, 0>} : !acc -> !carried
    scf.yield %u : !carried
  }
  tt.return
}

// COM: The body also uses the carried value, or the value that it yields, in another way.
// CHECK-LABEL: @other_uses
// CHECK:       scf.for {{.*}} -> (tensor<16x64xf32, #{{.*}}>, tensor<16x64xf32
// CHECK-COUNT-4: tt.trans
// CHECK:       tt.return
tt.func @other_uses(%a: tensor<64x32xbf16, #a>, %b: !b, %n: i32) -> (!carried, !carried) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !carried
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %more = %zero) -> (!carried, !carried) : i32 {
    %t = tt.trans %acc {order = array<i32: 1, 0>} : !carried -> !acc
    %d = ttng.warp_group_dot %a, %b, %t {inputPrecision = 0 : i32} : tensor<64x32xbf16, #a> * !b -> !acc
    %u = tt.trans %d {order = array<i32: 1, 0>} : !acc -> !carried
    %s = arith.addf %acc, %u : !carried
    %v = tt.trans %more {order = array<i32: 1, 0>} : !carried -> !acc
    %e = ttng.warp_group_dot %a, %b, %v {inputPrecision = 0 : i32} : tensor<64x32xbf16, #a> * !b -> !acc
    %w = tt.trans %e {order = array<i32: 1, 0>} : !acc -> !carried
    %x = arith.addf %w, %s : !carried
    scf.yield %w, %x : !carried, !carried
  }
  tt.return %r#0, %r#1 : !carried, !carried
}
}
