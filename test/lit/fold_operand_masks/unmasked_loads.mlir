// RUN: dotload-opt %s --fold-operand-masks | FileCheck %s

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: The load gets the mask of the select, and keeps its cache policy.
// CHECK-LABEL: @bytes
// CHECK:         scf.for
// CHECK:           %[[IN:.*]] = tt.broadcast %{{.*}} : tensor<32x1xi1> -> tensor<32x128xi1>
// CHECK-NEXT:      %[[ZEROS:.*]] = arith.constant dense<0.{{0+e\+00}}> : tensor<32x128xf8E4M3FN>
// CHECK-NEXT:      %[[V:.*]] = tt.load %{{.*}}, %[[IN]], %[[ZEROS]] {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_last>} : tensor<32x128x!tt.ptr<f8E4M3FN>>
// CHECK-NEXT:      tt.dot %{{.*}}, %[[V]], %{{.*}}
tt.func @bytes(%a: tensor<16x32xf8E4M3FN>, %bp: tensor<32x128x!tt.ptr<f8E4M3FN>>, %rows: tensor<32x1xi32>, %n: i32) -> tensor<16x128xf32> {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32>
  %none = arith.constant dense<0.0> : tensor<32x128xf8E4M3FN>
  %r = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<16x128xf32>) : i32 {
    %v = tt.load %bp {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_last>} : tensor<32x128x!tt.ptr<f8E4M3FN>>
    %left = arith.subi %n, %i : i32
    %end = tt.splat %left : i32 -> tensor<32x1xi32>
    %row = arith.cmpi slt, %rows, %end : tensor<32x1xi32>
    %in = tt.broadcast %row : tensor<32x1xi1> -> tensor<32x128xi1>
    %m = arith.select %in, %v, %none : tensor<32x128xi1>, tensor<32x128xf8E4M3FN>
    %d = tt.dot %a, %m, %acc, inputPrecision = tf32 : tensor<16x32xf8E4M3FN> * tensor<32x128xf8E4M3FN> -> tensor<16x128xf32>
    scf.yield %d : tensor<16x128xf32>
  }
  tt.return %r : tensor<16x128xf32>
}

// COM: Elements outside the load's own mask are undefined: they may be zero.
// CHECK-LABEL: @undefined_elsewhere
// CHECK:         %[[BOTH:.*]] = arith.andi
// CHECK:         %[[ZEROS:.*]] = arith.constant dense<0> : tensor<32x128xi8>
// CHECK-NEXT:    tt.load %{{.*}}, %[[BOTH]], %[[ZEROS]]
// CHECK-NOT:     arith.select
tt.func @undefined_elsewhere(%a: tensor<16x32xi8>, %bp: tensor<32x128x!tt.ptr<i8>>, %own: tensor<32x128xi1>, %in: tensor<32x128xi1>, %n: i32) -> tensor<16x128xi32> {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0> : tensor<16x128xi32>
  %none = arith.constant dense<0> : tensor<32x128xi8>
  %r = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<16x128xi32>) : i32 {
    %v = tt.load %bp, %own : tensor<32x128x!tt.ptr<i8>>
    %m = arith.select %in, %v, %none : tensor<32x128xi1>, tensor<32x128xi8>
    %d = tt.dot %a, %m, %acc : tensor<16x32xi8> * tensor<32x128xi8> -> tensor<16x128xi32>
    scf.yield %d : tensor<16x128xi32>
  }
  tt.return %r : tensor<16x128xi32>
}

// COM: The mask changes from byte to byte: the tile would be copied byte by byte.
// CHECK-LABEL: @mask_of_bytes
// CHECK:         tt.load %{{[a-z0-9_]+}} :
// CHECK:         arith.select
tt.func @mask_of_bytes(%a: tensor<16x32xi8>, %b: !tt.ptr<i8>, %cols: i32, %n: i32) -> tensor<16x128xi32> {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0> : tensor<16x128xi32>
  %none = arith.constant dense<0> : tensor<32x128xi8>
  %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %row = tt.expand_dims %range {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %at = tt.broadcast %row : tensor<1x128xi32> -> tensor<32x128xi32>
  %b0 = tt.splat %b : !tt.ptr<i8> -> tensor<32x128x!tt.ptr<i8>>
  %bp = tt.addptr %b0, %at : tensor<32x128x!tt.ptr<i8>>, tensor<32x128xi32>
  %end = tt.splat %cols : i32 -> tensor<32x128xi32>
  %in = arith.cmpi slt, %at, %end : tensor<32x128xi32>
  %r:2 = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero, %p = %bp) -> (tensor<16x128xi32>, tensor<32x128x!tt.ptr<i8>>) : i32 {
    %v = tt.load %p : tensor<32x128x!tt.ptr<i8>>
    %m = arith.select %in, %v, %none : tensor<32x128xi1>, tensor<32x128xi8>
    %d = tt.dot %a, %m, %acc : tensor<16x32xi8> * tensor<32x128xi8> -> tensor<16x128xi32>
    %next = tt.addptr %p, %at : tensor<32x128x!tt.ptr<i8>>, tensor<32x128xi32>
    scf.yield %d, %p : tensor<16x128xi32>, tensor<32x128x!tt.ptr<i8>>
  }
  tt.return %r#0 : tensor<16x128xi32>
}

