// RUN: dotload-opt %s -cse --symbol-dce --mlir-generate-reproducer=%t.mlir -o /dev/null
// RUN: FileCheck %s --check-prefix=WRITTEN < %t.mlir
// RUN: dotload-opt %t.mlir --run-reproducer | FileCheck %s

// COM: the file holds the unchanged input and the passes; running it repeats the command.
// WRITTEN: arith.addi
// WRITTEN: arith.addi
// WRITTEN: pipeline: "builtin.module(cse,symbol-dce)",
// WRITTEN: verify_each: true
// CHECK-LABEL: @same_sum_twice
// CHECK-COUNT-1: arith.addi
// CHECK-NOT: arith.addi
// CHECK: tt.return
tt.func @same_sum_twice(%a: i32, %b: i32) -> (i32, i32) {
  %0 = arith.addi %a, %b : i32
  %1 = arith.addi %a, %b : i32
  tt.return %0, %1 : i32, i32
}
