// RUN: dotload-opt %s --stage-dot-operands='num-stages=3' --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

// COM: Dots of a loop that add up to one accumulator, as in an unrolled loop: the accumulator is permuted once for all.

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#k_major = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#wide = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#wide_k_major = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#wgmma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 32]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:89", "ttg.threads-per-warp" = 32 : i32} {

// CHECK-LABEL: @unrolled
// CHECK:         %[[R:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}})
// CHECK:           ttg.local_load {{.*}}dotload.staged = "fragments"
// CHECK:           %[[S:.*]] = tt.dot %{{.*}}, %{{.*}}, %[[ACC]] :
// CHECK-NOT:       tt.trans
// CHECK:           ttg.local_load {{.*}}dotload.staged = "fragments"
// CHECK:           %[[D:.*]] = tt.dot %{{.*}}, %{{.*}}, %[[S]] :
// CHECK:           scf.yield %[[D]]
// CHECK:         tt.reshape %[[R]]
// CHECK-NEXT:    tt.trans
// CHECK-NEXT:    tt.reshape
// CHECK-NOT:     tt.trans
// CHECK:         tt.return
tt.func @unrolled(%a0: tensor<16x64xf8E4M3FN, #a>, %a1: tensor<16x64xf8E4M3FN, #a>, %bp: tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>, %bq: tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %b0 = tt.load %bp : tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>
    %o0 = ttg.convert_layout %b0 : tensor<64x128xf8E4M3FN, #blocked> -> tensor<64x128xf8E4M3FN, #b>
    %s = tt.dot %a0, %o0, %acc : tensor<16x64xf8E4M3FN, #a> * tensor<64x128xf8E4M3FN, #b> -> tensor<16x128xf32, #mma>
    %b1 = tt.load %bq : tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>
    %o1 = ttg.convert_layout %b1 : tensor<64x128xf8E4M3FN, #blocked> -> tensor<64x128xf8E4M3FN, #b>
    %d = tt.dot %a1, %o1, %s : tensor<16x64xf8E4M3FN, #a> * tensor<64x128xf8E4M3FN, #b> -> tensor<16x128xf32, #mma>
    scf.yield %d : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}

// COM: The other dot's B is K-major, and its columns cannot be permuted. So the first dot stays as well, with one
// COM: remark.
// REMARK:      kept tt.load: another dot of the loop adds to the same accumulator{{.*}}: row-major B {{.*}} [ACCUMULATOR_SHARED]
// REMARK-NOT:  kept tt.load
// CHECK-LABEL: @other_order
// CHECK:         scf.for
// CHECK-NOT:       dotload.staged
// CHECK:         tt.return
tt.func @other_order(%a0: tensor<16x64xf8E4M3FN, #a>, %a1: tensor<16x64xf8E4M3FN, #a>, %bp: tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>, %bq: tensor<64x128x!tt.ptr<f8E4M3FN>, #k_major>, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %b0 = tt.load %bp : tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>
    %o0 = ttg.convert_layout %b0 : tensor<64x128xf8E4M3FN, #blocked> -> tensor<64x128xf8E4M3FN, #b>
    %s = tt.dot %a0, %o0, %acc : tensor<16x64xf8E4M3FN, #a> * tensor<64x128xf8E4M3FN, #b> -> tensor<16x128xf32, #mma>
    %b1 = tt.load %bq : tensor<64x128x!tt.ptr<f8E4M3FN>, #k_major>
    %o1 = ttg.convert_layout %b1 : tensor<64x128xf8E4M3FN, #k_major> -> tensor<64x128xf8E4M3FN, #b>
    %d = tt.dot %a1, %o1, %s : tensor<16x64xf8E4M3FN, #a> * tensor<64x128xf8E4M3FN, #b> -> tensor<16x128xf32, #mma>
    scf.yield %d : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}

