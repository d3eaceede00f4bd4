// RUN: dotload-opt %s --cse | FileCheck %s --check-prefix=CSE
// RUN: dotload-opt %s -canonicalize | FileCheck %s --check-prefix=CANONICAL
// RUN: not dotload-opt %s --canonicalize=top-down=false 2>&1 | FileCheck %s --check-prefix=OPTION

// COM: On a module that libtriton cannot hold, xDSL's passes stand in for two of MLIR's.
// CSE: %[[SUM:.*]] = arith.addi %x, %x : i32
// CSE-NEXT: tt.store %p, %[[SUM]] : !tt.ptr<i32>
// CSE-NEXT: tt.store %p, %[[SUM]] : !tt.ptr<i32>
// CANONICAL: tt.func @f
// CANONICAL-NOT: arith.constant
// CANONICAL: tt.return
// OPTION: error: 'canonicalize' takes no options on a module with Intel's dialects
module attributes {ttig.support_2d_block_io} {
  tt.func @f(%p: !tt.ptr<i32>, %x: i32) {
    %sum = arith.addi %x, %x : i32
    %again = arith.addi %x, %x : i32
    tt.store %p, %sum : !tt.ptr<i32>
    tt.store %p, %again : !tt.ptr<i32>
    %unused = arith.constant 7 : i32
    tt.return
  }
}
