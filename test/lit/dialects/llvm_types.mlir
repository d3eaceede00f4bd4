// RUN: dotload-opt %s | FileCheck %s
// RUN: dotload-opt %s | dotload-opt | FileCheck %s

// COM: Within LLVM's types, its own types are printed without their prefix; intrinsics without a syntax are generic
// COM: ops.
module attributes {ttig.support_2d_block_io} {
  // CHECK: llvm.func @types(%arg0: !llvm.struct<(i64, ptr<1>, struct<(f32, ptr)>)>, %arg1: !llvm.ptr) {
  llvm.func @types(%s: !llvm.struct<(i64, !llvm.ptr<1>, !llvm.struct<(f32, !llvm.ptr)>)>, %p: !llvm.ptr) {
    // CHECK: llvm.extractvalue %arg0[1] : !llvm.struct<(i64, ptr<1>, struct<(f32, ptr)>)>
    %0 = llvm.extractvalue %s[1] : !llvm.struct<(i64, ptr<1>, struct<(f32, ptr)>)>
    // CHECK: llvm.mlir.undef : !llvm.array<2 x ptr<1>>
    %1 = llvm.mlir.undef : !llvm.array<2 x !llvm.ptr<1>>
    llvm.return
  }

  // CHECK-LABEL: @intrinsics
  llvm.func @intrinsics(%x: f32, %i: i32) {
    // CHECK: llvm.intr.roundeven(%arg0) : (f32) -> f32
    %0 = llvm.intr.roundeven(%x) : (f32) -> f32
    // CHECK: llvm.intr.umin(%arg1, %arg1) : (i32, i32) -> i32
    %1 = llvm.intr.umin(%i, %i) : (i32, i32) -> i32
    // CHECK: "llvm.intr.cttz"(%arg1) <{is_zero_poison = true}> : (i32) -> i32
    %2 = "llvm.intr.cttz"(%i) <{is_zero_poison = true}> : (i32) -> i32
    llvm.return
  }
}
