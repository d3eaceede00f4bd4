// RUN: dotload-opt %s --fold-operand-masks --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Values outside a window are set to zero. The ops that compute the window move above the load.
// CHECK-LABEL: @window
// CHECK:         scf.for
// CHECK:           %[[IN:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : tensor<32x128xi32>
// CHECK:           %[[WINDOW:.*]] = tt.broadcast %{{.*}} : tensor<32x1xi1> -> tensor<32x128xi1>
// CHECK-NEXT:      %[[BOTH:.*]] = arith.andi %[[IN]], %[[WINDOW]] : tensor<32x128xi1>
// CHECK-NEXT:      %[[V:.*]] = tt.load %{{.*}}, %[[BOTH]], %{{.*}} : tensor<32x128x!tt.ptr<i8>>
// CHECK-NEXT:      %[[W:.*]] = arith.sitofp %[[V]]
// CHECK-NEXT:      %[[H:.*]] = arith.mulf %[[W]]
// CHECK-NOT:       arith.select
// CHECK:           tt.dot %{{.*}}, %[[H]], %{{.*}}
// REMARK:      fold_operand_masks.mlir:[[@LINE+13]]:{{.*}} fold-operand-masks: the tile is loaded under the mask that sets it to zero
tt.func @window(%p: tensor<16x32xbf16>, %vp: tensor<32x128x!tt.ptr<i8>>, %tokens: tensor<32x1xi32>, %at: tensor<32x128xi32>, %scale: bf16, %n: i32) -> tensor<16x128xf32> {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c4 = arith.constant dense<4> : tensor<32x1xi32>
  %zero = arith.constant dense<0.0> : tensor<16x128xf32>
  %none = arith.constant dense<0> : tensor<32x128xi8>
  %nothing = arith.constant dense<0.0> : tensor<32x128xbf16>
  %scales = tt.splat %scale : bf16 -> tensor<32x128xbf16>
  %ends = tt.splat %n : i32 -> tensor<32x128xi32>
  %r = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<16x128xf32>) : i32 {
    %first = tt.splat %i : i32 -> tensor<32x1xi32>
    %inside = arith.cmpi slt, %at, %ends : tensor<32x128xi32>
    %v = tt.load %vp, %inside, %none : tensor<32x128x!tt.ptr<i8>>
    %w = arith.sitofp %v : tensor<32x128xi8> to tensor<32x128xbf16>
    %h = arith.mulf %w, %scales : tensor<32x128xbf16>
    %now = arith.addi %first, %tokens : tensor<32x1xi32>
    %near = arith.cmpi slt, %now, %c4 : tensor<32x1xi32>
    %window = tt.broadcast %near : tensor<32x1xi1> -> tensor<32x128xi1>
    %m = arith.select %window, %h, %nothing : tensor<32x128xi1>, tensor<32x128xbf16>
    %d = tt.dot %p, %m, %acc : tensor<16x32xbf16> * tensor<32x128xbf16> -> tensor<16x128xf32>
    scf.yield %d : tensor<16x128xf32>
  }
  tt.return %r : tensor<16x128xf32>
}

// COM: The select replaces elements by a value other than zero.
// CHECK-LABEL: @filled
// CHECK:         arith.select
// REMARK-NOT:    remark
tt.func @filled(%p: tensor<16x32xbf16>, %vp: tensor<32x128x!tt.ptr<i8>>, %inside: tensor<32x128xi1>, %window: tensor<32x128xi1>, %n: i32) -> tensor<16x128xf32> {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32>
  %none = arith.constant dense<0> : tensor<32x128xi8>
  %ones = arith.constant dense<1.0> : tensor<32x128xbf16>
  %r = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<16x128xf32>) : i32 {
    %v = tt.load %vp, %inside, %none : tensor<32x128x!tt.ptr<i8>>
    %w = arith.sitofp %v : tensor<32x128xi8> to tensor<32x128xbf16>
    %m = arith.select %window, %w, %ones : tensor<32x128xi1>, tensor<32x128xbf16>
    %d = tt.dot %p, %m, %acc : tensor<16x32xbf16> * tensor<32x128xbf16> -> tensor<16x128xf32>
    scf.yield %d : tensor<16x128xf32>
  }
  tt.return %r : tensor<16x128xf32>
}

