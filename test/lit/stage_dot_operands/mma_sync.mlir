// RUN: dotload-opt %s --stage-dot-operands | FileCheck %s
// RUN: dotload-opt %s --stage-dot-operands='num-stages=3' | FileCheck %s --check-prefix=AHEAD
// RUN: dotload-opt %s --stage-dot-operands --convert-staged-operands-to-llvm --allocate-shared-memory-nv='compute-capability=80 ptx-version=81' --convert-triton-gpu-to-llvm='compute-capability=80 ptx-version=81' | FileCheck %s --check-prefix=MATRIX

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {

// COM: mma.sync needs 4 consecutive k of one n in a register, whereas consecutive n of B are contiguous. n is permuted,
// COM: so that the pairs that ldmatrix delivers belong to registers of one lane; the columns of the result are permuted
// COM: back.
// CHECK-LABEL: @row_major_int8_b
// CHECK:       %[[B:.*]] = tt.load
// CHECK-NEXT:  %[[RAW:.*]] = ttg.local_alloc %[[B]]
// CHECK:       %[[R:.*]] = ttg.local_load %[[RAW]]
// CHECK:       %[[F:.*]] = builtin.unrealized_conversion_cast %[[R]] : {{.*}} to tensor<64x128xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
// CHECK:       tt.dot %{{.*}}, %[[F]], %{{.*}}
// CHECK:       tt.trans
// CHECK:       ttg.convert_layout {{.*}} -> tensor<64x128xi32, #mma>
// COM: ldmatrix, and one permutation per word.
// MATRIX-LABEL: @row_major_int8_b
// MATRIX-NOT:   llvm.load {{.*}} !llvm.ptr<3>
// MATRIX:       llvm.call_intrinsic "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3"
// MATRIX:       llvm.shufflevector {{.*}} [0, 2, 4, 6]
// MATRIX:       llvm.shufflevector {{.*}} [1, 3, 5, 7]
tt.func @row_major_int8_b(%a: tensor<64x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked>, %cp: tensor<64x128x!tt.ptr<i32>, #mma>) {
  %zero = arith.constant dense<0> : tensor<64x128xi32, #mma>
  %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
  %bo = ttg.convert_layout %b : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
  %d = tt.dot %a, %bo, %zero : tensor<64x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x128xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<64x128xi32, #mma>
  tt.store %cp, %d : tensor<64x128x!tt.ptr<i32>, #mma>
  tt.return
}

// COM: The dot is scaled before it is added up, all columns alike: they stay permuted until the loop ends.
// CHECK-LABEL: @scaled_in_the_loop
// CHECK:       scf.for
// CHECK:         %[[F:.*]] = builtin.unrealized_conversion_cast %{{.*}} to tensor<64x128xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
// CHECK:         %[[D:.*]] = tt.dot %{{.*}}, %[[F]], %{{.*}}
// CHECK-NOT:     tt.reshape
// CHECK:         arith.muli %[[D]]
// CHECK:         scf.yield
// CHECK:       tt.reshape
// CHECK:       tt.trans
// CHECK:       ttg.convert_layout
tt.func @scaled_in_the_loop(%a: tensor<64x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked>, %cp: tensor<64x128x!tt.ptr<i32>, #mma>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<64x128xi32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x128xi32, #mma>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %bo = ttg.convert_layout %b : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    %d = tt.dot %a, %bo, %zero : tensor<64x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x128xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<64x128xi32, #mma>
    %scale = tt.splat %i : i32 -> tensor<64x128xi32, #mma>
    %scaled = arith.muli %d, %scale : tensor<64x128xi32, #mma>
    %sum = arith.addi %acc, %scaled : tensor<64x128xi32, #mma>
    scf.yield %sum : tensor<64x128xi32, #mma>
  }
  tt.store %cp, %r : tensor<64x128x!tt.ptr<i32>, #mma>
  tt.return
}
// COM: If one load of a loop has a latency, Triton's pipeliner assigns none to the others: the pass sets all of them.
// AHEAD-LABEL: @both_are_loaded_ahead
// AHEAD:       tt.load {{.*}} {tt.latency = 3 : i32} : tensor<64x64x!tt.ptr<i8>
// AHEAD:       tt.load {{.*}} {tt.latency = 3 : i32} : tensor<64x128x!tt.ptr<i8>
tt.func @both_are_loaded_ahead(%ap: tensor<64x64x!tt.ptr<i8>, #blocked>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked>, %cp: tensor<64x128x!tt.ptr<i32>, #mma>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<64x128xi32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x128xi32, #mma>) : i32 {
    %a = tt.load %ap : tensor<64x64x!tt.ptr<i8>, #blocked>
    %ao = ttg.convert_layout %a : tensor<64x64xi8, #blocked> -> tensor<64x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
    %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %bo = ttg.convert_layout %b : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    %d = tt.dot %ao, %bo, %acc : tensor<64x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x128xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<64x128xi32, #mma>
    scf.yield %d : tensor<64x128xi32, #mma>
  }
  tt.store %cp, %r : tensor<64x128x!tt.ptr<i32>, #mma>
  tt.return
}
}
