#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 16], warpsPerCTA = [8, 4], order = [1, 0]}>
#dpas = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [8, 4], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>
#dot0 = #ttg.dot_op<{opIdx = 0, parent = #dpas, kWidth=1}>
#dot1 = #ttg.dot_op<{opIdx = 1, parent = #dpas, kWidth=2}>
!desc = !tt.tensordesc<tensor<256x32xf16>>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 32 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io, ttig.min_sg_size = 16 : i32} {

  tt.func public @f(%arg0: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %arg1: !tt.ptr<f16, 1>, %d: !desc, %lb: i32, %m: i64) attributes {noinline = false} {
    %c0_i32 = arith.constant 0 : i32
    %c1_i64 = arith.constant 1 : i64
    %cst = arith.constant dense<0.000000e+00> : tensor<256x256xf32, #dpas>
    %mask = arith.constant dense<true> : tensor<256x32xi1, #dot0>
    %other = arith.constant dense<0xFC00> : tensor<256x32xf16, #dot0>
    %0 = tt.make_tensor_ptr %arg0, [%m, %m], [%m, %c1_i64], [%c0_i32, %c0_i32] {order = array<i32: 1, 0>} : <tensor<256x32xf16, #dot0>>
    %1 = tt.make_tensor_ptr %arg0, [%m, %m], [%m, %c1_i64], [%c0_i32, %c0_i32] {order = array<i32: 1, 0>} : !tt.ptr<tensor<32x256xf16, #dot1>>
    %a = tt.load %0 {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32, ttig.block_io = "row_major"} : !tt.ptr<tensor<256x32xf16, #dot0>>
    %b = tt.load %1 {boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32, isVolatile = false} : !tt.ptr<tensor<32x256xf16, #dot1>>
    %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #dot0}>>
    %e = tt.expand_dims %r {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #dot0}>> -> tensor<1x32xi32, #dot0>
    %bb = tt.broadcast %e : tensor<1x32xi32, #dot0> -> tensor<256x32xi32, #dot0>
    %s = tt.splat %arg0 : !tt.ptr<f16> -> tensor<256x32x!tt.ptr<f16>, #dot0>
    %p = tt.addptr %s, %bb : tensor<256x32x!tt.ptr<f16>, #dot0>, tensor<256x32xi32, #dot0>
    %x = tt.load %p, %mask, %other {ttig.block_io = "row_major"} : tensor<256x32x!tt.ptr<f16>, #dot0>
    %md = tt.make_tensor_descriptor %arg0, [%lb, %lb], [%m, %c1_i64] : <f16>, <tensor<256x32xf16>>
    %md2 = tt.make_tensor_descriptor %arg0, [%lb, %lb], [%m, %c1_i64] {padding = 2 : i32} : !tt.ptr<f16>, !tt.tensordesc<tensor<256x32xf16>>
    %dl = tt.descriptor_load %md[%c0_i32, %c0_i32] {ttig.block_io = "row_major"} : !tt.tensordesc<tensor<256x32xf16>> -> tensor<256x32xf16, #dot0>
    %dot = tt.dot %a, %b, %cst, inputPrecision = tf32 : tensor<256x32xf16, #dot0> * tensor<32x256xf16, #dot1> -> tensor<256x256xf32, #dpas>
    %red = "tt.reduce"(%dot) ({
    ^bb0(%u: f32, %v: f32):
      %max = arith.maxnumf %u, %v : f32
      tt.reduce.return %max : f32
    }) {axis = 1 : i32} : (tensor<256x256xf32, #dpas>) -> tensor<256xf32, #ttg.slice<{dim = 1, parent = #dpas}>>
    %red2 = "tt.reduce"(%dot) <{axis = 1 : i32}> ({
    ^bb0(%u: f32, %v: f32):
      %max = arith.maxnumf %u, %v : f32
      tt.reduce.return %max : f32
    }) : (tensor<256x256xf32, #dpas>) -> tensor<256xf32, #ttg.slice<{dim = 1, parent = #dpas}>>
    "use.it"(%x, %dl) {a = #blocked, t = !desc} : (tensor<256x32xf16, #dot0>, tensor<256x32xf16, #dot0>) -> ()
    tt.return
  }
}
