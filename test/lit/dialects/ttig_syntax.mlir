// RUN: dotload-opt %s | FileCheck %s
// RUN: dotload-opt %s | dotload-opt | FileCheck %s

// COM: Spellings of Intel's tests that dotload reads but does not print: `<...>` for the type of a descriptor, a result
// COM: type in parentheses, loops and branches without them, predicates as strings.

// CHECK-DAG: #[[DPAS:.*]] = #ttig.dpas<
// CHECK-DAG: #[[BLOCK:.*]] = #ttig.subgroup_2d_block<{warpsPerCTA = [1, 1], instrShape = [8, 16], numBlocks = 2, order = [1, 0], kWidth = 2, threadsPerWarp = 16}>
// CHECK-DAG: #[[WARP:.*]] = #ttig.warp<{sizePerThread = [8, 16], threadsPerWarp = [1, 1], order = [1, 0]}>
#warp = #ttig.warp<{sizePerThread = [8, 16], threadsPerWarp = [1, 1], order = [1, 0]}>
#dpas = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2]}>
#dot0 = #ttg.dot_op<{opIdx = 0, parent = #dpas, kWidth = 1}>
#slice = #ttg.slice<{dim = 1, parent = #dot0}>
#sb = #ttig.subgroup_2d_block<{warpsPerCTA = [1, 1], instrShape = [8, 16], numBlocks = 2, order = [1, 0], kWidth = 2, threadsPerWarp = 16}>
// CHECK: module attributes {"ttg.num-ctas" = 1 : i32, {{.*}}ttig.min_sg_size = 16 : i32, ttig.support_2d_block_io, ttig.support_subgroup_matrix_multiply_accumulate, ttig.target_arch = "spir64"}
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "xpu", "ttg.threads-per-warp" = 16 : i32, ttig.min_sg_size = 16 : i32, ttig.support_2d_block_io, ttig.support_subgroup_matrix_multiply_accumulate, ttig.target_arch = "spir64"} {
  tt.func public @a(%desc: !tt.tensordesc<64x32xf16>, %n: i32, %ptr: tensor<64x32x!tt.ptr<f16>, #dot0>, %p: i32, %mask: tensor<64x32xi1, #dot0>) {
    // CHECK: %0 = ttig.extract_desc %desc[0] : !tt.tensordesc<64x32xf16> -> i64
    %0 = ttig.extract_desc %desc[0] : !tt.tensordesc<64x32xf16> -> i64
    // CHECK: %1 = ttig.extract_desc %desc[4] : !tt.tensordesc<64x32xf16> -> !tt.ptr<f16>
    %1 = ttig.extract_desc %desc[4] : <64x32xf16> -> !tt.ptr<f16>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // CHECK: scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c0) -> (i32)  : i32 {
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c0) -> i32 : i32 {
        // CHECK: arith.cmpi slt, %i, %n : i32
      %x = arith.cmpi "slt", %i, %n : i32
        // CHECK: scf.if %x -> (i32) {
      %y = scf.if %x -> i32 {
        scf.yield %n : i32
      } else {
        scf.yield %i : i32
      }
      scf.yield %acc : i32
    }
    // CHECK: ttig.2d_block_load_from_ptr {{.*}}, i32) -> tensor<64x32xf16, 
    %2 = ttig.2d_block_load_from_ptr %ptr, %p {row_major} {base_height = 8 : i32, base_width = 64 : i32} : (tensor<64x32x!tt.ptr<f16>, #dot0>, i32) -> (tensor<64x32xf16, #dot0>)
    // CHECK: ttig.prefetch %ptr, %mask cacheModifier = ca {ttig.block_io = "row_major"} : tensor<64x32x!tt.ptr<f16>, 
    ttig.prefetch %ptr, %mask cacheModifier = ca {ttig.block_io = "row_major"} : tensor<64x32x!tt.ptr<f16>, #dot0>
    // CHECK: ttig.prefetch %ptr {cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>} : tensor
    ttig.prefetch %ptr {cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>} : tensor<64x32x!tt.ptr<f16>, #dot0>
    // CHECK: ttig.descriptor_prefetch %desc[%c0, %c1] : !tt.tensordesc<64x32xf16>
    ttig.descriptor_prefetch %desc[%c0, %c1] : !tt.tensordesc<64x32xf16>
    // CHECK: tt.descriptor_load %desc[%c0, %c1] {ttig.block_io = "row_major"}
    %4 = tt.descriptor_load %desc[%c0, %c1] {ttig.block_io = "row_major"} : !tt.tensordesc<64x32xf16> -> tensor<64x32xf16, #dot0>
    // CHECK: tt.load %ptr {ttig.block_io = "column_major", ttig.block_io_stride = 64 : i64, ttig.one_matrix_per_load}
    %5 = tt.load %ptr {ttig.block_io = "column_major", ttig.block_io_stride = 64 : i64, ttig.one_matrix_per_load} : tensor<64x32x!tt.ptr<f16>, #dot0>
    tt.return
  }
  // CHECK: tt.func @b(%x: tensor<8x16xf32, #[[BLOCK]]>, %w: tensor<8x16xf32, #[[WARP]]>)
  tt.func @b(%x: tensor<8x16xf32, #sb>, %w: tensor<8x16xf32, #warp>) {
    tt.return
  }
}
