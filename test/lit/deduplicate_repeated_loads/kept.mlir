// RUN: dotload-opt %s --deduplicate-repeated-loads='num-warps=4' --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=NONE --allow-empty --input-file=%t

// NONE-NOT:    remark

// COM: 3 rows share a packed integer: a group may begin at any row of a tile.
// CHECK-LABEL: @of_three
// CHECK:         tt.load %{{.*}} : tensor<128x64x!tt.ptr<i32>>
tt.func @of_three(%a: tensor<16x128xf16>, %base: !tt.ptr<i32>, %stride: i32, %n: i32) -> tensor<16x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant dense<8> : tensor<128xi32>
  %c3 = arith.constant dense<3> : tensor<128xi32>
  %c16 = arith.constant dense<16> : tensor<128x64xi32>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %k = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %column = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %row = arith.divsi %k, %c3 : tensor<128xi32>
  %row1 = tt.expand_dims %row {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %strides = tt.splat %stride : i32 -> tensor<128x1xi32>
  %rows = arith.muli %row1, %strides : tensor<128x1xi32>
  %rows2 = tt.broadcast %rows : tensor<128x1xi32> -> tensor<128x64xi32>
  %column1 = tt.expand_dims %column {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %columns = tt.broadcast %column1 : tensor<1x64xi32> -> tensor<128x64xi32>
  %offsets = arith.addi %rows2, %columns : tensor<128x64xi32>
  %bases = tt.splat %base : !tt.ptr<i32> -> tensor<128x64x!tt.ptr<i32>>
  %p = tt.addptr %bases, %offsets : tensor<128x64x!tt.ptr<i32>>, tensor<128x64xi32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %p) -> (tensor<16x64xf32>, tensor<128x64x!tt.ptr<i32>>) : i32 {
    %b = tt.load %at : tensor<128x64x!tt.ptr<i32>>
    %f = arith.sitofp %b : tensor<128x64xi32> to tensor<128x64xf16>
    %d = tt.dot %a, %f, %acc : tensor<16x128xf16> * tensor<128x64xf16> -> tensor<16x64xf32>
    %next = tt.addptr %at, %c16 : tensor<128x64x!tt.ptr<i32>>, tensor<128x64xi32>
    scf.yield %d, %next : tensor<16x64xf32>, tensor<128x64x!tt.ptr<i32>>
  }
  tt.return %r#0 : tensor<16x64xf32>
}

// COM: Signed division rounds towards zero: the groups around zero are longer.
// CHECK-LABEL: @of_any_sign
// CHECK:         tt.load %{{.*}} : tensor<128x64x!tt.ptr<i32>>
tt.func @of_any_sign(%a: tensor<16x128xf16>, %base: !tt.ptr<i32>, %stride: i32, %n: i32) -> tensor<16x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant dense<8> : tensor<128xi32>
  %c3 = arith.constant dense<3> : tensor<128xi32>
  %c16 = arith.constant dense<16> : tensor<128x64xi32>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %c128 = arith.constant 128 : i32
  %begin = arith.muli %n, %c128 : i32
  %begins = tt.splat %begin : i32 -> tensor<128xi32>
  %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %k = arith.addi %begins, %range : tensor<128xi32>
  %column = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %row = arith.divsi %k, %c8 : tensor<128xi32>
  %row1 = tt.expand_dims %row {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %strides = tt.splat %stride : i32 -> tensor<128x1xi32>
  %rows = arith.muli %row1, %strides : tensor<128x1xi32>
  %rows2 = tt.broadcast %rows : tensor<128x1xi32> -> tensor<128x64xi32>
  %column1 = tt.expand_dims %column {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %columns = tt.broadcast %column1 : tensor<1x64xi32> -> tensor<128x64xi32>
  %offsets = arith.addi %rows2, %columns : tensor<128x64xi32>
  %bases = tt.splat %base : !tt.ptr<i32> -> tensor<128x64x!tt.ptr<i32>>
  %p = tt.addptr %bases, %offsets : tensor<128x64x!tt.ptr<i32>>, tensor<128x64xi32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %p) -> (tensor<16x64xf32>, tensor<128x64x!tt.ptr<i32>>) : i32 {
    %b = tt.load %at : tensor<128x64x!tt.ptr<i32>>
    %f = arith.sitofp %b : tensor<128x64xi32> to tensor<128x64xf16>
    %d = tt.dot %a, %f, %acc : tensor<16x128xf16> * tensor<128x64xf16> -> tensor<16x64xf32>
    %next = tt.addptr %at, %c16 : tensor<128x64x!tt.ptr<i32>>, tensor<128x64xi32>
    scf.yield %d, %next : tensor<16x64xf32>, tensor<128x64x!tt.ptr<i32>>
  }
  tt.return %r#0 : tensor<16x64xf32>
}

