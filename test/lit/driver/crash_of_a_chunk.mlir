// RUN: not dotload-opt %s --split-input-file --tritongpu-coalesce 2>&1 | FileCheck %s

// COM: MLIR's messages before a crash name the user's file, not the temporary file of the chunk.
// CHECK:     crash_of_a_chunk.mlir:[[#@LINE+4]]:20: error: 'tt.return' op is not contained within a context
// CHECK-NOT: input.mlir
// CHECK:     crash_of_a_chunk.mlir:1:1: error: 'tritongpu-coalesce' crashed (SIGABRT)
// CHECK-NOT: input.mlir
tt.func @first() { tt.return }
