// RUN: dotload-opt %s --stage-dot-operands='await-for-branches=true' | FileCheck %s --check-prefixes=CHECK,AWAIT
// RUN: dotload-opt %s --stage-dot-operands | FileCheck %s --check-prefixes=CHECK,ANY

// COM: Triton 3.6 crashes on a dot in flight whose result only branches use. A wait behind it ends it.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 32]}>
#mma2 = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// CHECK-LABEL: @a_branch_uses_the_result
// CHECK:         ttg.local_load {{.*}} {dotload.staged = "copy"}
// CHECK:         %[[D:.*]] = ttng.warp_group_dot
// AWAIT-NEXT:    %[[W:.*]] = ttng.warp_group_dot_wait %[[D]] {pendings = 0 : i32}
// CHECK-NEXT:    scf.if
// CHECK-NEXT:      scf.if
// AWAIT-NEXT:        scf.yield %[[W]]
// ANY-NEXT:          scf.yield %[[D]]
tt.func @a_branch_uses_the_result(%as: !ttg.memdesc<64x128xf8E4M3FN, #shared, #smem>, %bp: tensor<128x128x!tt.ptr<f8E4M3FN>, #blocked>, %out: tensor<64x128x!tt.ptr<f32>, #mma>, %n: i32, %which: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x128xf32, #mma>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %b = tt.load %bp : tensor<128x128x!tt.ptr<f8E4M3FN>, #blocked>
    %bs = ttg.local_alloc %b : (tensor<128x128xf8E4M3FN, #blocked>) -> !ttg.memdesc<128x128xf8E4M3FN, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<64x128xf8E4M3FN, #shared, #smem> * !ttg.memdesc<128x128xf8E4M3FN, #shared1, #smem> -> tensor<64x128xf32, #mma>
    scf.if %which {
      %e = scf.if %which -> (tensor<64x128xf32, #mma>) {
        scf.yield %d : tensor<64x128xf32, #mma>
      } else {
        scf.yield %zero : tensor<64x128xf32, #mma>
      }
      tt.store %out, %e : tensor<64x128x!tt.ptr<f32>, #mma>
    }
  }
  tt.return
}

// COM: The loop carries what the branch makes of the result: the pipeliner follows it.
// CHECK-LABEL: @the_loop_carries_the_result
// CHECK:         ttng.warp_group_dot
// CHECK-NOT:     ttng.warp_group_dot_wait
// CHECK:         scf.yield
tt.func @the_loop_carries_the_result(%as: !ttg.memdesc<64x128xf8E4M3FN, #shared, #smem>, %bp: tensor<128x128x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32, %which: i1) -> tensor<64x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x128xf32, #mma>) : i32 {
    %b = tt.load %bp : tensor<128x128x!tt.ptr<f8E4M3FN>, #blocked>
    %bs = ttg.local_alloc %b : (tensor<128x128xf8E4M3FN, #blocked>) -> !ttg.memdesc<128x128xf8E4M3FN, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<64x128xf8E4M3FN, #shared, #smem> * !ttg.memdesc<128x128xf8E4M3FN, #shared1, #smem> -> tensor<64x128xf32, #mma>
    %next = scf.if %which -> (tensor<64x128xf32, #mma>) {
      %twice = arith.addf %d, %d : tensor<64x128xf32, #mma>
      scf.yield %twice : tensor<64x128xf32, #mma>
    } else {
      scf.yield %d : tensor<64x128xf32, #mma>
    }
    scf.yield %next : tensor<64x128xf32, #mma>
  }
  tt.return %r : tensor<64x128xf32, #mma>
}

// COM: Triton's pipeliner puts branches behind the load of the next tile, into the same buffer if there is one only: the
// COM: loop reads the tile, not the branch.
// CHECK-LABEL: @a_branch_multiplies_the_tile
// CHECK:         %[[RAW:.*]] = ttg.local_alloc
// CHECK-NEXT:    ttg.local_load %[[RAW]] {dotload.staged = "fragments"}
// CHECK:         scf.if
// CHECK-NOT:     ttg.local_load
// CHECK:         tt.return
tt.func @a_branch_multiplies_the_tile(%a: tensor<64x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma2, kWidth = 4}>>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked>, %n: i32, %which: i1) -> tensor<64x128xi32, #mma2> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<64x128xi32, #mma2>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x128xi32, #mma2>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %next = scf.if %which -> (tensor<64x128xi32, #mma2>) {
      %bo = ttg.convert_layout %b : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #ttg.dot_op<{opIdx = 1, parent = #mma2, kWidth = 4}>>
      %d = tt.dot %a, %bo, %acc : tensor<64x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma2, kWidth = 4}>> * tensor<64x128xi8, #ttg.dot_op<{opIdx = 1, parent = #mma2, kWidth = 4}>> -> tensor<64x128xi32, #mma2>
      scf.yield %d : tensor<64x128xi32, #mma2>
    } else {
      scf.yield %acc : tensor<64x128xi32, #mma2>
    }
    scf.yield %next : tensor<64x128xi32, #mma2>
  }
  tt.return %r : tensor<64x128xi32, #mma2>
}
}
