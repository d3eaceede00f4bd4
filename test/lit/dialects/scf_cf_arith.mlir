// RUN: dotload-opt %s | FileCheck %s
// RUN: dotload-opt %s | dotload-opt | FileCheck %s
// RUN: dotload-opt %s --mlir-print-op-generic | dotload-opt | FileCheck %s

// COM: What Triton's own modules rarely have. An attribute of ttig keeps the module out of libtriton.
module attributes {ttig.support_2d_block_io} {
  // CHECK-LABEL: tt.func @parallel(
  // CHECK-SAME:  %[[A:.*]]: index, %[[B:.*]]: index, %[[S:.*]]: index, %[[X:.*]]: f32)
  tt.func @parallel(%a: index, %b: index, %s: index, %x: f32) -> f32 {
    // CHECK-NEXT: scf.parallel (%[[I:.*]], %[[J:.*]]) = (%[[A]], %[[A]]) to (%[[B]], %[[B]]) step (%[[S]], %[[S]]) {
    // CHECK-NEXT:   scf.reduce
    // CHECK-NEXT: }
    scf.parallel (%i, %j) = (%a, %a) to (%b, %b) step (%s, %s) {
    }
    // CHECK-NEXT: %[[R:.*]] = scf.parallel (%[[I:.*]]) = (%[[A]]) to (%[[B]]) step (%[[S]]) init (%[[X]]) -> f32 {
    // CHECK-NEXT:   scf.reduce(%[[X]] : f32) {
    // CHECK-NEXT:   ^{{.*}}(%[[L:.*]]: f32, %[[M:.*]]: f32):
    // CHECK-NEXT:     arith.addf %[[L]], %[[M]] : f32
    // CHECK-NEXT:     scf.reduce.return
    // CHECK-NEXT:   }
    // CHECK-NEXT: } {mark = 1 : i32}
    %r = scf.parallel (%i) = (%a) to (%b) step (%s) init (%x) -> f32 {
      scf.reduce(%x : f32) {
      ^bb0(%l: f32, %m: f32):
        %z = arith.addf %l, %m : f32
        scf.reduce.return %z : f32
      }
    } {mark = 1 : i32}
    // CHECK-NEXT: scf.execute_region {
    // CHECK-NEXT:   scf.yield
    // CHECK-NEXT: }
    scf.execute_region {
      scf.yield
    }
    tt.return %r : f32
  }

  // CHECK-LABEL: tt.func @branch(
  tt.func @branch(%c: i1, %a: i32, %b: i32) {
    // CHECK-NEXT: arith.divsi %{{.*}}, %{{.*}} exact : i32
    %0 = arith.divsi %a, %b exact : i32
    // CHECK-NEXT: arith.shrui %{{.*}}, %{{.*}} : i32
    %1 = arith.shrui %a, %b : i32
    // CHECK-NEXT: arith.extui %{{.*}} nneg : i32 to i64
    %2 = arith.extui %a nneg : i32 to i64
    // CHECK-NEXT: arith.uitofp %{{.*}} nneg : i32 to f32
    %3 = arith.uitofp %a nneg : i32 to f32
    // CHECK-NEXT: arith.uitofp %{{.*}} : i32 to f32
    %4 = arith.uitofp %a : i32 to f32
    // CHECK-NEXT: cf.cond_br %{{.*}} weights([5, 10]), ^{{.*}}, ^
    cf.cond_br %c weights([5, 10]), ^bb1, ^bb2
  ^bb1:
    // CHECK: cf.cond_br %{{.*}}, ^{{.*}}, ^
    cf.cond_br %c, ^bb2, ^bb2
  ^bb2:
    tt.return
  }

  // CHECK: gpu.module @kernels attributes {mark} {
  // CHECK-NEXT: llvm.func @f() {
  gpu.module @kernels attributes {mark} {
    llvm.func @f() {
      llvm.return
    }
  }

  // COM: Parameters of a function without a body keep their attributes.
  // CHECK: tt.func private @declared(i32 {tt.divisibility = 16 : i32}, f32) -> (i32, f32) attributes {noinline = true}
  tt.func private @declared(%a: i32 {tt.divisibility = 16 : i32}, %b: f32) -> (i32, f32) attributes {noinline = true}
  // CHECK: tt.func private @unnamed(i32 {tt.divisibility = 16 : i32}) -> i32
  tt.func private @unnamed(i32 {tt.divisibility = 16 : i32}) -> i32
}

// COM: Resources of other tools are ignored.
{-#
  external_resources: {
    mlir_reproducer: {
      pipeline: "builtin.module(convert-triton-intel-gpu-to-llvm)",
      disable_threading: true
    }
  }
#-}
