// RUN: dotload-opt %s | FileCheck %s

// COM: Intel's dialect was named triton_intel_gpu up to Triton 3.3; a module that is read under that name is printed
// COM: under it.
// CHECK: #[[MMA:.*]] = #triton_intel_gpu.dpas<{repeatCount = 8,
#dpas = #triton_intel_gpu.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [8, 4], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>
module attributes {"ttg.num-warps" = 32 : i32, "ttg.threads-per-warp" = 16 : i32} {
  // CHECK-LABEL: @block_pointer
  tt.func @block_pointer(%base: !tt.ptr<f16>, %m: i64, %one: i64, %x: i32) {
    // CHECK: tt.make_tensor_ptr %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}] {order = array<i32: 1, 0>} : <tensor<256x256xf16, #[[MMA]]>>
    %0 = tt.make_tensor_ptr %base, [%m, %m], [%m, %one], [%x, %x] {order = array<i32: 1, 0>} : <tensor<256x256xf16, #dpas>>
    // CHECK: tt.advance %{{.*}}, [%{{.*}}, %{{.*}}] : <tensor<256x256xf16, #[[MMA]]>>
    %1 = tt.advance %0, [%x, %x] : <tensor<256x256xf16, #dpas>>
    // CHECK: triton_intel_gpu.prefetch %{{.*}} {boundaryCheck = array<i32: 0, 1>, triton_intel_gpu.block_io = "row_major"} : !tt.ptr<tensor<256x256xf16, #[[MMA]]>>
    triton_intel_gpu.prefetch %1 {boundaryCheck = array<i32: 0, 1>, triton_intel_gpu.block_io = "row_major"} : !tt.ptr<tensor<256x256xf16, #dpas>>
    // CHECK: tt.load %{{.*}} {boundaryCheck = array<i32: 0, 1>, padding = 2 : i32} : !tt.ptr<tensor<256x256xf16, #[[MMA]]>>
    %2 = tt.load %1 {boundaryCheck = array<i32: 0, 1>, padding = 2 : i32} : !tt.ptr<tensor<256x256xf16, #dpas>>
    // COM: `ttg.barrier local` of Triton 3.6.
    // CHECK-COUNT-2: ttg.local_barrier{{$}}
    ttg.local_barrier
    "ttg.local_barrier"() : () -> ()
    tt.return
  }
}
