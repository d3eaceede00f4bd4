// RUN: dotload-opt %s --split-input-file='// =====' --output-split-marker='// cut' | FileCheck %s
// RUN: not dotload-opt %s --split-input-file='// =====' --output-split-marker='// cut' -cse=nonsense 2>&1 | FileCheck %s --check-prefix=ERR

// CHECK:      @first
// CHECK:      // cut
// CHECK-NEXT: module
// CHECK-NEXT: @second
// ERR:        no such option nonsense
tt.func @first() { tt.return } // =====
tt.func @second() { tt.return }
