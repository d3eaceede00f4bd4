// RUN: dotload-opt %s --convert-tritongen-to-llvm --split-input-file --verify-diagnostics

llvm.func @truncated_integer(%i: i32) {
  // expected-error @+1 {{operand #0 must be a float or a vector of them, but got 'i32'}}
  %0 = llvm.intr.experimental.constrained.fptrunc %i towardzero ignore : i32 to f16
  llvm.return
}

// -----

llvm.func @converted_float(%v: vector<4xf32>) {
  // expected-error @+1 {{operand #0 must be an integer or a vector of them, but got 'vector<4xf32>'}}
  %0 = llvm.intr.experimental.constrained.sitofp %v upward ignore : vector<4xf32> to vector<4xf32>
  llvm.return
}

// -----

llvm.func @no_such_mode(%a: f32) {
  // expected-error @+1 {{is no LLVM Rounding Mode, which is one of towardzero, tonearest, upward, downward, tonearestaway, dynamic}}
  %0 = "llvm.intr.experimental.constrained.fadd"(%a, %a) <{roundingmode = 5 : i64, fpExceptionBehavior = 0 : i64}> : (f32, f32) -> f32
  llvm.return
}
