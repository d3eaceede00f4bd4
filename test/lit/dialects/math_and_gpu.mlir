// RUN: dotload-opt %s --lower-to-2d-block-load | FileCheck %s
// RUN: dotload-opt %s --lower-to-2d-block-load --mlir-print-op-generic | dotload-opt | FileCheck %s

// COM: Ops that xDSL lacks, in the syntax and with the names of MLIR.
// CHECK-LABEL: @classes
tt.func @classes(%x: f32, %v: tensor<4xf16>) {
  // CHECK: math.isnan %{{.*}} : f32
  %0 = math.isnan %x : f32
  // CHECK: math.isinf %{{.*}} {fastmath = #arith.fastmath<nnan>} : tensor<4xf16>
  %1 = math.isinf %v {fastmath = #arith.fastmath<nnan>} : tensor<4xf16>
  // CHECK: math.isfinite %{{.*}} : f32
  %2 = math.isfinite %x : f32
  // CHECK: math.isnormal %{{.*}} : f32
  %3 = math.isnormal %x : f32
  // CHECK: arith.andi %{{.*}}, %{{.*}} : i1
  %4 = arith.andi %0, %2 : i1
  tt.return
}

// CHECK-LABEL: @functions
tt.func @functions(%x: f32, %v: tensor<4xf16>) {
  // CHECK: math.erfc %{{.*}} fastmath<fast> : f32
  %0 = math.erfc %x fastmath<fast> : f32
  // CHECK: math.clampf %{{.*}} to [%{{.*}}, %{{.*}}] fastmath<nnan> {a = 1 : i32} : f32
  %1 = math.clampf %x to [%x, %x] fastmath<nnan> {a = 1 : i32} : f32
  // CHECK: math.sincos %{{.*}} : tensor<4xf16>
  %2, %3 = math.sincos %v : tensor<4xf16>
  tt.return
}

// CHECK-LABEL: @lanes
tt.func @lanes(%x: f32, %i: i32) {
  // CHECK: gpu.shuffle xor %{{.*}}, %{{.*}}, %{{.*}} : f32
  %0, %1 = gpu.shuffle xor %x, %i, %i : f32
  // CHECK: gpu.shuffle idx
  %2, %3 = gpu.shuffle idx %x, %i, %i : f32
  // CHECK: gpu.thread_id x upper_bound 4{{$}}
  %4 = gpu.thread_id x upper_bound 4
  tt.return
}
