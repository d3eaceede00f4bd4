// RUN: not dotload-opt %s --split-input-file 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=ERR --input-file=%t

// COM: a chunk that fails has no output, the other chunks have; its error names the line in the whole file.
// CHECK-LABEL: @first
// CHECK:       // -----
// CHECK-NOT:   @second
// CHECK:       // -----
// CHECK:       @third
tt.func @first() { tt.return }

// -----

// ERR: split.mlir:[[#@LINE+1]]:21: error: custom op 'tt.retrun' is unknown
tt.func @second() { tt.retrun }

// -----

// A longer line of dashes is a comment:
// ----------------------------------------
tt.func @third() { tt.return }
