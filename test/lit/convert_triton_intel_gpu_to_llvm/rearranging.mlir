// RUN: dotload-opt %s --convert-triton-intel-gpu-to-llvm | FileCheck %s

#rows = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 16], warpsPerCTA = [1, 1], order = [1, 0]}>
#pairs = #ttg.blocked<{sizePerThread = [1, 1, 2], threadsPerWarp = [1, 16, 1], warpsPerCTA = [1, 1, 1], order = [2, 1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [16, 1], warpsPerCTA = [1, 1], order = [0, 1]}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32} {
  // COM: A lane holds two columns, row by row: register 0 is (0, 0), 1 is (0, 16), 2 is (1, 0). Pieces of 2 x 16 are
  // COM: numbered down the rows first: the third piece starts at (0, 16).
  // CHECK-LABEL: @extracted
  // CHECK: %[[A:.*]] = llvm.extractvalue %arg0[1]
  // CHECK: %[[B:.*]] = llvm.extractvalue %arg0[3]
  // CHECK: llvm.insertvalue %[[A]], %{{.*}}[0]
  // CHECK: llvm.insertvalue %[[B]], %{{.*}}[1] : !llvm.struct<(f16, f16)>
  tt.func @extracted(%a: tensor<4x32xf16, #rows>) -> tensor<2x16xf16, #rows> {
    %0 = ttig.extract %a[2] : tensor<4x32xf16, #rows> -> tensor<2x16xf16, #rows>
    tt.return %0 : tensor<2x16xf16, #rows>
  }

  // CHECK-LABEL: @glued
  // CHECK: %[[A:.*]] = llvm.extractvalue %arg0[0]
  // CHECK: %[[B:.*]] = llvm.extractvalue %arg1[0]
  // CHECK: %[[C:.*]] = llvm.extractvalue %arg2[0]
  // CHECK: %[[D:.*]] = llvm.extractvalue %arg3[0]
  // COM: %b lies below %a, %c to its right.
  // CHECK: llvm.insertvalue %[[A]], %{{.*}}[0]
  // CHECK: llvm.insertvalue %[[C]], %{{.*}}[1]
  // CHECK: llvm.insertvalue %[[B]], %{{.*}}[2]
  // CHECK: llvm.insertvalue %[[D]], %{{.*}}[3]
  tt.func @glued(%a: tensor<1x16xf16, #rows>, %b: tensor<1x16xf16, #rows>, %c: tensor<1x16xf16, #rows>, %d: tensor<1x16xf16, #rows>) -> tensor<2x32xf16, #rows> {
    %0 = ttig.glue %a, %b, %c, %d : (tensor<1x16xf16, #rows>, tensor<1x16xf16, #rows>, tensor<1x16xf16, #rows>, tensor<1x16xf16, #rows>) -> tensor<2x32xf16, #rows>
    tt.return %0 : tensor<2x32xf16, #rows>
  }

  // CHECK-LABEL: @joined
  // CHECK: %[[A:.*]] = llvm.extractvalue %arg0[0]
  // CHECK: %[[B:.*]] = llvm.extractvalue %arg1[0]
  // CHECK: llvm.insertvalue %[[A]], %{{.*}}[0]
  // CHECK: llvm.insertvalue %[[B]], %{{.*}}[1]
  tt.func @joined(%a: tensor<1x16xf16, #rows>, %b: tensor<1x16xf16, #rows>) -> tensor<1x16x2xf16, #pairs> {
    %0 = tt.join %a, %b : tensor<1x16xf16, #rows> -> tensor<1x16x2xf16, #pairs>
    tt.return %0 : tensor<1x16x2xf16, #pairs>
  }

  // CHECK-LABEL: @split
  // CHECK: llvm.extractvalue %arg0[0]
  // CHECK: %[[B:.*]] = llvm.extractvalue %arg0[1]
  // CHECK: llvm.insertvalue %[[B]], %{{.*}}[0]
  tt.func @split(%a: tensor<1x16x2xf16, #pairs>) -> tensor<1x16xf16, #rows> {
    %0, %1 = tt.split %a : tensor<1x16x2xf16, #pairs> -> tensor<1x16xf16, #rows>
    tt.return %1 : tensor<1x16xf16, #rows>
  }

  // CHECK-LABEL: @transposed
  // CHECK: %[[A:.*]] = llvm.extractvalue %arg0[0]
  // CHECK: %[[B:.*]] = llvm.extractvalue %arg0[1]
  // CHECK: llvm.insertvalue %[[A]], %{{.*}}[0]
  // CHECK: llvm.insertvalue %[[B]], %{{.*}}[1]
  tt.func @transposed(%a: tensor<2x16xf16, #rows>) -> tensor<16x2xf16, #columns> {
    %0 = tt.trans %a {order = array<i32: 1, 0>} : tensor<2x16xf16, #rows> -> tensor<16x2xf16, #columns>
    tt.return %0 : tensor<16x2xf16, #columns>
  }
}