// COM: The loop may write what it loads next.
// CHECK-LABEL: @written
// CHECK:         tt.load %{{.*}} : tensor<128x64x!tt.ptr<i32>>

tt.func @written(%a: tensor<16x128xf16>, %base: !tt.ptr<i32>, %stride: i32, %n: i32) -> tensor<16x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant dense<8> : tensor<128xi32>
  %c3 = arith.constant dense<3> : tensor<128xi32>
  %c16 = arith.constant dense<16> : tensor<128x64xi32>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %k = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %column = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %row = arith.divsi %k, %c8 : tensor<128xi32>
  %row1 = tt.expand_dims %row {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %strides = tt.splat %stride : i32 -> tensor<128x1xi32>
  %rows = arith.muli %row1, %strides : tensor<128x1xi32>
  %rows2 = tt.broadcast %rows : tensor<128x1xi32> -> tensor<128x64xi32>
  %column1 = tt.expand_dims %column {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %columns = tt.broadcast %column1 : tensor<1x64xi32> -> tensor<128x64xi32>
  %offsets = arith.addi %rows2, %columns : tensor<128x64xi32>
  %bases = tt.splat %base : !tt.ptr<i32> -> tensor<128x64x!tt.ptr<i32>>
  %p = tt.addptr %bases, %offsets : tensor<128x64x!tt.ptr<i32>>, tensor<128x64xi32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %p) -> (tensor<16x64xf32>, tensor<128x64x!tt.ptr<i32>>) : i32 {
    %b = tt.load %at : tensor<128x64x!tt.ptr<i32>>
    tt.store %at, %c16 : tensor<128x64x!tt.ptr<i32>>
    %f = arith.sitofp %b : tensor<128x64xi32> to tensor<128x64xf16>
    %d = tt.dot %a, %f, %acc : tensor<16x128xf16> * tensor<128x64xf16> -> tensor<16x64xf32>
    %next = tt.addptr %at, %c16 : tensor<128x64x!tt.ptr<i32>>, tensor<128x64xi32>
    scf.yield %d, %next : tensor<16x64xf32>, tensor<128x64x!tt.ptr<i32>>
  }
  tt.return %r#0 : tensor<16x64xf32>
}

// COM: A volatile load is not merged.
// CHECK-LABEL: @volatile
// CHECK:         tt.load %{{.*}} : tensor<128x64x!tt.ptr<i32>>
tt.func @volatile(%a: tensor<16x128xf16>, %base: !tt.ptr<i32>, %stride: i32, %n: i32) -> tensor<16x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant dense<8> : tensor<128xi32>
  %c3 = arith.constant dense<3> : tensor<128xi32>
  %c16 = arith.constant dense<16> : tensor<128x64xi32>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %k = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %column = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %row = arith.divsi %k, %c8 : tensor<128xi32>
  %row1 = tt.expand_dims %row {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %strides = tt.splat %stride : i32 -> tensor<128x1xi32>
  %rows = arith.muli %row1, %strides : tensor<128x1xi32>
  %rows2 = tt.broadcast %rows : tensor<128x1xi32> -> tensor<128x64xi32>
  %column1 = tt.expand_dims %column {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %columns = tt.broadcast %column1 : tensor<1x64xi32> -> tensor<128x64xi32>
  %offsets = arith.addi %rows2, %columns : tensor<128x64xi32>
  %bases = tt.splat %base : !tt.ptr<i32> -> tensor<128x64x!tt.ptr<i32>>
  %p = tt.addptr %bases, %offsets : tensor<128x64x!tt.ptr<i32>>, tensor<128x64xi32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %p) -> (tensor<16x64xf32>, tensor<128x64x!tt.ptr<i32>>) : i32 {
    %b = tt.load %at {isVolatile = true} : tensor<128x64x!tt.ptr<i32>>
    %f = arith.sitofp %b : tensor<128x64xi32> to tensor<128x64xf16>
    %d = tt.dot %a, %f, %acc : tensor<16x128xf16> * tensor<128x64xf16> -> tensor<16x64xf32>
    %next = tt.addptr %at, %c16 : tensor<128x64x!tt.ptr<i32>>, tensor<128x64xi32>
    scf.yield %d, %next : tensor<16x64xf32>, tensor<128x64x!tt.ptr<i32>>
  }
  tt.return %r#0 : tensor<16x64xf32>
}

