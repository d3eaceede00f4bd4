// RUN: dotload-opt %s | FileCheck %s
// RUN: dotload-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  tt.func @dot(%a: tensor<32x32xf32>) {
    // COM: A property may stand in the dictionary, although the syntax has another place for it.
    // CHECK: %d = tt.dot %a, %a, %a, inputPrecision = tf32 {maxNumImpreciseAcc = 3 : i32} :
    // GENERIC: "tt.dot"(%a, %a, %a) <{inputPrecision = 0 : i32, maxNumImpreciseAcc = 3 : i32}> : (
    %d = tt.dot %a, %a, %a {inputPrecision = 0 : i32, maxNumImpreciseAcc = 3 : i32} : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
    tt.return
  }
  // COM: So may the segment sizes, which the operands show.
  // CHECK: tt.load %p, %mask {ttig.block_io = "row_major"} :
  // GENERIC: "tt.load"(%p, %mask) <{{{.*}}operandSegmentSizes = array<i32: 1, 1, 0>
  tt.func @load(%p: tensor<4x!tt.ptr<f32>>, %mask: tensor<4xi1>) {
    %a = tt.load %p, %mask {cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 1, 0>, ttig.block_io = "row_major"} : tensor<4x!tt.ptr<f32>>
    tt.return
  }
}
