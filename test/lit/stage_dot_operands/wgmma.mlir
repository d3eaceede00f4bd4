// RUN: dotload-opt %s --stage-dot-operands | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 32]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: B is row-major: n is contiguous. wgmma takes only A from registers, so the dot is transposed, and n is permuted
// COM: so that the two bytes of a pair that ldmatrix delivers belong to one lane. The accumulator leaves the guard
// COM: through a wait: LLVM's SLP vectorizer must not see phis of zeros.
// CHECK-DAG: #[[$RAW:.*]] = #ttg.shared_linear<{offset = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64], [1, 16],
// CHECK-DAG: #[[$MMA:.*]] = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 32]}>
// COM: A register holds four k of one n; the next bit of the register index is row n' + 8.
// CHECK-DAG: #[[$HELD:.*]] = #ttg.linear<{register = {{\[\[}}1, 0], [2, 0], [0, 1], [16, 0], [32, 0], [0, 64]], lane =
// CHECK-LABEL: @row_major_b_goes_through_registers
// COM: The guard returns the accumulator, but not the pointers, which are unused after the loop.
// CHECK:       %[[GUARDED:.*]] = scf.if %{{.*}} -> (tensor<128x128xf32, #[[$MMA]]>) {
// CHECK:         scf.for
// CHECK:           %[[A:.*]] = tt.load
// CHECK:           %[[AS:.*]] = ttg.local_alloc %[[A]]
// CHECK:           %[[B:.*]] = tt.load
// CHECK:           %[[RAW:.*]] = ttg.local_alloc %[[B]] {{.*}} -> !ttg.memdesc<64x128xf8E4M3FN, #[[$RAW]], #smem>
// CHECK:           %[[R:.*]] = ttg.local_load %[[RAW]] {dotload.staged = "fragments"} : {{.*}} -> tensor<64x128xf8E4M3FN, #[[$HELD]]>
// CHECK:           %[[BT:.*]] = builtin.unrealized_conversion_cast %[[R]] : {{.*}} to tensor<128x64xf8E4M3FN, #ttg.dot_op<{opIdx = 0, parent = #[[$MMA]], kWidth = 4}>>
// CHECK:           %[[AT:.*]] = ttg.memdesc_trans %[[AS]]
// CHECK:           ttng.warp_group_dot %[[BT]], %[[AT]]
// CHECK:       %[[ACC:.*]] = ttng.warp_group_dot_wait %[[GUARDED]] {pendings = 0 : i32} : tensor<128x128xf32, #[[$MMA]]>
// CHECK-NEXT:  tt.reshape %[[ACC]]
// CHECK:       tt.trans
// CHECK:       %[[D:.*]] = ttg.convert_layout {{.*}} -> tensor<128x128xf32, #[[$MMA]]>
// CHECK:       tt.return %[[D]]
tt.func @row_major_b_goes_through_registers(%a0: tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked>, %b0: tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>, %step: tensor<64x128xi32, #blocked>, %n: i32) -> tensor<128x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %bp = %b0) -> (tensor<128x128xf32, #mma>, tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>) : i32 {
    %a = tt.load %a0 : tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked>
    %as = ttg.local_alloc %a : (tensor<128x64xf8E4M3FN, #blocked>) -> !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>
    %b = tt.load %bp : tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>
    %bs = ttg.local_alloc %b : (tensor<64x128xf8E4M3FN, #blocked>) -> !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
    %bn = tt.addptr %bp, %step : tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>, tensor<64x128xi32, #blocked>
    scf.yield %d, %bn : tensor<128x128xf32, #mma>, tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>
  }
  tt.return %r#0 : tensor<128x128xf32, #mma>
}

// COM: Column-major A is wgmma's A already, so the dot is not transposed; the rows of A are permuted.
// CHECK-LABEL: @column_major_a_goes_through_registers
// CHECK:       %[[A:.*]] = tt.load
// CHECK:       ttg.local_alloc %[[A]] {{.*}} -> !ttg.memdesc<128x64xi8, #[[RAW:.*]], #smem>
// CHECK:       %[[AR:.*]] = builtin.unrealized_conversion_cast %{{.*}} to tensor<128x64xi8, #ttg.dot_op<{opIdx = 0, parent = #[[MMA:.*]], kWidth = 4}>>
// CHECK:       ttng.warp_group_dot %[[AR]], %{{.*}} : {{.*}} -> tensor<128x128xi32, #[[MMA]]>
// CHECK-NEXT:  tt.reshape
// CHECK-NEXT:  tt.trans
// CHECK-NEXT:  tt.reshape
// CHECK-NEXT:  ttg.convert_layout
tt.func @column_major_a_goes_through_registers(%ap: tensor<128x64x!tt.ptr<i8>, #blocked1>, %bs: !ttg.memdesc<64x128xi8, #shared1, #smem>) -> tensor<128x128xi32, #mma> {
  %zero = arith.constant dense<0> : tensor<128x128xi32, #mma>
  %a = tt.load %ap : tensor<128x64x!tt.ptr<i8>, #blocked1>
  %as = ttg.local_alloc %a : (tensor<128x64xi8, #blocked1>) -> !ttg.memdesc<128x64xi8, #shared, #smem>
  %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xi8, #shared, #smem> * !ttg.memdesc<64x128xi8, #shared1, #smem> -> tensor<128x128xi32, #mma>
  tt.return %d : tensor<128x128xi32, #mma>
}

// COM: Both operands are non-K-major: the one that is cheaper to copy is copied K-major, the other takes the register
// COM: route.
// CHECK-LABEL: @both_non_k_major
// CHECK-COUNT-2: ttg.local_load {{.*}}
// CHECK:         ttng.warp_group_dot
tt.func @both_non_k_major(%ap: tensor<128x64x!tt.ptr<f8E5M2>, #blocked1>, %bp: tensor<64x128x!tt.ptr<f8E5M2>, #blocked>) -> tensor<128x128xf32, #mma> {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %a = tt.load %ap : tensor<128x64x!tt.ptr<f8E5M2>, #blocked1>
  %as = ttg.local_alloc %a : (tensor<128x64xf8E5M2, #blocked1>) -> !ttg.memdesc<128x64xf8E5M2, #shared, #smem>
  %b = tt.load %bp : tensor<64x128x!tt.ptr<f8E5M2>, #blocked>
  %bs = ttg.local_alloc %b : (tensor<64x128xf8E5M2, #blocked>) -> !ttg.memdesc<64x128xf8E5M2, #shared1, #smem>
  %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E5M2, #shared, #smem> * !ttg.memdesc<64x128xf8E5M2, #shared1, #smem> -> tensor<128x128xf32, #mma>
  tt.return %d : tensor<128x128xf32, #mma>
}

// COM: The loop rescales the accumulator, as attention does, so it cannot be permuted: B is copied K-major.
// CHECK-LABEL: @a_rescaled_accumulator_keeps_its_layout
// CHECK:       %[[B:.*]] = tt.load
// CHECK:       %[[RAW:.*]] = ttg.local_alloc %[[B]] {{.*}} -> !ttg.memdesc<64x128xf8E4M3FN, #{{.*}}, #smem>
// CHECK:       %[[R:.*]] = ttg.local_load %[[RAW]] {dotload.staged = "copy"} : {{.*}} -> tensor<64x128xf8E4M3FN, #[[L:.*]]>
// CHECK:       %[[BS:.*]] = ttg.local_alloc %[[R]] : (tensor<64x128xf8E4M3FN, #[[L]]>)
// CHECK:       ttng.warp_group_dot %{{.*}}, %[[BS]], %{{.*}} -> tensor<128x128xf32, #[[MMA]]>
tt.func @a_rescaled_accumulator_keeps_its_layout(%as: !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>, %bp: tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>, %scale: tensor<128x128xf32, #mma>, %n: i32) -> tensor<128x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
    %scaled = arith.mulf %acc, %scale : tensor<128x128xf32, #mma>
    %b = tt.load %bp : tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>
    %bs = ttg.local_alloc %b : (tensor<64x128xf8E4M3FN, #blocked>) -> !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %scaled {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
    scf.yield %d : tensor<128x128xf32, #mma>
  }
  tt.return %r : tensor<128x128xf32, #mma>
}

// COM: Two sums that change places in every iteration: to permute the rows of one would permute the other too. The tile
// COM: is copied, which permutes none.
// CHECK-LABEL: @sums_change_places
// CHECK:         %[[B:.*]] = tt.load
// CHECK:         ttg.local_alloc %[[B]]
// CHECK:         ttg.local_load {{.*}} {dotload.staged = "copy"}
// CHECK:         ttng.warp_group_dot %arg0,
tt.func @sums_change_places(%as: !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>, %bp: tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32) -> tensor<128x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%one = %zero, %other = %zero) -> (tensor<128x128xf32, #mma>, tensor<128x128xf32, #mma>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>
    %bs = ttg.local_alloc %b : (tensor<64x128xf8E4M3FN, #blocked>) -> !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %one {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
    scf.yield %other, %d : tensor<128x128xf32, #mma>, tensor<128x128xf32, #mma>
  }
  tt.return %r#0 : tensor<128x128xf32, #mma>
}

// COM: A is in registers already, and wgmma takes one operand from there: B is copied.
// CHECK-LABEL: @partner_in_registers
// CHECK:         %[[B:.*]] = tt.load
// CHECK:         ttg.local_alloc %[[B]]
// CHECK:         %[[READ:.*]] = ttg.local_load {{.*}} {dotload.staged = "copy"}
// CHECK:         %[[COPY:.*]] = ttg.local_alloc %[[READ]]
// CHECK:         ttng.warp_group_dot %arg0, %[[COPY]],
tt.func @partner_in_registers(%a: tensor<128x64xf8E4M3FN, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>, %bp: tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32) -> tensor<128x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>
    %bs = ttg.local_alloc %b : (tensor<64x128xf8E4M3FN, #blocked>) -> !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>
    %d = ttng.warp_group_dot %a, %bs, %acc {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : tensor<128x64xf8E4M3FN, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
    scf.yield %d : tensor<128x128xf32, #mma>
  }
  tt.return %r : tensor<128x128xf32, #mma>
}
}
