// RUN: dotload-opt %s --lower-to-2d-block-prefetch --remarks 2>&1 | FileCheck %s

// COM: A branch and a loop forward the pointers. The pointer of each message is forwarded beside them.

// CHECK: ttig.prefetch becomes 4 x 16b_16r16x2c, over all warps

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#row = #ttg.slice<{dim = 1, parent = #dot_a}>
#column = #ttg.slice<{dim = 0, parent = #dot_a}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // CHECK-LABEL: @branch_and_loop
  // CHECK: %[[FIRST:.*]] = tt.addptr %base, %{{.*}} : !tt.ptr<f16>, i32
  // CHECK: %[[START:[a-z0-9_]+]]:2 = scf.if %{{.*}} -> (tensor<{{.*}}>, !tt.ptr<f16>)
  // CHECK: %[[MOVED:.*]] = tt.addptr %[[FIRST]], %{{.*}} : !tt.ptr<f16>, i32
  // CHECK: scf.yield %{{.*}}, %[[MOVED]] :
  // CHECK: scf.yield %{{.*}}, %[[FIRST]] :
  // CHECK: scf.while (%{{.*}} = %[[START]]#0, %{{.*}} = %{{.*}}, %[[BEFORE:[a-z0-9_]+]] = %[[START]]#1)
  // CHECK: scf.condition(%{{.*}}) %{{.*}}, %{{.*}}, %[[BEFORE]] :
  // CHECK: ^bb0({{.*}}, %[[POINTER:[a-z0-9_]+]]: !tt.ptr<f16>):
  // CHECK: builtin.unrealized_conversion_cast %[[POINTER]]
  // CHECK: triton_gen.2Dblockprefetch
  // CHECK: %[[NEXT:.*]] = tt.addptr %[[POINTER]], %{{.*}} : !tt.ptr<f16>, i32
  // CHECK: scf.yield %{{.*}}, %{{.*}}, %[[NEXT]] :
  tt.func @branch_and_loop(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %stride: i32 {tt.divisibility = 16 : i32}, %n: i32, %c: i1) {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %k = arith.constant dense<32> : tensor<64x32xi32, #dot_a>
    %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #row>
    %re = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32, #row> -> tensor<64x1xi32, #dot_a>
    %st = tt.splat %stride : i32 -> tensor<64x1xi32, #dot_a>
    %rows = arith.muli %re, %st : tensor<64x1xi32, #dot_a>
    %rb = tt.broadcast %rows : tensor<64x1xi32, #dot_a> -> tensor<64x32xi32, #dot_a>
    %cr = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #column>
    %ce = tt.expand_dims %cr {axis = 0 : i32} : tensor<32xi32, #column> -> tensor<1x32xi32, #dot_a>
    %cb = tt.broadcast %ce : tensor<1x32xi32, #dot_a> -> tensor<64x32xi32, #dot_a>
    %off = arith.addi %rb, %cb : tensor<64x32xi32, #dot_a>
    %bs = tt.splat %base : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #dot_a>
    %ptr0 = tt.addptr %bs, %off : tensor<64x32x!tt.ptr<f16>, #dot_a>, tensor<64x32xi32, #dot_a>
    %ptr = scf.if %c -> (tensor<64x32x!tt.ptr<f16>, #dot_a>) {
      %q = tt.addptr %ptr0, %k : tensor<64x32x!tt.ptr<f16>, #dot_a>, tensor<64x32xi32, #dot_a>
      scf.yield %q : tensor<64x32x!tt.ptr<f16>, #dot_a>
    } else {
      scf.yield %ptr0 : tensor<64x32x!tt.ptr<f16>, #dot_a>
    }
    %w:2 = scf.while (%p = %ptr, %i = %c0) : (tensor<64x32x!tt.ptr<f16>, #dot_a>, i32) -> (i32, tensor<64x32x!tt.ptr<f16>, #dot_a>) {
      %go = arith.cmpi slt, %i, %n : i32
      scf.condition(%go) %i, %p : i32, tensor<64x32x!tt.ptr<f16>, #dot_a>
    } do {
    ^bb0(%i: i32, %p: tensor<64x32x!tt.ptr<f16>, #dot_a>):
      ttig.prefetch %p {cache = 1 : i32, evict = 1 : i32, isVolatile = false, ttig.block_io = "row_major"} : tensor<64x32x!tt.ptr<f16>, #dot_a>
      %next = tt.addptr %p, %k : tensor<64x32x!tt.ptr<f16>, #dot_a>, tensor<64x32xi32, #dot_a>
      %i2 = arith.addi %i, %c32 : i32
      scf.yield %next, %i2 : tensor<64x32x!tt.ptr<f16>, #dot_a>, i32
    }
    tt.return
  }
}
