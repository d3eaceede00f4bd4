// RUN: dotload-opt %s --load-pass %pass --stage=ttgir --target=cuda:90 --remarks 2>&1 | FileCheck %s
// RUN: dotload-opt %s --load-pass %pass --stage=ttgir --target=cuda:90 --no-dotload | FileCheck %s --check-prefix=STOCK
// RUN: dotload-opt %s --load-pass %pass --stage=ttgir --target=cuda:90 --diff | FileCheck %s --check-prefix=DIFF
// RUN: dotload-opt %s --load-pass %pass --stage=sass --target=cuda:90 | FileCheck %s --check-prefix=SASS

// COM: the pass runs before tritongpu-coalesce, so that a later pass of Triton's finds no division by a constant, which
// COM: would be computed by an approximate reciprocal at run time.
// CHECK:     remark: exact-reciprocal: multiplied by 0.25
// CHECK:     dense<2.500000e-01>
// CHECK-NOT: divf
// STOCK-NOT: 2.500000e-01
// STOCK:     divf
// SASS:      FMUL {{.*}}0.25
// DIFF:      {{^}}--- ttgir (stock)
// DIFF:      {{^}}+++ ttgir (dotload)
// DIFF:      {{^}}+{{.*}}dense<2.500000e-01>
// DIFF:      {{^}}-{{.*}}divf
tt.func public @quarter(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %four = arith.constant dense<4.0> : tensor<128xf32>
  %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %px = tt.addptr %xs, %range : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %px : tensor<128x!tt.ptr<f32>>
  %q = arith.divf %v, %four : tensor<128xf32>
  tt.store %px, %q : tensor<128x!tt.ptr<f32>>
  tt.return
}