// COM: Only one of the dots may be staged: the tile of the other has another use.
// REMARK:      kept tt.load: another dot {{.*}} [ACCUMULATOR_SHARED]
// REMARK:      kept tt.load: {{.*}} [OTHER_USES]
// CHECK-LABEL: @other_use
// CHECK:         scf.for
// CHECK-NOT:       dotload.staged
// CHECK:         tt.return
tt.func @other_use(%a0: tensor<16x64xf8E4M3FN, #a>, %a1: tensor<16x64xf8E4M3FN, #a>, %bp: tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>, %bq: tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %b0 = tt.load %bp : tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>
    %o0 = ttg.convert_layout %b0 : tensor<64x128xf8E4M3FN, #blocked> -> tensor<64x128xf8E4M3FN, #b>
    %s = tt.dot %a0, %o0, %acc : tensor<16x64xf8E4M3FN, #a> * tensor<64x128xf8E4M3FN, #b> -> tensor<16x128xf32, #mma>
    %b1 = tt.load %bq : tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>
    tt.store %bq, %b1 : tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>
    %o1 = ttg.convert_layout %b1 : tensor<64x128xf8E4M3FN, #blocked> -> tensor<64x128xf8E4M3FN, #b>
    %d = tt.dot %a1, %o1, %s : tensor<16x64xf8E4M3FN, #a> * tensor<64x128xf8E4M3FN, #b> -> tensor<16x128xf32, #mma>
    scf.yield %d : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}

// COM: wgmma takes both B from registers, in the transposed dot.
// CHECK-LABEL: @unrolled_wgmma
// CHECK:         scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}})
// CHECK:           %[[B0:.*]] = builtin.unrealized_conversion_cast {{.*}} to tensor<128x64xf8E4M3FN, #ttg.dot_op<{opIdx = 0
// CHECK:           %[[S:.*]] = ttng.warp_group_dot %[[B0]], %{{.*}}, %[[ACC]] {
// CHECK:           %[[B1:.*]] = builtin.unrealized_conversion_cast {{.*}} to tensor<128x64xf8E4M3FN, #ttg.dot_op<{opIdx = 0
// CHECK:           %[[D:.*]] = ttng.warp_group_dot %[[B1]], %{{.*}}, %[[S]] {
// CHECK:           scf.yield %[[D]]
// CHECK:         tt.trans
// CHECK-NOT:     tt.trans
// CHECK:         tt.return
tt.func @unrolled_wgmma(%as: !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>, %bp: tensor<64x128x!tt.ptr<f8E4M3FN>, #wide>, %bq: tensor<64x128x!tt.ptr<f8E4M3FN>, #wide>, %n: i32) -> tensor<128x128xf32, #wgmma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #wgmma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #wgmma>) : i32 {
    %b0 = tt.load %bp : tensor<64x128x!tt.ptr<f8E4M3FN>, #wide>
    %s0 = ttg.local_alloc %b0 : (tensor<64x128xf8E4M3FN, #wide>) -> !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>
    %s = ttng.warp_group_dot %as, %s0, %acc {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #wgmma>
    %b1 = tt.load %bq : tensor<64x128x!tt.ptr<f8E4M3FN>, #wide>
    %s1 = ttg.local_alloc %b1 : (tensor<64x128xf8E4M3FN, #wide>) -> !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %s1, %s {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #wgmma>
    scf.yield %d : tensor<128x128xf32, #wgmma>
  }
  tt.return %r : tensor<128x128xf32, #wgmma>
}

// COM: The other B is K-major. wgmma reads the first B K-major from shared memory, so nothing is permuted.
// REMARK:      row-major B {{.*}} is copied K-major in shared memory
// CHECK-LABEL: @other_order_wgmma
// CHECK:         scf.for
// CHECK:           ttg.local_load {{.*}}dotload.staged = "copy"
// CHECK-NOT:       dotload.staged
// CHECK-NOT:     tt.trans
// CHECK:         tt.return
tt.func @other_order_wgmma(%as: !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>, %bp: tensor<64x128x!tt.ptr<f8E4M3FN>, #wide>, %bq: tensor<64x128x!tt.ptr<f8E4M3FN>, #wide_k_major>, %n: i32) -> tensor<128x128xf32, #wgmma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #wgmma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #wgmma>) : i32 {
    %b0 = tt.load %bp : tensor<64x128x!tt.ptr<f8E4M3FN>, #wide>
    %s0 = ttg.local_alloc %b0 : (tensor<64x128xf8E4M3FN, #wide>) -> !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>
    %s = ttng.warp_group_dot %as, %s0, %acc {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #wgmma>
    %b1 = tt.load %bq : tensor<64x128x!tt.ptr<f8E4M3FN>, #wide_k_major>
    %s1 = ttg.local_alloc %b1 : (tensor<64x128xf8E4M3FN, #wide_k_major>) -> !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %s1, %s {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #wgmma>
    scf.yield %d : tensor<128x128xf32, #wgmma>
  }
  tt.return %r : tensor<128x128xf32, #wgmma>
}
}
