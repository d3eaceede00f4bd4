// RUN: dotload-opt %s | FileCheck %s
// RUN: dotload-opt %s | dotload-opt | FileCheck %s

// COM: Parts of MLIR's functions and calls that xDSL lacks. An op of ttig keeps the module out of libtriton.
module attributes {ttig.support_2d_block_io} {
  // CHECK: llvm.func spir_funccc @f(!llvm.ptr<1> {llvm.nonnull, llvm.readonly}, i32) -> i32 attributes {convergent, memory_effects = #llvm.memory_effects<other = none, argMem = read, inaccessibleMem = none>, no_unwind, will_return}
  llvm.func spir_funccc @f(!llvm.ptr<1> {llvm.nonnull, llvm.readonly}, i32) -> i32 attributes {convergent, memory_effects = #llvm.memory_effects<other = none, argMem = read, inaccessibleMem = none>, no_unwind, will_return}
  // COM: Names are quoted as MLIR does it.
  // CHECK: llvm.func @g(%arg0: !llvm.ptr<1>) -> i32 {
  llvm.func @g(%pointer: !llvm.ptr<1>) -> i32 {
    // CHECK-NEXT: %0 = llvm.mlir.constant(64 : i64) : i64
    %wide = llvm.mlir.constant(64) : i64
    %one = llvm.mlir.constant(1 : i32) : i32
    // CHECK: %2 = llvm.call spir_funccc @f(%arg0, %1) {convergent, function_type = !llvm.func<i32 (ptr<1>, i32)>, linkage = #llvm.linkage<external>, no_unwind} : (!llvm.ptr<1> {llvm.nonnull}, i32) -> i32
    %result = llvm.call spir_funccc @f(%pointer, %one) {convergent, function_type = !llvm.func<i32 (ptr<1>, i32)>, linkage = #llvm.linkage<external>, no_unwind} : (!llvm.ptr<1> {llvm.nonnull}, i32) -> i32
    llvm.return %result : i32
  }
}
