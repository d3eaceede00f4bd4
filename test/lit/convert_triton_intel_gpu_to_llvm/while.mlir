// RUN: dotload-opt %s --convert-triton-intel-gpu-to-llvm | FileCheck %s

#a = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [16], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32} {
  // COM: Tensors that the loop carries are structs of a lane's registers. The condition hands the values on in another
  // COM: order.
  // CHECK-LABEL: llvm.func spir_kernelcc @doubled
  // CHECK: %[[R:.*]]:2 = scf.while (%[[I:.*]] = %{{.*}}, %[[V:.*]] = %{{.*}}) : (i32, !llvm.struct<(f32, f32)>) -> (!llvm.struct<(f32, f32)>, i32)
  // CHECK: %[[MORE:.*]] = llvm.icmp "slt" %[[I]]
  // CHECK: scf.condition(%[[MORE]]) %[[V]], %[[I]] : !llvm.struct<(f32, f32)>, i32
  // CHECK: } do {
  // CHECK: ^bb0(%[[OLD:.*]]: !llvm.struct<(f32, f32)>, %{{.*}}: i32):
  // CHECK: llvm.extractvalue %[[OLD]][0]
  // CHECK: llvm.fadd
  // CHECK: scf.yield %{{.*}}, %{{.*}} : i32, !llvm.struct<(f32, f32)>
  // CHECK: llvm.return %[[R]]#0
  tt.func public @doubled(%n: i32, %x: tensor<32xf32, #a>) -> tensor<32xf32, #a> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.while (%i = %c0, %v = %x) : (i32, tensor<32xf32, #a>) -> (tensor<32xf32, #a>, i32) {
      %more = arith.cmpi slt, %i, %n : i32
      scf.condition(%more) %v, %i : tensor<32xf32, #a>, i32
    } do {
    ^bb0(%v: tensor<32xf32, #a>, %i: i32):
      %twice = arith.addf %v, %v : tensor<32xf32, #a>
      %next = arith.addi %i, %c1 : i32
      scf.yield %next, %twice : i32, tensor<32xf32, #a>
    }
    tt.return %r#0 : tensor<32xf32, #a>
  }
}
