// RUN: dotload-opt %s --stage-dot-loads --remarks 2>&1 | FileCheck %s

#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#dot1 = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {

// CHECK: tile 32x64 is loaded in vectors and read by ldmatrix.m8n8.x4.trans.shared.b16
// CHECK-DAG: dotload.stock_waits = 1 : i32, {{.*}}dotload.wavefronts =
// CHECK-DAG: #[[$V:.*]] = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: #[[$S:.*]] = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>

// COM: n is contiguous: vectors are loaded along n, and ldmatrix.trans makes fragments of them. The copy is masked like
// COM: the load.
// CHECK-LABEL: @row_major_b
// CHECK:       %[[P:.*]] = ttg.convert_layout %{{.*}} -> tensor<32x64x!tt.ptr<f16>, #[[$V]]>
// CHECK:       %[[M:.*]] = ttg.convert_layout %{{.*}} -> tensor<32x64xi1, #[[$V]]>
// CHECK:       %[[L:.*]] = tt.load %[[P]], %[[M]] : tensor<32x64x!tt.ptr<f16>, #[[$V]]>
// CHECK-NEXT:  %[[A:.*]] = ttg.local_alloc %[[L]] {{.*}} -> !ttg.memdesc<32x64xf16, #[[$S]], #smem>
// CHECK-NEXT:  %[[R:.*]] = ttg.local_load %[[A]] {{.*}} -> tensor<32x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>>
// CHECK-NEXT:  tt.return %[[R]]
tt.func @row_major_b(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %stride: i32 {tt.divisibility = 16 : i32}, %mask: tensor<32x64xi1, #dot1>) -> tensor<32x64xf16, #dot1> {
  %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #dot1}>>
  %n = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #dot1}>>
  %k1 = tt.expand_dims %k {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #dot1}>> -> tensor<32x1xi32, #dot1>
  %n1 = tt.expand_dims %n {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #dot1}>> -> tensor<1x64xi32, #dot1>
  %s = tt.splat %stride : i32 -> tensor<32x1xi32, #dot1>
  %rows = arith.muli %k1, %s : tensor<32x1xi32, #dot1>
  %p0 = tt.splat %base : !tt.ptr<f16> -> tensor<32x1x!tt.ptr<f16>, #dot1>
  %p1 = tt.addptr %p0, %rows : tensor<32x1x!tt.ptr<f16>, #dot1>, tensor<32x1xi32, #dot1>
  %p2 = tt.broadcast %p1 : tensor<32x1x!tt.ptr<f16>, #dot1> -> tensor<32x64x!tt.ptr<f16>, #dot1>
  %n2 = tt.broadcast %n1 : tensor<1x64xi32, #dot1> -> tensor<32x64xi32, #dot1>
  %p = tt.addptr %p2, %n2 : tensor<32x64x!tt.ptr<f16>, #dot1>, tensor<32x64xi32, #dot1>
  %v = tt.load %p, %mask : tensor<32x64x!tt.ptr<f16>, #dot1>
  tt.return %v : tensor<32x64xf16, #dot1>
}
}