// COM: The same with a mask that is constant over 4 bytes.
// CHECK-LABEL: @mask_of_words
// CHECK:         tt.load %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}} :
// CHECK-NOT:     arith.select
tt.func @mask_of_words(%a: tensor<16x32xi8>, %b: !tt.ptr<i8>, %cols: i32 {tt.divisibility = 4 : i32}, %n: i32) -> tensor<16x128xi32> {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0> : tensor<16x128xi32>
  %none = arith.constant dense<0> : tensor<32x128xi8>
  %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %row = tt.expand_dims %range {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %at = tt.broadcast %row : tensor<1x128xi32> -> tensor<32x128xi32>
  %b0 = tt.splat %b : !tt.ptr<i8> -> tensor<32x128x!tt.ptr<i8>>
  %bp = tt.addptr %b0, %at : tensor<32x128x!tt.ptr<i8>>, tensor<32x128xi32>
  %end = tt.splat %cols : i32 -> tensor<32x128xi32>
  %in = arith.cmpi slt, %at, %end : tensor<32x128xi32>
  %r = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<16x128xi32>) : i32 {
    %v = tt.load %bp : tensor<32x128x!tt.ptr<i8>>
    %m = arith.select %in, %v, %none : tensor<32x128xi1>, tensor<32x128xi8>
    %d = tt.dot %a, %m, %acc : tensor<16x32xi8> * tensor<32x128xi8> -> tensor<16x128xi32>
    scf.yield %d : tensor<16x128xi32>
  }
  tt.return %r : tensor<16x128xi32>
}

// COM: Row-major B of tf32 is transposed for wgmma. As A it is K-major; with another precision no tensor core takes it.
// CHECK-LABEL: @words
// CHECK:         %[[B:.*]] = tt.load %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}} :
// CHECK-NOT:     arith.select
// CHECK:         tt.dot %{{.*}}, %[[B]], %{{.*}}, inputPrecision = tf32
// CHECK:         tt.load %{{[a-z0-9_]+}} :
// CHECK:         %[[A:.*]] = arith.select
// CHECK:         tt.dot %[[A]], %{{.*}}, %{{.*}}, inputPrecision = tf32
// CHECK:         tt.load %{{[a-z0-9_]+}} :
// CHECK:         %[[C:.*]] = arith.select
// CHECK:         tt.dot %{{.*}}, %[[C]], %{{.*}} :
tt.func @words(%a: tensor<64x64xf32>, %b: !tt.ptr<f32>, %in: tensor<64x1xi1>, %n: i32) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %row = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %at = tt.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %b0 = tt.splat %b : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %bp = tt.addptr %b0, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %r:3 = scf.for %i = %c0 to %n step %c32 iter_args(%x = %zero, %y = %zero, %z = %zero) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) : i32 {
    %now = tt.broadcast %in : tensor<64x1xi1> -> tensor<64x64xi1>
    %v = tt.load %bp : tensor<64x64x!tt.ptr<f32>>
    %m = arith.select %now, %v, %zero : tensor<64x64xi1>, tensor<64x64xf32>
    %d = tt.dot %a, %m, %x, inputPrecision = tf32 : tensor<64x64xf32> * tensor<64x64xf32> -> tensor<64x64xf32>
    %v1 = tt.load %bp : tensor<64x64x!tt.ptr<f32>>
    %m1 = arith.select %now, %v1, %zero : tensor<64x64xi1>, tensor<64x64xf32>
    %d1 = tt.dot %m1, %a, %y, inputPrecision = tf32 : tensor<64x64xf32> * tensor<64x64xf32> -> tensor<64x64xf32>
    %v2 = tt.load %bp : tensor<64x64x!tt.ptr<f32>>
    %m2 = arith.select %now, %v2, %zero : tensor<64x64xi1>, tensor<64x64xf32>
    %d2 = tt.dot %a, %m2, %z : tensor<64x64xf32> * tensor<64x64xf32> -> tensor<64x64xf32>
    scf.yield %d, %d1, %d2 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
  }
  tt.return %r#0, %r#1, %r#2 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
}

}
