// RUN: dotload-opt %s --load-pass %pass --exact-reciprocal | FileCheck %s
// RUN: dotload-opt %s --load-pass %pass --exact-reciprocal --remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// CHECK-LABEL: @by_four
// CHECK:       %[[Q:.*]] = arith.constant dense<2.500000e-01>
// CHECK:       arith.mulf %{{.*}}, %[[Q]]
// CHECK-NOT:   arith.divf
tt.func @by_four(%x: tensor<128xf32>) -> tensor<128xf32> {
  %four = arith.constant dense<4.0> : tensor<128xf32>
  // REMARK: exact_reciprocal.mlir:[[#@LINE+1]]:8: remark: exact-reciprocal: multiplied by 0.25
  %0 = arith.divf %x, %four : tensor<128xf32>
  tt.return %0 : tensor<128xf32>
}

// COM: f32 does not represent 1/3: the division stays.
// CHECK-LABEL: @by_three
// CHECK:       arith.divf
tt.func @by_three(%x: tensor<128xf32>) -> tensor<128xf32> {
  %three = arith.constant dense<3.0> : tensor<128xf32>
  // REMARK: exact_reciprocal.mlir:[[#@LINE+1]]:8: remark: exact-reciprocal: kept arith.divf: not by a power of two [DIVISOR]
  %0 = arith.divf %x, %three : tensor<128xf32>
  tt.return %0 : tensor<128xf32>
}

// COM: 2**-15 is below f16's smallest normal number.
// CHECK-LABEL: @by_a_tiny_one
// CHECK:       arith.divf
tt.func @by_a_tiny_one(%x: tensor<128xf32>) -> tensor<128xf32> {
  %tiny = arith.constant dense<3.0517578125e-05> : tensor<128xf32>
  %0 = arith.divf %x, %tiny : tensor<128xf32>
  tt.return %0 : tensor<128xf32>
}