// COM: The select replaces elements by -0.
// CHECK-LABEL: @negative_zeros
// CHECK:         arith.select
// REMARK-NOT:    remark
tt.func @negative_zeros(%p: tensor<16x32xbf16>, %vp: tensor<32x128x!tt.ptr<i8>>, %inside: tensor<32x128xi1>, %window: tensor<32x128xi1>, %n: i32) -> tensor<16x128xf32> {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32>
  %none = arith.constant dense<0> : tensor<32x128xi8>
  %ones = arith.constant dense<-0.0> : tensor<32x128xbf16>
  %r = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<16x128xf32>) : i32 {
    %v = tt.load %vp, %inside, %none : tensor<32x128x!tt.ptr<i8>>
    %w = arith.sitofp %v : tensor<32x128xi8> to tensor<32x128xbf16>
    %m = arith.select %window, %w, %ones : tensor<32x128xi1>, tensor<32x128xbf16>
    %d = tt.dot %p, %m, %acc : tensor<16x32xbf16> * tensor<32x128xbf16> -> tensor<16x128xf32>
    scf.yield %d : tensor<16x128xf32>
  }
  tt.return %r : tensor<16x128xf32>
}

// COM: The load's own masked elements are 1.
// CHECK-LABEL: @other_than_zero
// CHECK:         arith.select
// REMARK-NOT:    remark
tt.func @other_than_zero(%p: tensor<16x32xbf16>, %vp: tensor<32x128x!tt.ptr<i8>>, %inside: tensor<32x128xi1>, %window: tensor<32x128xi1>, %n: i32) -> tensor<16x128xf32> {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32>
  %one = arith.constant dense<1> : tensor<32x128xi8>
  %nothing = arith.constant dense<0.0> : tensor<32x128xbf16>
  %r = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<16x128xf32>) : i32 {
    %v = tt.load %vp, %inside, %one : tensor<32x128x!tt.ptr<i8>>
    %w = arith.sitofp %v : tensor<32x128xi8> to tensor<32x128xbf16>
    %m = arith.select %window, %w, %nothing : tensor<32x128xi1>, tensor<32x128xbf16>
    %d = tt.dot %p, %m, %acc : tensor<16x32xbf16> * tensor<32x128xbf16> -> tensor<16x128xf32>
    scf.yield %d : tensor<16x128xf32>
  }
  tt.return %r : tensor<16x128xf32>
}

// COM: The select takes the tile where the condition is false.
// CHECK-LABEL: @the_other_way_round
// CHECK:         arith.select
// REMARK-NOT:    remark
tt.func @the_other_way_round(%p: tensor<16x32xbf16>, %vp: tensor<32x128x!tt.ptr<i8>>, %inside: tensor<32x128xi1>, %window: tensor<32x128xi1>, %n: i32) -> tensor<16x128xf32> {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32>
  %none = arith.constant dense<0> : tensor<32x128xi8>
  %nothing = arith.constant dense<0.0> : tensor<32x128xbf16>
  %r = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<16x128xf32>) : i32 {
    %v = tt.load %vp, %inside, %none : tensor<32x128x!tt.ptr<i8>>
    %w = arith.sitofp %v : tensor<32x128xi8> to tensor<32x128xbf16>
    %m = arith.select %window, %nothing, %w : tensor<32x128xi1>, tensor<32x128xbf16>
    %d = tt.dot %p, %m, %acc : tensor<16x32xbf16> * tensor<32x128xbf16> -> tensor<16x128xf32>
    scf.yield %d : tensor<16x128xf32>
  }
  tt.return %r : tensor<16x128xf32>
}

