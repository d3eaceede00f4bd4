// RUN: dotload-opt %s --stage-dot-operands | FileCheck %s
// RUN: dotload-opt %s --stage-dot-operands | FileCheck %s --check-prefix=PLAIN

// COM: A tile that comes through a descriptor has the shared layout that TMA was told to write. The pass takes it as
// COM: the raw tile, so fragments are read from it directly.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#tma = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#plain = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 8}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 8}>
#a_shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// CHECK-DAG:   #[[$TMA:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
// CHECK-LABEL: @b_is_read_where_tma_writes_it
// CHECK:       %[[B:.*]] = tt.descriptor_load
// CHECK:       %[[RAW:.*]] = ttg.local_alloc %[[B]] {{.*}} -> !ttg.memdesc<128x64xi8, #[[$TMA]], #smem>
// CHECK:       %[[R:.*]] = ttg.local_load %[[RAW]] {{.*}} -> tensor<128x64xi8, #linear
// CHECK-NEXT:  builtin.unrealized_conversion_cast %[[R]] : {{.*}} to tensor<64x128xi8, #ttg.dot_op
tt.func @b_is_read_where_tma_writes_it(%desc: !tt.tensordesc<128x64xi8, #tma>, %i: i32, %as: !ttg.memdesc<64x128xi8, #a_shared, #smem>) -> tensor<64x64xi32, #mma> {
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %b = tt.descriptor_load %desc[%i, %i] : !tt.tensordesc<128x64xi8, #tma> -> tensor<128x64xi8, #blocked>
  %bs = ttg.local_alloc %b : (tensor<128x64xi8, #blocked>) -> !ttg.memdesc<128x64xi8, #shared, #smem>
  %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<64x128xi8, #a_shared, #smem> * !ttg.memdesc<128x64xi8, #shared, #smem> -> tensor<64x64xi32, #mma>
  tt.return %d : tensor<64x64xi32, #mma>
}

// COM: Without a swizzle, rows of the tile conflict in banks: it passes through registers to a layout of the pass's
// COM: choice.
// CHECK-LABEL: @an_unswizzled_tile_is_staged_again
// CHECK:       %[[B:.*]] = tt.descriptor_load
// CHECK:       ttg.local_alloc %[[B]] {{.*}} -> !ttg.memdesc<128x64xi8, #[[RAW:.*]], #smem>
// CHECK:       ttg.local_load %{{.*}} : !ttg.memdesc<128x64xi8, #[[RAW]], #smem>
// PLAIN-LABEL: @an_unswizzled_tile_is_staged_again
// PLAIN-SAME:  !tt.tensordesc<128x64xi8, #[[PLAIN:.*]]>, %{{.*}}: i32
// PLAIN-NOT:   ttg.local_alloc {{.*}}#[[PLAIN]], #smem>
// PLAIN:       tt.return
tt.func @an_unswizzled_tile_is_staged_again(%desc: !tt.tensordesc<128x64xi8, #plain>, %i: i32, %as: !ttg.memdesc<64x128xi8, #a_shared, #smem>) -> tensor<64x64xi32, #mma> {
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %b = tt.descriptor_load %desc[%i, %i] : !tt.tensordesc<128x64xi8, #plain> -> tensor<128x64xi8, #blocked>
  %bs = ttg.local_alloc %b : (tensor<128x64xi8, #blocked>) -> !ttg.memdesc<128x64xi8, #shared, #smem>
  %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<64x128xi8, #a_shared, #smem> * !ttg.memdesc<128x64xi8, #shared, #smem> -> tensor<64x64xi32, #mma>
  tt.return %d : tensor<64x64xi32, #mma>
}
}
