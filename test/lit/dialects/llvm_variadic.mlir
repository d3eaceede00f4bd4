// RUN: dotload-opt %s | FileCheck %s
// RUN: dotload-opt %s | dotload-opt | FileCheck %s
// RUN: dotload-opt %s --mlir-print-op-generic | dotload-opt | FileCheck %s

// COM: LLVM's ops that xDSL lacks or reads in part. An attribute of ttig keeps the module out of libtriton.
module attributes {ttig.support_2d_block_io} {
  // CHECK-LABEL: llvm.func @arguments(
  llvm.func @arguments(%n: i32, %p: !llvm.ptr) -> i32 {
    // CHECK-NEXT: llvm.alloca inalloca %arg0 x i32 : (i32) -> !llvm.ptr
    %0 = llvm.alloca inalloca %n x i32 : (i32) -> !llvm.ptr
    // CHECK-NEXT: llvm.alloca %arg0 x !llvm.array<4 x f32> {alignment = 16 : i64} : (i32) -> !llvm.ptr<5>
    %1 = llvm.alloca %n x !llvm.array<4 x f32> {alignment = 16 : i64} : (i32) -> !llvm.ptr<5>
    // CHECK-NEXT: llvm.intr.vastart %arg1 : !llvm.ptr
    llvm.intr.vastart %p : !llvm.ptr
    // CHECK-NEXT: llvm.intr.vacopy %arg1 to %0 : !llvm.ptr, !llvm.ptr
    llvm.intr.vacopy %p to %0 : !llvm.ptr, !llvm.ptr
    // CHECK-NEXT: llvm.va_arg %arg1 : (!llvm.ptr) -> i32
    %2 = llvm.va_arg %p : (!llvm.ptr) -> i32
    // CHECK-NEXT: llvm.intr.vaend %arg1 : !llvm.ptr
    llvm.intr.vaend %p : !llvm.ptr
    llvm.return %2 : i32
  }

  // CHECK-LABEL: llvm.func @bundles(
  llvm.func @bundles(%c: i1, %p: !llvm.ptr, %n: i32) {
    // CHECK-NEXT: llvm.intr.assume %arg0 ["align"(%arg1, %arg2 : !llvm.ptr, i32)] : i1
    llvm.intr.assume %c ["align"(%p, %n : !llvm.ptr, i32)] : i1
    // CHECK-NEXT: llvm.intr.assume %arg0 ["nonnull"(%arg1 : !llvm.ptr), "cold"()] : i1
    llvm.intr.assume %c ["nonnull"(%p : !llvm.ptr), "cold"()] : i1
    // CHECK-NEXT: llvm.intr.assume %arg0 : i1
    llvm.intr.assume %c [] : i1
    // CHECK-NEXT: llvm.call @bundled(%arg2) ["deopt"(%arg1, %arg2 : !llvm.ptr, i32)] : (i32) -> ()
    llvm.call @bundled(%n) ["deopt"(%p, %n : !llvm.ptr, i32)] : (i32) -> ()
    llvm.return
  }
  llvm.func @bundled(i32)

  // CHECK-LABEL: llvm.func @intrinsics(
  llvm.func @intrinsics(%a: i32, %v: vector<4xi32>) {
    // CHECK-NEXT: llvm.intr.vector.reduce.add(%arg1) : (vector<4xi32>) -> i32
    %0 = llvm.intr.vector.reduce.add(%v) : (vector<4xi32>) -> i32
    // CHECK-NEXT: llvm.intr.scmp(%arg0, %arg0) : (i32, i32) -> i8
    %1 = llvm.intr.scmp(%a, %a) : (i32, i32) -> i8
    // CHECK-NEXT: llvm.intr.uadd.with.overflow(%arg0, %arg0) : (i32, i32) -> !llvm.struct<(i32, i1)>
    %2 = llvm.intr.uadd.with.overflow(%a, %a) : (i32, i32) -> !llvm.struct<(i32, i1)>
    llvm.return
  }
}
