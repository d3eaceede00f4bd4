// RUN: dotload-opt %s --stage-dot-loads --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#dot0 = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#dot1 = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {

// COM: Nothing is known of the pointers.
// REMARK:      kept tt.load: the pointers are not known to be contiguous along one dimension; pass strides of 1 as constants [CONTIGUITY]
// CHECK-LABEL: @unknown_pointers
// CHECK-NOT:   ttg.local_alloc
// CHECK:       %[[L:.*]] = tt.load %arg0
// CHECK-NEXT:  tt.return %[[L]]
tt.func @unknown_pointers(%p: tensor<64x32x!tt.ptr<f16>, #dot0>) -> tensor<64x32xf16, #dot0> {
  %v = tt.load %p : tensor<64x32x!tt.ptr<f16>, #dot0>
  tt.return %v : tensor<64x32xf16, #dot0>
}

// COM: Contiguous rows have 8 bytes only.
// REMARK:      kept tt.load: no layout found: a row of 4 elements is shorter than a vector of 16 bytes [NO_LAYOUT]
// CHECK-LABEL: @short_rows
// CHECK-NOT:   ttg.local_alloc
// CHECK:       %[[L:.*]] = tt.load
// CHECK-NEXT:  tt.return %[[L]]
tt.func @short_rows(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %stride: i32 {tt.divisibility = 16 : i32}) -> tensor<32x4xf16, #dot1> {
  %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #dot1}>>
  %n = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32, #ttg.slice<{dim = 0, parent = #dot1}>>
  %k1 = tt.expand_dims %k {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #dot1}>> -> tensor<32x1xi32, #dot1>
  %n1 = tt.expand_dims %n {axis = 0 : i32} : tensor<4xi32, #ttg.slice<{dim = 0, parent = #dot1}>> -> tensor<1x4xi32, #dot1>
  %s = tt.splat %stride : i32 -> tensor<32x1xi32, #dot1>
  %rows = arith.muli %k1, %s : tensor<32x1xi32, #dot1>
  %p0 = tt.splat %base : !tt.ptr<f16> -> tensor<32x1x!tt.ptr<f16>, #dot1>
  %p1 = tt.addptr %p0, %rows : tensor<32x1x!tt.ptr<f16>, #dot1>, tensor<32x1xi32, #dot1>
  %p2 = tt.broadcast %p1 : tensor<32x1x!tt.ptr<f16>, #dot1> -> tensor<32x4x!tt.ptr<f16>, #dot1>
  %n2 = tt.broadcast %n1 : tensor<1x4xi32, #dot1> -> tensor<32x4xi32, #dot1>
  %p = tt.addptr %p2, %n2 : tensor<32x4x!tt.ptr<f16>, #dot1>, tensor<32x4xi32, #dot1>
  %v = tt.load %p : tensor<32x4x!tt.ptr<f16>, #dot1>
  tt.return %v : tensor<32x4xf16, #dot1>
}
}