// COM: The loop has no dot.
// CHECK-LABEL: @no_dot
// CHECK:         tt.load %{{.*}} : tensor<128x64x!tt.ptr<i32>>
tt.func @no_dot(%a: tensor<16x128xf16>, %base: !tt.ptr<i32>, %stride: i32, %n: i32) -> tensor<16x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant dense<8> : tensor<128xi32>
  %c3 = arith.constant dense<3> : tensor<128xi32>
  %c16 = arith.constant dense<16> : tensor<128x64xi32>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %k = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %column = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %row = arith.divsi %k, %c8 : tensor<128xi32>
  %row1 = tt.expand_dims %row {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %strides = tt.splat %stride : i32 -> tensor<128x1xi32>
  %rows = arith.muli %row1, %strides : tensor<128x1xi32>
  %rows2 = tt.broadcast %rows : tensor<128x1xi32> -> tensor<128x64xi32>
  %column1 = tt.expand_dims %column {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %columns = tt.broadcast %column1 : tensor<1x64xi32> -> tensor<128x64xi32>
  %offsets = arith.addi %rows2, %columns : tensor<128x64xi32>
  %bases = tt.splat %base : !tt.ptr<i32> -> tensor<128x64x!tt.ptr<i32>>
  %p = tt.addptr %bases, %offsets : tensor<128x64x!tt.ptr<i32>>, tensor<128x64xi32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %p) -> (tensor<16x64xf32>, tensor<128x64x!tt.ptr<i32>>) : i32 {
    %b = tt.load %at : tensor<128x64x!tt.ptr<i32>>
    %f = arith.sitofp %b : tensor<128x64xi32> to tensor<128x64xf16>
    %d = math.exp2 %acc : tensor<16x64xf32>
    %next = tt.addptr %at, %c16 : tensor<128x64x!tt.ptr<i32>>, tensor<128x64xi32>
    scf.yield %d, %next : tensor<16x64xf32>, tensor<128x64x!tt.ptr<i32>>
  }
  tt.return %r#0 : tensor<16x64xf32>
}

// COM: The mask begins within a group, whose first row must not be loaded.
// CHECK-LABEL: @masked_from_below
// CHECK:         tt.load %{{.*}} : tensor<64x32x!tt.ptr<i8>>
tt.func @masked_from_below(%a: tensor<16x64xf16>, %base: !tt.ptr<i8>, %stride: i32, %n: i32) -> tensor<16x32xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant dense<2> : tensor<64x1xi32>
  %none = arith.constant dense<0> : tensor<64x32xi8>
  %c64 = arith.constant 64 : i32
  %c32 = arith.constant dense<32> : tensor<64x32xi32>
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %column = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %k1 = tt.expand_dims %k {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %row = arith.divsi %k1, %c2 : tensor<64x1xi32>
  %rows = tt.broadcast %row : tensor<64x1xi32> -> tensor<64x32xi32>
  %column1 = tt.expand_dims %column {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %strides = tt.splat %stride : i32 -> tensor<1x32xi32>
  %at1 = arith.muli %column1, %strides : tensor<1x32xi32>
  %columns = tt.broadcast %at1 : tensor<1x32xi32> -> tensor<64x32xi32>
  %offsets = arith.addi %rows, %columns : tensor<64x32xi32>
  %bases = tt.splat %base : !tt.ptr<i8> -> tensor<64x32x!tt.ptr<i8>>
  %p = tt.addptr %bases, %offsets : tensor<64x32x!tt.ptr<i8>>, tensor<64x32xi32>
  %limit = tt.splat %n : i32 -> tensor<64x1xi32>
  %inside1 = arith.cmpi sge, %k1, %limit : tensor<64x1xi32>
  %inside = tt.broadcast %inside1 : tensor<64x1xi1> -> tensor<64x32xi1>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %p) -> (tensor<16x32xf32>, tensor<64x32x!tt.ptr<i8>>) : i32 {
    %b = tt.load %at, %inside, %none : tensor<64x32x!tt.ptr<i8>>
    %f = arith.uitofp %b : tensor<64x32xi8> to tensor<64x32xf16>
    %d = tt.dot %a, %f, %acc : tensor<16x64xf16> * tensor<64x32xf16> -> tensor<16x32xf32>
    %next = tt.addptr %at, %c32 : tensor<64x32x!tt.ptr<i8>>, tensor<64x32xi32>
    scf.yield %d, %next : tensor<16x32xf32>, tensor<64x32x!tt.ptr<i8>>
  }
  tt.return %r#0 : tensor<16x32xf32>
}

