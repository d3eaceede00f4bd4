// RUN: dotload-opt %s --deduplicate-repeated-loads --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

// COM: An integer packs 8 values, for 8 rows. 16 rows of integers are loaded; columns are contiguous.
// CHECK-LABEL: @eight_rows
// CHECK:         %[[K:.*]] = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
// CHECK:         %[[P:.*]] = tt.addptr %{{.*}}, %{{.*}} : tensor<16x64x!tt.ptr<i32>>, tensor<16x64xi32>
// CHECK:         scf.for {{.*}} iter_args({{.*}}, %[[AT:[^ ]*]] = %[[P]]) -> ({{.*}}, tensor<16x64x!tt.ptr<i32>>)
// CHECK:           %[[B:.*]] = tt.load %[[AT]] : tensor<16x64x!tt.ptr<i32>>
// CHECK-NEXT:      %[[E:.*]] = tt.expand_dims %[[B]] {axis = 1 : i32} : tensor<16x64xi32> -> tensor<16x1x64xi32>
// CHECK-NEXT:      %[[W:.*]] = tt.broadcast %[[E]] : tensor<16x1x64xi32> -> tensor<16x8x64xi32>
// CHECK-NEXT:      %[[R:.*]] = tt.reshape %[[W]] : tensor<16x8x64xi32> -> tensor<128x64xi32>
// CHECK-NEXT:      arith.sitofp %[[R]]
// CHECK:           %[[NEXT:.*]] = tt.addptr %[[AT]], %{{.*}} : tensor<16x64x!tt.ptr<i32>>
// CHECK:           scf.yield {{.*}}, %[[NEXT]] :
// REMARK:      remark: deduplicate-repeated-loads: each element is loaded once instead of 8 times
tt.func @eight_rows(%a: tensor<16x128xf16>, %base: !tt.ptr<i32>, %stride: i32, %n: i32) -> tensor<16x64xf32> {
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
    %d = tt.dot %a, %f, %acc : tensor<16x128xf16> * tensor<128x64xf16> -> tensor<16x64xf32>
    %next = tt.addptr %at, %c16 : tensor<128x64x!tt.ptr<i32>>, tensor<128x64xi32>
    scf.yield %d, %next : tensor<16x64xf32>, tensor<128x64x!tt.ptr<i32>>
  }
  tt.return %r#0 : tensor<16x64xf32>
}

// COM: A byte packs two values; bytes are contiguous along the rows. It must be visible that the indices k // 2 of the
// COM: loaded rows count up by one.
// CHECK-LABEL: @bytes_in_rows
// CHECK:         %[[K:.*]] = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
// CHECK:         %[[ROW:.*]] = tt.expand_dims %[[K]] {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
// CHECK-NOT:     arith.divsi {{.*}} : tensor<32x1xi32>
// CHECK:         %[[B:.*]] = tt.load %{{.*}} : tensor<32x32x!tt.ptr<i8>>
// CHECK-NEXT:    %[[J:.*]] = tt.join %[[B]], %[[B]] : tensor<32x32xi8> -> tensor<32x32x2xi8>
// CHECK-NEXT:    %[[T:.*]] = tt.trans %[[J]] {order = array<i32: 0, 2, 1>} : tensor<32x32x2xi8> -> tensor<32x2x32xi8>
// CHECK-NEXT:    %[[R:.*]] = tt.reshape %[[T]] : tensor<32x2x32xi8> -> tensor<64x32xi8>
// CHECK-NEXT:    arith.uitofp %[[R]]
// REMARK:      remark: deduplicate-repeated-loads: each element is loaded once instead of 2 times
tt.func @bytes_in_rows(%a: tensor<16x64xf16>, %base: !tt.ptr<i8>, %stride: i32, %n: i32) -> tensor<16x32xf32> {
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
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %p) -> (tensor<16x32xf32>, tensor<64x32x!tt.ptr<i8>>) : i32 {
    %b = tt.load %at : tensor<64x32x!tt.ptr<i8>>
    %f = arith.uitofp %b : tensor<64x32xi8> to tensor<64x32xf16>
    %d = tt.dot %a, %f, %acc : tensor<16x64xf16> * tensor<64x32xf16> -> tensor<16x32xf32>
    %next = tt.addptr %at, %c32 : tensor<64x32x!tt.ptr<i8>>, tensor<64x32xi32>
    scf.yield %d, %next : tensor<16x32xf32>, tensor<64x32x!tt.ptr<i8>>
  }
  tt.return %r#0 : tensor<16x32xf32>
}

