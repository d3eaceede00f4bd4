// RUN: dotload-opt %s | FileCheck %s

#dpas = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [8, 4], repCluster = [4, 2]}>
#dot0 = #ttg.dot_op<{opIdx = 0, parent = #dpas, kWidth = 1}>

// COM: A, B and C are implied by the other parameters; they are printed whether the input has them or not.
// CHECK: #[[MMA:.*]] = #ttig.dpas<{{.*}}repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>
module attributes {"ttg.num-warps" = 32 : i32, "ttg.threads-per-warp" = 16 : i32} {
  // CHECK-LABEL: @block_load_of_a_region
  tt.func @block_load_of_a_region(%p: !tt.ptr<f16>, %n: i32) -> tensor<256x32xf16, #dot0> {
    // CHECK: ttig.2d_block_load %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] {row_major} : !tt.ptr<f16> -> tensor<256x32xf16, #ttg.dot_op<{opIdx = 0, parent = #[[MMA]], kWidth = 1}>>
    %0 = ttig.2d_block_load %p, %n, %n, %n[%n, %n] {row_major} : !tt.ptr<f16> -> tensor<256x32xf16, #dot0>
    // CHECK: {column_major, pad_nan} {tt.note = 1 : i32} :
    %1 = ttig.2d_block_load %p, %n, %n, %n[%n, %n] {column_major, pad_nan} {tt.note = 1 : i32} : !tt.ptr<f16> -> tensor<256x32xf16, #dot0>
    tt.return %0 : tensor<256x32xf16, #dot0>
  }

  // CHECK-LABEL: @block_load_of_planes
  tt.func @block_load_of_planes(%p: !tt.ptr<f16>, %n: i32, %z: i64) -> tensor<2x64x32xf16> {
    // CHECK: ttig.2d_block_load %p, %n, %n, %n[%n, %n] {row_major} planes(%z, %z, %z) {tt.note = 1 : i32} : !tt.ptr<f16> -> tensor<2x64x32xf16>
    %0 = ttig.2d_block_load %p, %n, %n, %n[%n, %n] {row_major} planes(%z, %z, %z) {tt.note = 1 : i32} : !tt.ptr<f16> -> tensor<2x64x32xf16>
    tt.return %0 : tensor<2x64x32xf16>
  }

  // CHECK-LABEL: @block_load_of_pointers
  tt.func @block_load_of_pointers(%p: tensor<256x32x!tt.ptr<f16>, #dot0>, %m: tensor<256x32xi1, #dot0>, %o: tensor<256x32xf16, #dot0>, %pitch: i32) {
    // CHECK: ttig.2d_block_load_from_ptr %{{.*}}, %{{.*}} {row_major} {base_height = 8 : i32, base_width = 64 : i32} : (
    %0 = ttig.2d_block_load_from_ptr %p, %pitch {row_major} {base_height = 8 : i32, base_width = 64 : i32} : (tensor<256x32x!tt.ptr<f16>, #dot0>, i32) -> tensor<256x32xf16, #dot0>
    // CHECK: ttig.2d_block_load_from_ptr %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {column_major} {base_height = 8 : i32, base_width = 64 : i32, ttig.one_matrix_per_load} : (
    %1 = ttig.2d_block_load_from_ptr %p, %pitch, %m, %o {column_major} {base_height = 8 : i32, base_width = 64 : i32, ttig.one_matrix_per_load} : (tensor<256x32x!tt.ptr<f16>, #dot0>, i32, tensor<256x32xi1, #dot0>, tensor<256x32xf16, #dot0>) -> tensor<256x32xf16, #dot0>
    tt.return
  }

  // CHECK-LABEL: @descriptors
  tt.func @descriptors(%d: !tt.tensordesc<tensor<256x32xf16>>, %i: i32) {
    // CHECK: ttig.extract_desc %{{.*}}[2] : !tt.tensordesc<tensor<256x32xf16>> -> i64
    %0 = ttig.extract_desc %d[2] : !tt.tensordesc<tensor<256x32xf16>> -> i64
    // CHECK: ttig.descriptor_prefetch %{{.*}}[%{{.*}}, %{{.*}}] : !tt.tensordesc<tensor<256x32xf16>>
    ttig.descriptor_prefetch %d[%i, %i] : !tt.tensordesc<tensor<256x32xf16>>
    // CHECK: ttig.descriptor_prefetch %{{.*}}[%{{.*}}, %{{.*}}] cacheModifier = ca evictionPolicy = evict_last {ttig.block_io = "row_major"} :
    ttig.descriptor_prefetch %d[%i, %i] cacheModifier = ca evictionPolicy = evict_last {ttig.block_io = "row_major"} : !tt.tensordesc<tensor<256x32xf16>>
    tt.return
  }

  // CHECK-LABEL: @load_keeps_the_hints_of_others
  tt.func @load_keeps_the_hints_of_others(%p: tensor<256x32x!tt.ptr<f16>, #dot0>, %m: tensor<256x32xi1, #dot0>, %o: tensor<256x32xf16, #dot0>) {
    // CHECK: tt.load %{{.*}}, %{{.*}}, %{{.*}} evictionPolicy = evict_last {ttig.block_io = "row_major"} : tensor<256x32x!tt.ptr<f16>
    %0 = tt.load %p, %m, %o evictionPolicy = evict_last {ttig.block_io = "row_major"} : tensor<256x32x!tt.ptr<f16>, #dot0>
    // CHECK: "other.op"(%{{.*}}) <{a = 1 : i32}> {b = #[[MMA]]} : (tensor<256x32xf16
    "other.op"(%0) <{a = 1 : i32}> {b = #dpas} : (tensor<256x32xf16, #dot0>) -> ()
    tt.return
  }
}