// COM: Nothing is known of the mask.
// CHECK-LABEL: @masked_by_anything
// CHECK:         tt.load %{{.*}} : tensor<64x32x!tt.ptr<i8>>
tt.func @masked_by_anything(%a: tensor<16x64xf16>, %base: !tt.ptr<i8>, %stride: i32, %n: i32) -> tensor<16x32xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant dense<2> : tensor<64x1xi32>
  %none = arith.constant dense<0> : tensor<64x32xi8>
  %c64 = arith.constant 64 : i32
  %c32 = arith.constant dense<32> : tensor<64x32xi32>
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %column = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %k1 = tt.expand_dims %k {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %row = arith.divsi %k1, %c2 : tensor<64x1xi32>
  %rows = tt.broadcast %row : tensor<64x1xi32> -> tensor<64x32xi32>
  %column1 = tt.expand_dims %column {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %strides = tt.splat %stride : i32 -> tensor<1x32xi32>
  %at1 = arith.muli %column1, %strides : tensor<1x32xi32>
  %columns = tt.broadcast %at1 : tensor<1x32xi32> -> tensor<64x32xi32>
  %offsets = arith.addi %rows, %columns : tensor<64x32xi32>
  %bases = tt.splat %base : !tt.ptr<i8> -> tensor<64x32x!tt.ptr<i8>>
  %p = tt.addptr %bases, %offsets : tensor<64x32x!tt.ptr<i8>>, tensor<64x32xi32>
  %limits = tt.splat %n : i32 -> tensor<64x1xi32>
  %odd = arith.andi %k1, %limits : tensor<64x1xi32>
  %inside1 = arith.trunci %odd : tensor<64x1xi32> to tensor<64x1xi1>
  %inside = tt.broadcast %inside1 : tensor<64x1xi1> -> tensor<64x32xi1>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %p) -> (tensor<16x32xf32>, tensor<64x32x!tt.ptr<i8>>) : i32 {
    %b = tt.load %at, %inside, %none : tensor<64x32x!tt.ptr<i8>>
    %f = arith.uitofp %b : tensor<64x32xi8> to tensor<64x32xf16>
    %d = tt.dot %a, %f, %acc : tensor<16x64xf16> * tensor<64x32xf16> -> tensor<16x32xf32>
    %next = tt.addptr %at, %c32 : tensor<64x32x!tt.ptr<i8>>, tensor<64x32xi32>
    scf.yield %d, %next : tensor<16x32xf32>, tensor<64x32x!tt.ptr<i8>>
  }
  tt.return %r#0 : tensor<16x32xf32>
}

