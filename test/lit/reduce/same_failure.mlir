// RUN: dotload-reduce %s -o %t -- dotload-opt {} --tritonamdgpu-optimize-descriptor-encoding 2>%t.log
// RUN: FileCheck %s --input-file=%t && FileCheck %s --check-prefix=LOG --input-file=%t.log
// RUN: not dotload-reduce %s -- dotload-opt {} -cse 2>&1 | FileCheck %s --check-prefix=FINE
// RUN: not dotload-reduce %s --contains 'no such text' -- dotload-opt {} 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not dotload-reduce %s -- no-such-program 2>&1 | FileCheck %s --check-prefix=PROGRAM

// COM: the pass asserts the module's target, so nothing else of the module is needed.
// CHECK:      module attributes {ttg.target = "cuda:90"} {
// CHECK-NEXT: }
// LOG:        dotload-reduce: {{[0-9]+}} lines -> 2
// FINE:       dotload-reduce: error: the command succeeds on the input: nothing to reduce
// TEXT:       dotload-reduce: error: the command does not print 'no such text' on the input: nothing to reduce
// PROGRAM:    dotload-reduce: error: cannot run 'no-such-program': No such file or directory
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
  tt.func @f(%a: i32) -> i32 {
    %0 = arith.addi %a, %a : i32
    tt.return %0 : i32
  }
}
