// RUN: dotload-opt %s --convert-tritongen-to-llvm --split-input-file --verify-diagnostics | FileCheck %s
// RUN: dotload-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// COM: Rounding modes and exception behaviour, as MLIR parses and prints them.
// CHECK-LABEL: @rounded
llvm.func @rounded(%a: f32, %i: i32, %v: vector<4xf32>) {
  // CHECK: llvm.intr.experimental.constrained.fptrunc %{{.*}} towardzero ignore : f32 to f16
  %0 = llvm.intr.experimental.constrained.fptrunc %a towardzero ignore : f32 to f16
  // CHECK: llvm.intr.experimental.constrained.fptrunc %{{.*}} tonearest ignore : vector<4xf32> to vector<4xbf16>
  %1 = llvm.intr.experimental.constrained.fptrunc %v tonearest ignore : vector<4xf32> to vector<4xbf16>
  // CHECK: llvm.intr.experimental.constrained.fpext %{{.*}} strict : f32 to f64
  %2 = llvm.intr.experimental.constrained.fpext %a strict : f32 to f64
  // CHECK: llvm.intr.experimental.constrained.sitofp %{{.*}} upward maytrap : i32 to f32
  %3 = llvm.intr.experimental.constrained.sitofp %i upward maytrap : i32 to f32
  // CHECK: llvm.intr.experimental.constrained.uitofp %{{.*}} downward ignore : i32 to f32
  %4 = llvm.intr.experimental.constrained.uitofp %i downward ignore : i32 to f32
  // CHECK: llvm.intr.experimental.constrained.fadd %{{.*}}, %{{.*}} tonearestaway ignore : f32
  %5 = llvm.intr.experimental.constrained.fadd %a, %a tonearestaway ignore : f32
  // CHECK: llvm.intr.experimental.constrained.fma %{{.*}}, %{{.*}}, %{{.*}} dynamic ignore : f32
  %6 = llvm.intr.experimental.constrained.fma %a, %a, %a dynamic ignore : f32
  llvm.return
}

// -----

llvm.func @sideways(%a: f32) {
  // expected-error @+1 {{towardzero, tonearest, upward, downward, tonearestaway, dynamic}}
  %0 = llvm.intr.experimental.constrained.fptrunc %a sideways ignore : f32 to f16
  llvm.return
}