// COM: A mask may end within a group: if it holds for some rows, it holds for the first; the other rows keep their
// COM: values.
// CHECK-LABEL: @masked_rows
// CHECK:         %[[INSIDE:.*]] = tt.broadcast %{{.*}} : tensor<64x1xi1> -> tensor<64x32xi1>
// CHECK:         %[[B:.*]] = tt.load %{{.*}}, %{{.*}}, %{{.*}} : tensor<32x32x!tt.ptr<i8>>
// CHECK:         %[[R:.*]] = tt.reshape %{{.*}} : tensor<32x2x32xi8> -> tensor<64x32xi8>
// CHECK-NEXT:    %[[S:.*]] = arith.select %[[INSIDE]], %[[R]], %{{.*}} : tensor<64x32xi1>, tensor<64x32xi8>
// CHECK-NEXT:    arith.uitofp %[[S]]
tt.func @masked_rows(%a: tensor<16x64xf16>, %base: !tt.ptr<i8>, %stride: i32, %n: i32) -> tensor<16x32xf32> {
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
  %inside1 = arith.cmpi slt, %k1, %limit : tensor<64x1xi32>
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

// COM: Rows start at the program's offset, as in split-K: the loaded rows count up from a multiple of 16, so that Triton
// COM: may load them in vectors.
// CHECK-LABEL: @from_a_program
// CHECK-DAG:     %[[K:.*]] = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
// CHECK-DAG:     %[[C16:.*]] = arith.constant 16 : i32
// CHECK-DAG:     %[[ROW:.*]] = arith.muli %{{.*}}, %[[C16]] : i32
// CHECK-DAG:     %[[FIRST:.*]] = tt.splat %[[ROW]] : i32 -> tensor<16xi32>
// CHECK-NOT:     arith.divsi {{.*}} : tensor<16xi32>
// CHECK:         arith.addi %[[K]], %[[FIRST]] : tensor<16xi32>
// CHECK:         tt.load %{{.*}} : tensor<16x64x!tt.ptr<i32>>
tt.func @from_a_program(%a: tensor<16x128xf16>, %base: !tt.ptr<i32>, %stride: i32, %n: i32) -> tensor<16x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant dense<8> : tensor<128xi32>
  %c3 = arith.constant dense<3> : tensor<128xi32>
  %c16 = arith.constant dense<16> : tensor<128x64xi32>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %program = tt.get_program_id x : i32
  %c128 = arith.constant 128 : i32
  %begin = arith.muli %program, %c128 : i32
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

// COM: The first row is divided if it is not known to be a multiple.
// CHECK-LABEL: @from_the_lesser
// CHECK-DAG:     %[[K:.*]] = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
// CHECK-DAG:     %[[FIRST:.*]] = arith.divsi %{{.*}}, %{{.*}} : tensor<16xi32>
// CHECK:         arith.addi %[[FIRST]], %[[K]] : tensor<16xi32>
tt.func @from_the_lesser(%a: tensor<16x128xf16>, %base: !tt.ptr<i32>, %stride: i32, %n: i32) -> tensor<16x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant dense<8> : tensor<128xi32>
  %c3 = arith.constant dense<3> : tensor<128xi32>
  %c16 = arith.constant dense<16> : tensor<128x64xi32>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %c128 = arith.constant 128 : i32
  %program = tt.get_program_id x : i32
  %other = tt.get_program_id y : i32
  %one = arith.muli %program, %c128 : i32
  %two = arith.muli %other, %c128 : i32
  %begin = arith.minsi %one, %two : i32
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

// COM: Contiguous along columns, but for a dot of bytes, which needs the numbers of a byte beside each other.
// CHECK-LABEL: @for_a_dot_of_bytes
// CHECK:           %[[SMALL:.*]] = tt.load %{{.*}} : tensor<32x64x!tt.ptr<i8>>
// CHECK-NEXT:      %[[TWICE:.*]] = tt.join %[[SMALL]], %[[SMALL]] : tensor<32x64xi8> -> tensor<32x64x2xi8>
// CHECK-NEXT:      %[[ROWS:.*]] = tt.trans %[[TWICE]] {order = array<i32: 0, 2, 1>} : tensor<32x64x2xi8> -> tensor<32x2x64xi8>
// CHECK-NEXT:      tt.reshape %[[ROWS]] : tensor<32x2x64xi8> -> tensor<64x64xi8>
tt.func @for_a_dot_of_bytes(%a: tensor<16x64xi8>, %shift: tensor<64x64xi8>, %base: !tt.ptr<i8>, %stride: i32, %n: i32) -> tensor<16x64xi32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant dense<2> : tensor<64xi32>
  %c32 = arith.constant dense<32> : tensor<64x64xi32>
  %zero = arith.constant dense<0> : tensor<16x64xi32>
  %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %row = arith.divsi %k, %c2 : tensor<64xi32>
  %row1 = tt.expand_dims %row {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %strides = tt.splat %stride : i32 -> tensor<64x1xi32>
  %rows = arith.muli %row1, %strides : tensor<64x1xi32>
  %rows2 = tt.broadcast %rows : tensor<64x1xi32> -> tensor<64x64xi32>
  %column1 = tt.expand_dims %k {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %columns = tt.broadcast %column1 : tensor<1x64xi32> -> tensor<64x64xi32>
  %offsets = arith.addi %rows2, %columns : tensor<64x64xi32>
  %bases = tt.splat %base : !tt.ptr<i8> -> tensor<64x64x!tt.ptr<i8>>
  %p = tt.addptr %bases, %offsets : tensor<64x64x!tt.ptr<i8>>, tensor<64x64xi32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %p) -> (tensor<16x64xi32>, tensor<64x64x!tt.ptr<i8>>) : i32 {
    %b = tt.load %at : tensor<64x64x!tt.ptr<i8>>
    %v = arith.shrsi %b, %shift : tensor<64x64xi8>
    %d = tt.dot %a, %v, %acc : tensor<16x64xi8> * tensor<64x64xi8> -> tensor<16x64xi32>
    %next = tt.addptr %at, %c32 : tensor<64x64x!tt.ptr<i8>>, tensor<64x64xi32>
    scf.yield %d, %next : tensor<16x64xi32>, tensor<64x64x!tt.ptr<i8>>
  }
  tt.return %r#0 : tensor<16x64xi32>
}

// COM: Scales that are contiguous along the groups, of weights that are not. A join would give the weights a layout along
// COM: the groups, in which bytes are read from shared memory one by one.
// CHECK-LABEL: @scales_of_row_major_weights
// CHECK:         %[[S:.*]] = tt.load %{{.*}} : tensor<2x32x!tt.ptr<f16>>
// CHECK-NEXT:    %[[E:.*]] = tt.expand_dims %[[S]] {axis = 1 : i32} : tensor<2x32xf16> -> tensor<2x1x32xf16>
// CHECK-NEXT:    %[[W:.*]] = tt.broadcast %[[E]] : tensor<2x1x32xf16> -> tensor<2x32x32xf16>
// CHECK-NEXT:    tt.reshape %[[W]] : tensor<2x32x32xf16> -> tensor<64x32xf16>
// REMARK:      remark: deduplicate-repeated-loads: each element is loaded once instead of 32 times
tt.func @scales_of_row_major_weights(%a: tensor<16x64xf16>, %base: !tt.ptr<i8>, %scales: !tt.ptr<f16>, %stride: i32, %n: i32) -> tensor<16x32xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant dense<2> : tensor<64x32xi32>
  %c32 = arith.constant dense<32> : tensor<64x1xi32>
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %column = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %k1 = tt.expand_dims %k {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %column1 = tt.expand_dims %column {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %group = arith.divsi %k1, %c32 : tensor<64x1xi32>
  %groups = tt.broadcast %group : tensor<64x1xi32> -> tensor<64x32xi32>
  %strides = tt.splat %stride : i32 -> tensor<1x32xi32>
  %at1 = arith.muli %column1, %strides : tensor<1x32xi32>
  %at = tt.broadcast %at1 : tensor<1x32xi32> -> tensor<64x32xi32>
  %offsets = arith.addi %groups, %at : tensor<64x32xi32>
  %bases = tt.splat %scales : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>>
  %p = tt.addptr %bases, %offsets : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
  %wide = tt.splat %stride : i32 -> tensor<64x1xi32>
  %from1 = arith.muli %k1, %wide : tensor<64x1xi32>
  %from = tt.broadcast %from1 : tensor<64x1xi32> -> tensor<64x32xi32>
  %columns = tt.broadcast %column1 : tensor<1x32xi32> -> tensor<64x32xi32>
  %both = arith.addi %from, %columns : tensor<64x32xi32>
  %weights = tt.splat %base : !tt.ptr<i8> -> tensor<64x32x!tt.ptr<i8>>
  %q = tt.addptr %weights, %both : tensor<64x32x!tt.ptr<i8>>, tensor<64x32xi32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %next = %p) -> (tensor<16x32xf32>, tensor<64x32x!tt.ptr<f16>>) : i32 {
    %w = tt.load %q : tensor<64x32x!tt.ptr<i8>>
    %s = tt.load %next : tensor<64x32x!tt.ptr<f16>>
    %f = arith.sitofp %w : tensor<64x32xi8> to tensor<64x32xf16>
    %b = arith.mulf %f, %s : tensor<64x32xf16>
    %d = tt.dot %a, %b, %acc : tensor<16x64xf16> * tensor<64x32xf16> -> tensor<16x32xf32>
    %later = tt.addptr %next, %c2 : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
    scf.yield %d, %later : tensor<16x32xf32>, tensor<64x32x!tt.ptr<f16>>
  }
  tt.return %r#0 : tensor<16x32xf32>
}

// COM: The same scales, of weights that are contiguous along the groups too.
// CHECK-LABEL: @scales_of_weights_in_rows
// CHECK:         %[[S:.*]] = tt.load %{{.*}} : tensor<2x32x!tt.ptr<f16>>
// CHECK-NEXT:    tt.join %[[S]], %[[S]] : tensor<2x32xf16> -> tensor<2x32x2xf16>
// REMARK:      remark: deduplicate-repeated-loads: each element is loaded once instead of 32 times
tt.func @scales_of_weights_in_rows(%a: tensor<16x64xf16>, %base: !tt.ptr<i8>, %scales: !tt.ptr<f16>, %stride: i32, %n: i32) -> tensor<16x32xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant dense<2> : tensor<64x32xi32>
  %c32 = arith.constant dense<32> : tensor<64x1xi32>
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %column = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %k1 = tt.expand_dims %k {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %column1 = tt.expand_dims %column {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %group = arith.divsi %k1, %c32 : tensor<64x1xi32>
  %groups = tt.broadcast %group : tensor<64x1xi32> -> tensor<64x32xi32>
  %strides = tt.splat %stride : i32 -> tensor<1x32xi32>
  %at1 = arith.muli %column1, %strides : tensor<1x32xi32>
  %at = tt.broadcast %at1 : tensor<1x32xi32> -> tensor<64x32xi32>
  %offsets = arith.addi %groups, %at : tensor<64x32xi32>
  %bases = tt.splat %scales : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>>
  %p = tt.addptr %bases, %offsets : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
  %from = tt.broadcast %k1 : tensor<64x1xi32> -> tensor<64x32xi32>
  %both = arith.addi %from, %at : tensor<64x32xi32>
  %weights = tt.splat %base : !tt.ptr<i8> -> tensor<64x32x!tt.ptr<i8>>
  %q = tt.addptr %weights, %both : tensor<64x32x!tt.ptr<i8>>, tensor<64x32xi32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %next = %p) -> (tensor<16x32xf32>, tensor<64x32x!tt.ptr<f16>>) : i32 {
    %w = tt.load %q : tensor<64x32x!tt.ptr<i8>>
    %s = tt.load %next : tensor<64x32x!tt.ptr<f16>>
    %f = arith.sitofp %w : tensor<64x32xi8> to tensor<64x32xf16>
    %b = arith.mulf %f, %s : tensor<64x32xf16>
    %d = tt.dot %a, %b, %acc : tensor<16x64xf16> * tensor<64x32xf16> -> tensor<16x32xf32>
    %later = tt.addptr %next, %c2 : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
    scf.yield %d, %later : tensor<16x32xf32>, tensor<64x32x!tt.ptr<f16>>
  }
  tt.return %r#0 : tensor<16x32xf32>
}

// COM: A program id is divided by the number of tiles, which is taken to be positive: the loaded rows count up from a
// COM: multiple of 16, too.
// CHECK-LABEL: @of_a_tile_found_by_division
// CHECK-NOT:     arith.divsi {{.*}} : tensor<16xi32>
// CHECK:         tt.load %{{.*}} : tensor<16x64x!tt.ptr<i32>>
tt.func @of_a_tile_found_by_division(%a: tensor<16x128xf16>, %base: !tt.ptr<i32>, %stride: i32, %n: i32) -> tensor<16x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant dense<8> : tensor<128xi32>
  %c3 = arith.constant dense<3> : tensor<128xi32>
  %c16 = arith.constant dense<16> : tensor<128x64xi32>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %c128 = arith.constant 128 : i32
  %program = tt.get_program_id x : i32
  %tile = arith.divsi %program, %n : i32
  %begin = arith.muli %tile, %c128 : i32
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
