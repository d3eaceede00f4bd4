// RUN: dotload-opt %s --convert-triton-intel-gpu-to-llvm | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // CHECK-LABEL: llvm.func spir_kernelcc @prefetch
  // CHECK-NOT: tt.make_tensor_ptr
  // CHECK: triton_gen.2Dblockprefetch %{{.*}} {elem_size_in_bits = 16, tile_width = 16, tile_height = 16, v_blocks = 2, cache_control = L1C_L3C} : (!llvm.ptr<1>, i32, i32, i32, i32, i32)
  // CHECK: llvm.return
  tt.func public @prefetch(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %rows: i64, %columns: i64 {tt.divisibility = 16 : i32}, %stride: i64 {tt.divisibility = 16 : i32}) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i64
    %p = tt.make_tensor_ptr %base, [%rows, %columns], [%stride, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #blocked>>
    ttig.prefetch %p {cache = 1 : i32, evict = 1 : i32, isVolatile = false, ttig.block_io = "row_major"} : !tt.ptr<tensor<64x32xf16, #blocked>>
    tt.return
  }

  // COM: A message cannot fetch rows of 32 bytes: the prefetch is dropped.
  // CHECK-LABEL: llvm.func spir_kernelcc @dropped
  // CHECK-NEXT: llvm.return
  tt.func public @dropped(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %rows: i64, %columns: i64 {tt.divisibility = 16 : i32}, %stride: i64 {tt.divisibility = 16 : i32}) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i64
    %p = tt.make_tensor_ptr %base, [%rows, %columns], [%stride, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x16xf16, #blocked>>
    ttig.prefetch %p : !tt.ptr<tensor<64x16xf16, #blocked>>
    tt.return
  }
}
