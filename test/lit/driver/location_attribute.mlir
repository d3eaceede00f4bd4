// RUN: dotload-opt %s --stage-dot-operands -cse | FileCheck %s

// COM: A location may be an attribute. MLIR prints it as an alias, like the locations of operations.
// CHECK:      #[[FUSED_PART:.*]] = loc("b.py":2:2)
// CHECK:      #[[NAME:.*]] = loc("x #loc1"(#{{.*}}))
// CHECK-NEXT: #[[FUSED:.*]] = loc(fused[#{{.*}}, #[[FUSED_PART]]])
// CHECK:      module attributes {ttg.name = #[[NAME]], ttg.text = "= #loc1"} {
// CHECK-NEXT:   tt.func public @f() attributes {ttg.fused = #[[FUSED]]} {
module attributes {ttg.name = loc("x #loc1"("a.py":1:2)), ttg.text = "= #loc1"} {
  tt.func public @f() attributes {ttg.fused = loc(fused["a", "b.py":2:2])} {
    tt.return
  }
}
