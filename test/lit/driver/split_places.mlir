// RUN: not dotload-opt %s --split-input-file --triton-combine 2>&1 >/dev/null | FileCheck %s

// COM: An error about a whole chunk is reported at the chunk's first line.
tt.func @first() { tt.return }

// -----
// CHECK: split_places.mlir:[[#@LINE]]:1: error: 'triton-combine' is a C++ pass, and triton {{.*}} does not know
// CHECK-NOT: error:
tt.func @second(%p: !tt.ptr<i32>, %n: i32) {
  %0 = ttig.2d_block_load %p, %n, %n, %n[%n, %n] {row_major} : !tt.ptr<i32> -> tensor<8x16xi32>
  tt.return
}