// COM: A dot takes the tile as it is loaded, so it may be copied to shared memory without passing through registers.
// CHECK-LABEL: @operand
// CHECK:         tt.load %{{.*}} : tensor<128x64x!tt.ptr<f16>>
tt.func @operand(%a: tensor<16x128xf16>, %base: !tt.ptr<f16>, %stride: i32, %n: i32) -> tensor<16x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant dense<8> : tensor<128xi32>
  %c3 = arith.constant dense<3> : tensor<128xi32>
  %c16 = arith.constant dense<16> : tensor<128x64xi32>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %k = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %column = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %row = arith.divsi %k, %c8 : tensor<128xi32>
  %row1 = tt.expand_dims %row {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %strides = tt.splat %stride : i32 -> tensor<128x1xi32>
  %rows = arith.muli %row1, %strides : tensor<128x1xi32>
  %rows2 = tt.broadcast %rows : tensor<128x1xi32> -> tensor<128x64xi32>
  %column1 = tt.expand_dims %column {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %columns = tt.broadcast %column1 : tensor<1x64xi32> -> tensor<128x64xi32>
  %offsets = arith.addi %rows2, %columns : tensor<128x64xi32>
  %bases = tt.splat %base : !tt.ptr<f16> -> tensor<128x64x!tt.ptr<f16>>
  %p = tt.addptr %bases, %offsets : tensor<128x64x!tt.ptr<f16>>, tensor<128x64xi32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %p) -> (tensor<16x64xf32>, tensor<128x64x!tt.ptr<f16>>) : i32 {
    %b = tt.load %at : tensor<128x64x!tt.ptr<f16>>
    %d = tt.dot %a, %b, %acc : tensor<16x128xf16> * tensor<128x64xf16> -> tensor<16x64xf32>
    %next = tt.addptr %at, %c16 : tensor<128x64x!tt.ptr<f16>>, tensor<128x64xi32>
    scf.yield %d, %next : tensor<16x64xf32>, tensor<128x64x!tt.ptr<f16>>
  }
  tt.return %r#0 : tensor<16x64xf32>
}

// COM: The mask may exclude the first row of a group.
// CHECK-LABEL: @masked_by_what_does_not_rise
// CHECK:         tt.load %{{.*}} : tensor<64x32x!tt.ptr<i8>>
tt.func @masked_by_what_does_not_rise(%a: tensor<16x64xf16>, %base: !tt.ptr<i8>, %stride: i32, %n: i32) -> tensor<16x32xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant dense<2> : tensor<64x1xi32>
  %none = arith.constant dense<0> : tensor<64x32xi8>
  %c64 = arith.constant 64 : i32
  %c32 = arith.constant dense<32> : tensor<64x32xi32>
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %column = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %k1 = tt.expand_dims %k {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %row = arith.divsi %k1, %c2 : tensor<64x1xi32>
  %rows = tt.broadcast %row : tensor<64x1xi32> -> tensor<64x32xi32>
  %column1 = tt.expand_dims %column {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %strides = tt.splat %stride : i32 -> tensor<1x32xi32>
  %at1 = arith.muli %column1, %strides : tensor<1x32xi32>
  %columns = tt.broadcast %at1 : tensor<1x32xi32> -> tensor<64x32xi32>
  %offsets = arith.addi %rows, %columns : tensor<64x32xi32>
  %bases = tt.splat %base : !tt.ptr<i8> -> tensor<64x32x!tt.ptr<i8>>
  %p = tt.addptr %bases, %offsets : tensor<64x32x!tt.ptr<i8>>, tensor<64x32xi32>
  %limits = tt.splat %n : i32 -> tensor<64x1xi32>
  %odd = arith.andi %k1, %limits : tensor<64x1xi32>
  %inside1 = arith.cmpi slt, %odd, %limits : tensor<64x1xi32>
  %inside = tt.broadcast %inside1 : tensor<64x1xi1> -> tensor<64x32xi1>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %p) -> (tensor<16x32xf32>, tensor<64x32x!tt.ptr<i8>>) : i32 {
    %b = tt.load %at, %inside, %none : tensor<64x32x!tt.ptr<i8>>
    %f = arith.uitofp %b : tensor<64x32xi8> to tensor<64x32xf16>
    %d = tt.dot %a, %f, %acc : tensor<16x64xf16> * tensor<64x32xf16> -> tensor<16x32xf32>
    %next = tt.addptr %at, %c32 : tensor<64x32x!tt.ptr<i8>>, tensor<64x32xi32>
    scf.yield %d, %next : tensor<16x32xf32>, tensor<64x32x!tt.ptr<i8>>
  }
  tt.return %r#0 : tensor<16x32xf32>
}
