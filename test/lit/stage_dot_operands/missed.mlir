// RUN: dotload-opt %s --stage-dot-operands --remarks 2>&1 | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#blocked2 = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 32]}>
#mma1 = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#shared2 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#small = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #small, kWidth = 4}>
#dot = #ttg.dot_op<{opIdx = 1, parent = #small, kWidth = 4}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Reasons, on standard error: a tile that other dots may take, and one tile of two.
// CHECK:      kept tt.load: the tile has other uses than this dot{{.*}} [OTHER_USES]
// CHECK:      kept tt.load: the tile has other uses than this dot{{.*}} [OTHER_USES]
// CHECK:      row-major B (not K-major, 8 bits, tile 64x128) is staged through shared memory into registers:

// COM: K is contiguous: nothing to do, and no remark.
// CHECK-LABEL: @k_major
// CHECK:       %[[B:.*]] = tt.load
// CHECK-NEXT:  %[[S:.*]] = ttg.local_alloc %[[B]]
// CHECK-NEXT:  ttng.warp_group_dot %{{.*}}, %[[S]]
tt.func @k_major(%as: !ttg.memdesc<128x64xi8, #shared, #smem>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked1>) -> tensor<128x128xi32, #mma> {
  %zero = arith.constant dense<0> : tensor<128x128xi32, #mma>
  %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked1>
  %bs = ttg.local_alloc %b : (tensor<64x128xi8, #blocked1>) -> !ttg.memdesc<64x128xi8, #shared1, #smem>
  %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xi8, #shared, #smem> * !ttg.memdesc<64x128xi8, #shared1, #smem> -> tensor<128x128xi32, #mma>
  tt.return %d : tensor<128x128xi32, #mma>
}

// COM: wgmma reads 16-bit operands in either order: no remark.
// CHECK-LABEL: @sixteen_bits
// CHECK:       %[[B:.*]] = tt.load
// CHECK-NEXT:  %[[S:.*]] = ttg.local_alloc %[[B]]
// CHECK-NEXT:  ttng.warp_group_dot %{{.*}}, %[[S]]
tt.func @sixteen_bits(%as: !ttg.memdesc<128x64xf16, #shared2, #smem>, %bp: tensor<64x128x!tt.ptr<f16>, #blocked2>) -> tensor<128x128xf32, #mma1> {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma1>
  %b = tt.load %bp : tensor<64x128x!tt.ptr<f16>, #blocked2>
  %bs = ttg.local_alloc %b : (tensor<64x128xf16, #blocked2>) -> !ttg.memdesc<64x128xf16, #shared2, #smem>
  %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xf16, #shared2, #smem> * !ttg.memdesc<64x128xf16, #shared2, #smem> -> tensor<128x128xf32, #mma1>
  tt.return %d : tensor<128x128xf32, #mma1>
}

// CHECK-LABEL: @tile_of_two_dots
// CHECK:       %[[B:.*]] = tt.load
// CHECK-NEXT:  %[[S:.*]] = ttg.local_alloc %[[B]]
// CHECK-NEXT:  ttng.warp_group_dot %{{.*}}, %[[S]]
tt.func @tile_of_two_dots(%as: !ttg.memdesc<128x64xi8, #shared, #smem>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked>, %x: tensor<16x64xi8, #dot_a>) -> (tensor<128x128xi32, #mma>, tensor<16x128xi32, #small>) {
  %zeros = arith.constant dense<0> : tensor<16x128xi32, #small>
  %zero = arith.constant dense<0> : tensor<128x128xi32, #mma>
  %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
  %bs = ttg.local_alloc %b : (tensor<64x128xi8, #blocked>) -> !ttg.memdesc<64x128xi8, #shared1, #smem>
  %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xi8, #shared, #smem> * !ttg.memdesc<64x128xi8, #shared1, #smem> -> tensor<128x128xi32, #mma>
  %f = ttg.convert_layout %b : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #dot>
  %e = tt.dot %x, %f, %zeros : tensor<16x64xi8, #dot_a> * tensor<64x128xi8, #dot> -> tensor<16x128xi32, #small>
  tt.return %d, %e : tensor<128x128xi32, #mma>, tensor<16x128xi32, #small>
}

// COM: A reason to keep one operand does not keep the other.
// CHECK-LABEL: @one_of_two_with_another_dot
// CHECK:       %[[A:.*]] = tt.load {{.*}} : tensor<128x64x
// CHECK-NEXT:  %[[AS:.*]] = ttg.local_alloc %[[A]]
// CHECK:       %[[RAW:.*]] = ttg.local_alloc %{{.*}} : (tensor<64x128xi8
// CHECK:       %[[B:.*]] = builtin.unrealized_conversion_cast %{{.*}} to tensor<128x64xi8, #ttg.dot_op
// CHECK:       %[[AT:.*]] = ttg.memdesc_trans %[[AS]]
// CHECK:       ttng.warp_group_dot %[[B]], %[[AT]]
tt.func @one_of_two_with_another_dot(%ap: tensor<128x64x!tt.ptr<i8>, #blocked1>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked>, %x: tensor<16x64xi8, #dot_a>) -> (tensor<128x128xi32, #mma>, tensor<16x128xi32, #small>) {
  %zeros = arith.constant dense<0> : tensor<16x128xi32, #small>
  %zero = arith.constant dense<0> : tensor<128x128xi32, #mma>
  %a = tt.load %ap : tensor<128x64x!tt.ptr<i8>, #blocked1>
  %as = ttg.local_alloc %a : (tensor<128x64xi8, #blocked1>) -> !ttg.memdesc<128x64xi8, #shared, #smem>
  %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
  %bs = ttg.local_alloc %b : (tensor<64x128xi8, #blocked>) -> !ttg.memdesc<64x128xi8, #shared1, #smem>
  %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xi8, #shared, #smem> * !ttg.memdesc<64x128xi8, #shared1, #smem> -> tensor<128x128xi32, #mma>
  %t = tt.trans %a {order = array<i32: 1, 0>} : tensor<128x64xi8, #blocked1> -> tensor<64x128xi8, #blocked>
  %f = ttg.convert_layout %t : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #dot>
  %e = tt.dot %x, %f, %zeros : tensor<16x64xi8, #dot_a> * tensor<64x128xi8, #dot> -> tensor<16x128xi32, #small>
  tt.return %d, %e : tensor<128x128xi32, #mma>, tensor<16x128xi32, #small>
}

}
