// RUN: dotload-opt %s --materialize-block-pointer --mlir-print-debuginfo | FileCheck %s

// COM: MLIR escapes every byte that is not printable ASCII. An escaped é is read as text, in a location and in a
// COM: string.
#dpas = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [4, 1], repCluster = [1, 1]}>
#loc = loc("/home/jos\C3\A9/kernel.py":3:4)
#loc1 = loc("/home/josé/kernel.py":3:4)
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32} {
  tt.func @escapes(%t: tensor<32x16xf32, #dpas>, %i: i32) {
    // CHECK: tt.print "\C3\A9 \22: " {{.*}} loc(#[[LOC:.*]])
    tt.print "\C3\A9 \22: " {hex = false, isSigned = array<i32: 1>} : %i : i32 loc(#loc)
    // CHECK: tt.print "\C3\A9" {{.*}} loc(#[[LOC]])
    tt.print "é" {hex = false, isSigned = array<i32: 1>} : %i : i32 loc(#loc1)
    // CHECK: tt.assert %{{.*}}, "\E4\BD\A0 < 3"
    %true = arith.constant true
    tt.assert %true, "\E4\BD\A0 < 3" : i1
    tt.return
  }
}
// CHECK: #[[LOC]] = loc("/home/jos\C3\A9/kernel.py":3:4)