// COM: A constant is added to the tile, so masked elements would not be zero.
// CHECK-LABEL: @moved_from_zero
// CHECK:         arith.select
// REMARK-NOT:    remark
tt.func @moved_from_zero(%p: tensor<16x32xbf16>, %vp: tensor<32x128x!tt.ptr<i8>>, %inside: tensor<32x128xi1>, %window: tensor<32x128xi1>, %shift: bf16, %n: i32) -> tensor<16x128xf32> {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32>
  %none = arith.constant dense<0> : tensor<32x128xi8>
  %nothing = arith.constant dense<0.0> : tensor<32x128xbf16>
  %shifts = tt.splat %shift : bf16 -> tensor<32x128xbf16>
  %r = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<16x128xf32>) : i32 {
    %v = tt.load %vp, %inside, %none : tensor<32x128x!tt.ptr<i8>>
    %w = arith.sitofp %v : tensor<32x128xi8> to tensor<32x128xbf16>
    %x = arith.addf %w, %shifts : tensor<32x128xbf16>
    %m = arith.select %window, %x, %nothing : tensor<32x128xi1>, tensor<32x128xbf16>
    %d = tt.dot %p, %m, %acc : tensor<16x32xbf16> * tensor<32x128xbf16> -> tensor<16x128xf32>
    scf.yield %d : tensor<16x128xf32>
  }
  tt.return %r : tensor<16x128xf32>
}

// COM: The scale is loaded in each iteration: if it is not finite, elements that stock sets to zero would become NaN.
// CHECK-LABEL: @scale_of_each_iteration
// CHECK:         arith.select
// REMARK-NOT:    remark
tt.func @scale_of_each_iteration(%p: tensor<16x32xbf16>, %vp: tensor<32x128x!tt.ptr<i8>>, %inside: tensor<32x128xi1>, %window: tensor<32x128xi1>, %sp: !tt.ptr<bf16>, %n: i32) -> tensor<16x128xf32> {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32>
  %none = arith.constant dense<0> : tensor<32x128xi8>
  %nothing = arith.constant dense<0.0> : tensor<32x128xbf16>
  %r = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<16x128xf32>) : i32 {
    %v = tt.load %vp, %inside, %none : tensor<32x128x!tt.ptr<i8>>
    %w = arith.sitofp %v : tensor<32x128xi8> to tensor<32x128xbf16>
    %at = tt.addptr %sp, %i : !tt.ptr<bf16>, i32
    %scale = tt.load %at : !tt.ptr<bf16>
    %scales = tt.splat %scale : bf16 -> tensor<32x128xbf16>
    %h = arith.mulf %w, %scales : tensor<32x128xbf16>
    %m = arith.select %window, %h, %nothing : tensor<32x128xi1>, tensor<32x128xbf16>
    %d = tt.dot %p, %m, %acc : tensor<16x32xbf16> * tensor<32x128xbf16> -> tensor<16x128xf32>
    scf.yield %d : tensor<16x128xf32>
  }
  tt.return %r : tensor<16x128xf32>
}

