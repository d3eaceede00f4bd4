// RUN: dotload-opt %s --version-scale-loads --remarks 2>&1 | FileCheck %s
// RUN: sed 's/64xf8E4M3FN/64xf16/g; s/<f8E4M3FN>/<f16>/g' %S/versions.mlir | dotload-opt --version-scale-loads | FileCheck %s --check-prefix=STAYS
// RUN: dotload-opt %S/versions.mlir --version-scale-loads='capability=89' | FileCheck %s --check-prefix=STAYS

// COM: Loops that stay as they are, without a remark; also those of wider elements and of other GPUs.
// CHECK-NOT: remark
// CHECK-NOT: tt.reduce
// STAYS-NOT: tt.reduce
// STAYS:     @columns_modulo
// STAYS-NOT: tt.reduce

module {

// COM: Without the modulo, it is known that all columns have one scale.
// CHECK: @no_modulo
tt.func @no_modulo(%ap: tensor<64x64x!tt.ptr<f8E4M3FN>>, %bp: tensor<64x64x!tt.ptr<f8E4M3FN>>, %scales: !tt.ptr<f32>, %tile: i32, %n: i32, %k: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %size = arith.constant dense<64> : tensor<64xi32>
  %first = arith.muli %tile, %c64 : i32
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %firsts = tt.splat %first : i32 -> tensor<64xi32>
  %numbers = arith.addi %firsts, %range : tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %columns = arith.remsi %numbers, %ns : tensor<64xi32>
  %groups = arith.divsi %numbers, %size : tensor<64xi32>
  %bases = tt.splat %scales : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %base = tt.addptr %bases, %groups : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %sum = scf.for %i = %c0 to %k step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %a = tt.load %ap : tensor<64x64x!tt.ptr<f8E4M3FN>>
    %b = tt.load %bp : tensor<64x64x!tt.ptr<f8E4M3FN>>
    %d = tt.dot %a, %b, %zero : tensor<64x64xf8E4M3FN> * tensor<64x64xf8E4M3FN> -> tensor<64x64xf32>
    %steps = tt.splat %i : i32 -> tensor<64xi32>
    %p = tt.addptr %base, %steps : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %s = tt.load %p : tensor<64x!tt.ptr<f32>>
    %row = tt.expand_dims %s {axis = 0 : i32} : tensor<64xf32> -> tensor<1x64xf32>
    %all = tt.broadcast %row : tensor<1x64xf32> -> tensor<64x64xf32>
    %y = arith.mulf %d, %all : tensor<64x64xf32>
    %next = arith.addf %acc, %y : tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tt.return %sum : tensor<64x64xf32>
}

// COM: A scale for 32 of the 64 columns.
// CHECK: @two_scales
tt.func @two_scales(%ap: tensor<64x64x!tt.ptr<f8E4M3FN>>, %bp: tensor<64x64x!tt.ptr<f8E4M3FN>>, %scales: !tt.ptr<f32>, %tile: i32, %n: i32, %k: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %size = arith.constant dense<32> : tensor<64xi32>
  %first = arith.muli %tile, %c64 : i32
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %firsts = tt.splat %first : i32 -> tensor<64xi32>
  %numbers = arith.addi %firsts, %range : tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %columns = arith.remsi %numbers, %ns : tensor<64xi32>
  %groups = arith.divsi %columns, %size : tensor<64xi32>
  %bases = tt.splat %scales : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %base = tt.addptr %bases, %groups : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %sum = scf.for %i = %c0 to %k step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %a = tt.load %ap : tensor<64x64x!tt.ptr<f8E4M3FN>>
    %b = tt.load %bp : tensor<64x64x!tt.ptr<f8E4M3FN>>
    %d = tt.dot %a, %b, %zero : tensor<64x64xf8E4M3FN> * tensor<64x64xf8E4M3FN> -> tensor<64x64xf32>
    %steps = tt.splat %i : i32 -> tensor<64xi32>
    %p = tt.addptr %base, %steps : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %s = tt.load %p : tensor<64x!tt.ptr<f32>>
    %row = tt.expand_dims %s {axis = 0 : i32} : tensor<64xf32> -> tensor<1x64xf32>
    %all = tt.broadcast %row : tensor<1x64xf32> -> tensor<64x64xf32>
    %y = arith.mulf %d, %all : tensor<64x64xf32>
    %next = arith.addf %acc, %y : tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tt.return %sum : tensor<64x64xf32>
}

// COM: A scale for each column.
// CHECK: @a_scale_each
tt.func @a_scale_each(%ap: tensor<64x64x!tt.ptr<f8E4M3FN>>, %bp: tensor<64x64x!tt.ptr<f8E4M3FN>>, %scales: !tt.ptr<f32>, %tile: i32, %n: i32, %k: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %size = arith.constant dense<64> : tensor<64xi32>
  %first = arith.muli %tile, %c64 : i32
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %firsts = tt.splat %first : i32 -> tensor<64xi32>
  %numbers = arith.addi %firsts, %range : tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %columns = arith.remsi %numbers, %ns : tensor<64xi32>
  %groups = arith.divsi %columns, %size : tensor<64xi32>
  %bases = tt.splat %scales : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %base = tt.addptr %bases, %columns : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %sum = scf.for %i = %c0 to %k step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %a = tt.load %ap : tensor<64x64x!tt.ptr<f8E4M3FN>>
    %b = tt.load %bp : tensor<64x64x!tt.ptr<f8E4M3FN>>
    %d = tt.dot %a, %b, %zero : tensor<64x64xf8E4M3FN> * tensor<64x64xf8E4M3FN> -> tensor<64x64xf32>
    %steps = tt.splat %i : i32 -> tensor<64xi32>
    %p = tt.addptr %base, %steps : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %s = tt.load %p : tensor<64x!tt.ptr<f32>>
    %row = tt.expand_dims %s {axis = 0 : i32} : tensor<64xf32> -> tensor<1x64xf32>
    %all = tt.broadcast %row : tensor<1x64xf32> -> tensor<64x64xf32>
    %y = arith.mulf %d, %all : tensor<64x64xf32>
    %next = arith.addf %acc, %y : tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tt.return %sum : tensor<64x64xf32>
}

// COM: Scales of rows.
// CHECK: @rows
tt.func @rows(%ap: tensor<64x64x!tt.ptr<f8E4M3FN>>, %bp: tensor<64x64x!tt.ptr<f8E4M3FN>>, %scales: !tt.ptr<f32>, %tile: i32, %n: i32, %k: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %size = arith.constant dense<64> : tensor<64xi32>
  %first = arith.muli %tile, %c64 : i32
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %firsts = tt.splat %first : i32 -> tensor<64xi32>
  %numbers = arith.addi %firsts, %range : tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %columns = arith.remsi %numbers, %ns : tensor<64xi32>
  %groups = arith.divsi %columns, %size : tensor<64xi32>
  %bases = tt.splat %scales : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %base = tt.addptr %bases, %groups : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %sum = scf.for %i = %c0 to %k step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %a = tt.load %ap : tensor<64x64x!tt.ptr<f8E4M3FN>>
    %b = tt.load %bp : tensor<64x64x!tt.ptr<f8E4M3FN>>
    %d = tt.dot %a, %b, %zero : tensor<64x64xf8E4M3FN> * tensor<64x64xf8E4M3FN> -> tensor<64x64xf32>
    %steps = tt.splat %i : i32 -> tensor<64xi32>
    %p = tt.addptr %base, %steps : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %s = tt.load %p : tensor<64x!tt.ptr<f32>>
    %row = tt.expand_dims %s {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
    %all = tt.broadcast %row : tensor<64x1xf32> -> tensor<64x64xf32>
    %y = arith.mulf %d, %all : tensor<64x64xf32>
    %next = arith.addf %acc, %y : tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tt.return %sum : tensor<64x64xf32>
}

// COM: The scales have nothing to do with the dot.
// CHECK: @added
tt.func @added(%ap: tensor<64x64x!tt.ptr<f8E4M3FN>>, %bp: tensor<64x64x!tt.ptr<f8E4M3FN>>, %scales: !tt.ptr<f32>, %tile: i32, %n: i32, %k: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %size = arith.constant dense<64> : tensor<64xi32>
  %first = arith.muli %tile, %c64 : i32
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %firsts = tt.splat %first : i32 -> tensor<64xi32>
  %numbers = arith.addi %firsts, %range : tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %columns = arith.remsi %numbers, %ns : tensor<64xi32>
  %groups = arith.divsi %columns, %size : tensor<64xi32>
  %bases = tt.splat %scales : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %base = tt.addptr %bases, %groups : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %sum = scf.for %i = %c0 to %k step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %a = tt.load %ap : tensor<64x64x!tt.ptr<f8E4M3FN>>
    %b = tt.load %bp : tensor<64x64x!tt.ptr<f8E4M3FN>>
    %d = tt.dot %a, %b, %zero : tensor<64x64xf8E4M3FN> * tensor<64x64xf8E4M3FN> -> tensor<64x64xf32>
    %steps = tt.splat %i : i32 -> tensor<64xi32>
    %p = tt.addptr %base, %steps : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %s = tt.load %p : tensor<64x!tt.ptr<f32>>
    %row = tt.expand_dims %s {axis = 0 : i32} : tensor<64xf32> -> tensor<1x64xf32>
    %all = tt.broadcast %row : tensor<1x64xf32> -> tensor<64x64xf32>
    %y = arith.addf %d, %all : tensor<64x64xf32>
    %next = arith.addf %acc, %y : tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tt.return %sum : tensor<64x64xf32>
}

// COM: A volatile load.
// CHECK: @volatile
tt.func @volatile(%ap: tensor<64x64x!tt.ptr<f8E4M3FN>>, %bp: tensor<64x64x!tt.ptr<f8E4M3FN>>, %scales: !tt.ptr<f32>, %tile: i32, %n: i32, %k: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %size = arith.constant dense<64> : tensor<64xi32>
  %first = arith.muli %tile, %c64 : i32
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %firsts = tt.splat %first : i32 -> tensor<64xi32>
  %numbers = arith.addi %firsts, %range : tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %columns = arith.remsi %numbers, %ns : tensor<64xi32>
  %groups = arith.divsi %columns, %size : tensor<64xi32>
  %bases = tt.splat %scales : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %base = tt.addptr %bases, %groups : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %sum = scf.for %i = %c0 to %k step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %a = tt.load %ap : tensor<64x64x!tt.ptr<f8E4M3FN>>
    %b = tt.load %bp : tensor<64x64x!tt.ptr<f8E4M3FN>>
    %d = tt.dot %a, %b, %zero : tensor<64x64xf8E4M3FN> * tensor<64x64xf8E4M3FN> -> tensor<64x64xf32>
    %steps = tt.splat %i : i32 -> tensor<64xi32>
    %p = tt.addptr %base, %steps : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %s = tt.load %p {isVolatile = true} : tensor<64x!tt.ptr<f32>>
    %row = tt.expand_dims %s {axis = 0 : i32} : tensor<64xf32> -> tensor<1x64xf32>
    %all = tt.broadcast %row : tensor<1x64xf32> -> tensor<64x64xf32>
    %y = arith.mulf %d, %all : tensor<64x64xf32>
    %next = arith.addf %acc, %y : tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tt.return %sum : tensor<64x64xf32>
}

// COM: The address is not a sum of pointers that the loop does not change and a number.
// CHECK: @other_steps
tt.func @other_steps(%ap: tensor<64x64x!tt.ptr<f8E4M3FN>>, %bp: tensor<64x64x!tt.ptr<f8E4M3FN>>, %scales: !tt.ptr<f32>, %tile: i32, %n: i32, %k: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %size = arith.constant dense<64> : tensor<64xi32>
  %first = arith.muli %tile, %c64 : i32
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %firsts = tt.splat %first : i32 -> tensor<64xi32>
  %numbers = arith.addi %firsts, %range : tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %columns = arith.remsi %numbers, %ns : tensor<64xi32>
  %groups = arith.divsi %columns, %size : tensor<64xi32>
  %bases = tt.splat %scales : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %base = tt.addptr %bases, %groups : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %sum = scf.for %i = %c0 to %k step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %a = tt.load %ap : tensor<64x64x!tt.ptr<f8E4M3FN>>
    %b = tt.load %bp : tensor<64x64x!tt.ptr<f8E4M3FN>>
    %d = tt.dot %a, %b, %zero : tensor<64x64xf8E4M3FN> * tensor<64x64xf8E4M3FN> -> tensor<64x64xf32>
    %steps = tt.splat %i : i32 -> tensor<64xi32>
    %other = arith.addi %steps, %range : tensor<64xi32>
    %p = tt.addptr %base, %other : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %s = tt.load %p : tensor<64x!tt.ptr<f32>>
    %row = tt.expand_dims %s {axis = 0 : i32} : tensor<64xf32> -> tensor<1x64xf32>
    %all = tt.broadcast %row : tensor<1x64xf32> -> tensor<64x64xf32>
    %y = arith.mulf %d, %all : tensor<64x64xf32>
    %next = arith.addf %acc, %y : tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tt.return %sum : tensor<64x64xf32>
}

// COM: A loop whose warps Triton specializes.
// CHECK: @specialized
tt.func @specialized(%ap: tensor<64x64x!tt.ptr<f8E4M3FN>>, %bp: tensor<64x64x!tt.ptr<f8E4M3FN>>, %scales: !tt.ptr<f32>, %tile: i32, %n: i32, %k: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %size = arith.constant dense<64> : tensor<64xi32>
  %first = arith.muli %tile, %c64 : i32
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %firsts = tt.splat %first : i32 -> tensor<64xi32>
  %numbers = arith.addi %firsts, %range : tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %columns = arith.remsi %numbers, %ns : tensor<64xi32>
  %groups = arith.divsi %columns, %size : tensor<64xi32>
  %bases = tt.splat %scales : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %base = tt.addptr %bases, %groups : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %sum = scf.for %i = %c0 to %k step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %a = tt.load %ap : tensor<64x64x!tt.ptr<f8E4M3FN>>
    %b = tt.load %bp : tensor<64x64x!tt.ptr<f8E4M3FN>>
    %d = tt.dot %a, %b, %zero : tensor<64x64xf8E4M3FN> * tensor<64x64xf8E4M3FN> -> tensor<64x64xf32>
    %steps = tt.splat %i : i32 -> tensor<64xi32>
    %p = tt.addptr %base, %steps : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %s = tt.load %p : tensor<64x!tt.ptr<f32>>
    %row = tt.expand_dims %s {axis = 0 : i32} : tensor<64xf32> -> tensor<1x64xf32>
    %all = tt.broadcast %row : tensor<1x64xf32> -> tensor<64x64xf32>
    %y = arith.mulf %d, %all : tensor<64x64xf32>
    %next = arith.addf %acc, %y : tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  } {tt.warp_specialize}
  tt.return %sum : tensor<64x64xf32>
}

// COM: 16 rows: mma.sync.
// CHECK: @few_rows
tt.func @few_rows(%ap: tensor<16x64x!tt.ptr<f8E4M3FN>>, %bp: tensor<64x64x!tt.ptr<f8E4M3FN>>, %scales: !tt.ptr<f32>, %tile: i32, %n: i32, %k: i32) -> tensor<16x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %size = arith.constant dense<64> : tensor<64xi32>
  %first = arith.muli %tile, %c64 : i32
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %firsts = tt.splat %first : i32 -> tensor<64xi32>
  %numbers = arith.addi %firsts, %range : tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %columns = arith.remsi %numbers, %ns : tensor<64xi32>
  %groups = arith.divsi %columns, %size : tensor<64xi32>
  %bases = tt.splat %scales : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %base = tt.addptr %bases, %groups : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %sum = scf.for %i = %c0 to %k step %c1 iter_args(%acc = %zero) -> (tensor<16x64xf32>) : i32 {
    %a = tt.load %ap : tensor<16x64x!tt.ptr<f8E4M3FN>>
    %b = tt.load %bp : tensor<64x64x!tt.ptr<f8E4M3FN>>
    %d = tt.dot %a, %b, %zero : tensor<16x64xf8E4M3FN> * tensor<64x64xf8E4M3FN> -> tensor<16x64xf32>
    %steps = tt.splat %i : i32 -> tensor<64xi32>
    %p = tt.addptr %base, %steps : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %s = tt.load %p : tensor<64x!tt.ptr<f32>>
    %row = tt.expand_dims %s {axis = 0 : i32} : tensor<64xf32> -> tensor<1x64xf32>
    %all = tt.broadcast %row : tensor<1x64xf32> -> tensor<16x64xf32>
    %y = arith.mulf %d, %all : tensor<16x64xf32>
    %next = arith.addf %acc, %y : tensor<16x64xf32>
    scf.yield %next : tensor<16x64xf32>
  }
  tt.return %sum : tensor<16x64xf32>
}
}
