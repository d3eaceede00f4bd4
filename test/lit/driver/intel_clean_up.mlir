// RUN: dotload-opt %s --cse | FileCheck %s --check-prefix=CSE
// RUN: dotload-opt %s -canonicalize | FileCheck %s --check-prefix=CANONICAL
// RUN: dotload-opt %s -convert-scf-to-cf | FileCheck %s --check-prefix=BLOCKS
// RUN: dotload-opt %s --loop-invariant-code-motion | FileCheck %s --check-prefix=MOTION
// RUN: dotload-opt %s --reconcile-unrealized-casts | FileCheck %s --check-prefix=CASTS
// RUN: not dotload-opt %s --canonicalize=top-down=false 2>&1 | FileCheck %s --check-prefix=OPTION

// COM: libtriton cannot hold this module, so xDSL's passes stand in for some of MLIR's.
// CSE: %[[SUM:.*]] = arith.addi %x, %x : i32
// CSE-NEXT: tt.store %p, %[[SUM]] : !tt.ptr<i32>
// CSE-NEXT: tt.store %p, %[[SUM]] : !tt.ptr<i32>
// CANONICAL: tt.func @f
// CANONICAL-NOT: arith.constant
// CANONICAL: tt.return
// BLOCKS: cf.cond_br
// BLOCKS-NOT: scf.for
// MOTION: arith.muli
// MOTION: scf.for
// CASTS-NOT: builtin.unrealized_conversion_cast
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

  tt.func @loop(%p: !tt.ptr<i32>, %n: i32) {
    scf.for %i = %n to %n step %n : i32 {
      %square = arith.muli %n, %n : i32
      tt.store %p, %square : !tt.ptr<i32>
    }
    tt.return
  }

  tt.func @there_and_back(%p: !tt.ptr<i32>, %n: i32) {
    %there = builtin.unrealized_conversion_cast %p : !tt.ptr<i32> to !llvm.ptr<1>
    %back = builtin.unrealized_conversion_cast %there : !llvm.ptr<1> to !tt.ptr<i32>
    tt.store %back, %n : !tt.ptr<i32>
    tt.return
  }
}
