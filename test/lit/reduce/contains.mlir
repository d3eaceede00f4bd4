// RUN: dotload-reduce %s --contains 'arith.muli' -- dotload-opt {} -cse | FileCheck %s
// RUN: dotload-reduce %S/Inputs/broken.txt --contains "op 'brokn' is unknown" -- dotload-opt {} | FileCheck %s --check-prefix=LINES

// COM: the loop around the multiplication, the other function, and arguments without a use disappear.
// CHECK:      module {
// CHECK-NEXT:   tt.func @f(%[[A:[a-z0-9]+]]: i32, %[[B:[a-z0-9]+]]: i32) -> i32 {
// CHECK-NEXT:     %[[R:.*]] = arith.muli %[[A]], %[[B]] : i32
// CHECK-NEXT:     tt.return %[[R]] : i32
// CHECK-NEXT:   }
// CHECK-NEXT: }
// COM: a file that no parser reads is reduced line by line.
// LINES-NOT: {{.}}
// LINES:     brokn
// LINES-NOT: {{.}}
tt.func @other(%x: i32) -> i32 {
  tt.return %x : i32
}
tt.func @f(%from: i32, %to: i32, %x: i32, %unused: !tt.ptr<f32>) -> i32 {
  %step = arith.constant 1 : i32
  %r = scf.for %i = %from to %to step %step iter_args(%a = %x) -> (i32) : i32 {
    %b = arith.addi %a, %x : i32
    %c = arith.muli %b, %x : i32
    scf.yield %c : i32
  }
  tt.return %r : i32
}