// COM: The mask changes from byte to byte: the tile could no longer be copied in words.
// CHECK-LABEL: @mask_of_bytes
// CHECK:         arith.select
// REMARK-NOT:    remark
tt.func @mask_of_bytes(%p: tensor<16x32xbf16>, %v0: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %inside: tensor<32x128xi1>, %limit: i32, %n: i32) -> tensor<16x128xf32> {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32>
  %none = arith.constant dense<0> : tensor<32x128xi8>
  %nothing = arith.constant dense<0.0> : tensor<32x128xbf16>
  %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %row = tt.expand_dims %range {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %dims = tt.broadcast %row : tensor<1x128xi32> -> tensor<32x128xi32>
  %base = tt.splat %v0 : !tt.ptr<i8> -> tensor<32x128x!tt.ptr<i8>>
  %ends = tt.splat %limit : i32 -> tensor<32x128xi32>
  %r = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<16x128xf32>) : i32 {
    %vp = tt.addptr %base, %dims : tensor<32x128x!tt.ptr<i8>>, tensor<32x128xi32>
    %v = tt.load %vp, %inside, %none : tensor<32x128x!tt.ptr<i8>>
    %w = arith.sitofp %v : tensor<32x128xi8> to tensor<32x128xbf16>
    %near = arith.cmpi slt, %dims, %ends : tensor<32x128xi32>
    %m = arith.select %near, %w, %nothing : tensor<32x128xi1>, tensor<32x128xbf16>
    %d = tt.dot %p, %m, %acc : tensor<16x32xbf16> * tensor<32x128xbf16> -> tensor<16x128xf32>
    scf.yield %d : tensor<16x128xf32>
  }
  tt.return %r : tensor<16x128xf32>
}

// COM: A branch yields the mask, and the branch's uses of loop values are not visible as operands.
// CHECK-LABEL: @mask_of_a_branch
// CHECK:         arith.select
// REMARK-NOT:    remark
tt.func @mask_of_a_branch(%p: tensor<16x32xbf16>, %vp: tensor<32x128x!tt.ptr<i8>>, %inside: tensor<32x128xi1>, %window: tensor<32x128xi1>, %is_far: i1, %n: i32) -> tensor<16x128xf32> {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32>
  %none = arith.constant dense<0> : tensor<32x128xi8>
  %nothing = arith.constant dense<0.0> : tensor<32x128xbf16>
  %r = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<16x128xf32>) : i32 {
    %v = tt.load %vp, %inside, %none : tensor<32x128x!tt.ptr<i8>>
    %w = arith.sitofp %v : tensor<32x128xi8> to tensor<32x128xbf16>
    %near = arith.andi %inside, %window : tensor<32x128xi1>
    %mask = scf.if %is_far -> (tensor<32x128xi1>) {
      scf.yield %near : tensor<32x128xi1>
    } else {
      scf.yield %window : tensor<32x128xi1>
    }
    %m = arith.select %mask, %w, %nothing : tensor<32x128xi1>, tensor<32x128xbf16>
    %d = tt.dot %p, %m, %acc : tensor<16x32xbf16> * tensor<32x128xbf16> -> tensor<16x128xf32>
    scf.yield %d : tensor<16x128xf32>
  }
  tt.return %r : tensor<16x128xf32>
}

// COM: The mask is loaded in the loop.
// CHECK-LABEL: @loaded_mask
// CHECK:         arith.select
// REMARK-NOT:    remark
tt.func @loaded_mask(%p: tensor<16x32xbf16>, %vp: tensor<32x128x!tt.ptr<i8>>, %inside: tensor<32x128xi1>, %mp: tensor<32x128x!tt.ptr<i32>>, %n: i32) -> tensor<16x128xf32> {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32>
  %none = arith.constant dense<0> : tensor<32x128xi8>
  %off = arith.constant dense<0> : tensor<32x128xi32>
  %nothing = arith.constant dense<0.0> : tensor<32x128xbf16>
  %r = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<16x128xf32>) : i32 {
    %v = tt.load %vp, %inside, %none : tensor<32x128x!tt.ptr<i8>>
    %w = arith.sitofp %v : tensor<32x128xi8> to tensor<32x128xbf16>
    %bits = tt.load %mp : tensor<32x128x!tt.ptr<i32>>
    %window = arith.cmpi ne, %bits, %off : tensor<32x128xi32>
    %m = arith.select %window, %w, %nothing : tensor<32x128xi1>, tensor<32x128xbf16>
    %d = tt.dot %p, %m, %acc : tensor<16x32xbf16> * tensor<32x128xbf16> -> tensor<16x128xf32>
    scf.yield %d : tensor<16x128xf32>
  }
  tt.return %r : tensor<16x128xf32>
}
}
