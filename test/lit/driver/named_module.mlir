// RUN: dotload-opt %s -split-input-file --stage-dot-operands -cse | FileCheck %s

// COM: A module may have a symbol name. A Python pass keeps it.
// CHECK:      module @named attributes {"ttg.num-warps" = 4 : i32} {
// CHECK-NEXT:   module @inner {
module @named attributes {"ttg.num-warps" = 4 : i32} {
  module @inner {
  }
}

// -----

// CHECK: module @"a name" attributes {sym_visibility = "private"} {
module @"a name" attributes {sym_visibility = "private"} {
}
