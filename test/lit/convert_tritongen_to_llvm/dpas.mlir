// RUN: dotload-opt -convert-tritongen-to-llvm -split-input-file %s | FileCheck %s

// COM: K = 32 for 8-bit elements. The operand flags 51 say: both operands are signed (1, 2) and 8 bits wide (16, 32).
// CHECK: llvm.func spir_funccc @_Z45__spirv_SubgroupMatrixMultiplyAccumulateINTELiDv8_sDv8_iS0_i(i32, vector<8xi16>, vector<8xi32>, vector<8xi32>, i32) -> vector<8xi32> attributes {convergent, memory_effects = #llvm.memory_effects<other = none, argMem = none, {{.*}}>, no_unwind, will_return}
// CHECK-LABEL: llvm.func @i8
// CHECK: %[[K:.*]] = llvm.mlir.constant(32 : i32) : i32
// CHECK: %[[OPERANDS:.*]] = llvm.mlir.constant(51 : i32) : i32
// CHECK: llvm.call spir_funccc @_Z45__spirv_SubgroupMatrixMultiplyAccumulateINTELiDv8_sDv8_iS0_i(%[[K]], %arg1, %arg2, %arg0, %[[OPERANDS]]) {convergent,
llvm.func @i8(%c: vector<8xi32>, %a: vector<8xi16>, %b: vector<8xi32>) {
  %0 = triton_gen.dpas %c, %a, %b {pa = i8, pb = i8, rc = 8} : (vector<8xi32>, vector<8xi16>, vector<8xi32>) -> vector<8xi32>
  llvm.return
}

// -----

// COM: An accumulator of bf16 is passed as i16; the flags 12 say so for C (4) and for the result (8).
// CHECK-LABEL: llvm.func @bf16_accumulator
// CHECK: %[[C:.*]] = llvm.bitcast %arg0 : vector<8xbf16> to vector<8xi16>
// CHECK: %[[OPERANDS:.*]] = llvm.mlir.constant(12300 : i32) : i32
// CHECK: %[[D:.*]] = llvm.call spir_funccc @_Z45__spirv_SubgroupMatrixMultiplyAccumulateINTELiDv8_sDv8_iS_i(%{{.*}}, %arg1, %arg2, %[[C]], %[[OPERANDS]])
// CHECK: llvm.bitcast %[[D]] : vector<8xi16> to vector<8xbf16>
llvm.func @bf16_accumulator(%c: vector<8xbf16>, %a: vector<8xi16>, %b: vector<8xi32>) {
  %0 = triton_gen.dpas %c, %a, %b {pa = bf16, pb = bf16, rc = 8} : (vector<8xbf16>, vector<8xi16>, vector<8xi32>) -> vector<8xbf16>
  llvm.return
}

// -----

// COM: e5m2 by e4m3: bit 16 for A, bit 15 for B.
// CHECK-LABEL: llvm.func @two_kinds_of_fp8
// CHECK: llvm.mlir.constant(98304 : i32) : i32
llvm.func @two_kinds_of_fp8(%c: vector<8xf32>, %a: vector<8xi16>, %b: vector<8xi32>) {
  %0 = triton_gen.dpas %c, %a, %b {pa = bf8, pb = hf8, rc = 8} : (vector<8xf32>, vector<8xi16>, vector<8xi32>) -> vector<8xf32>
  llvm.return
}

// -----

// COM: A dot with scales exists only as an intrinsic of GenISA.
// CHECK-LABEL: llvm.func @scaled
// CHECK: llvm.call spir_funccc @llvm.genx.GenISA.sub.group.bdpas.v8f32.v8f32.v8i16.v8i32.i8.i8(%arg0, %arg1, %arg2, %arg3, %arg4,
llvm.func @scaled(%c: vector<8xf32>, %a: vector<8xi16>, %b: vector<8xi32>, %sa: i8, %sb: i8) {
  %0 = triton_gen.bdpas %c, %a, %b, %sa, %sb {pa = hf8, pb = hf8, rc = 8} : (vector<8xf32>, vector<8xi16>, vector<8xi32>, i8, i8) -> vector<8xf32>
  llvm.return
}
