// RUN: dotload-opt %s --reassociate-scales --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --allow-empty --input-file=%t

// COM: Results that stay as they are, without a remark.
// REMARK-NOT: remark

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#raw = #ttg.shared_linear<{offset = [[8, 0], [1, 0], [2, 0], [4, 0], [16, 0], [32, 0], [0, 1], [0, 2], [16, 4], [32, 8], [0, 16], [0, 32]]}, alignment = 16>
#bytes = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
!a = tensor<64x64xf8E4M3FN, #dot>
!raw = !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
!b = !ttg.memdesc<64x64xf8E4M3FN, #bytes, #smem, mutable>
!acc = tensor<64x64xf32, #mma>
!rows = tensor<64xf32, #ttg.slice<{dim = 1, parent = #mma}>>
!row_ptrs = tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #mma}>>
!columns = tensor<64xf32, #ttg.slice<{dim = 0, parent = #mma}>>
!column_ptrs = tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Both scales differ: their products are as many as the elements of the result.
// CHECK-LABEL: @rows_and_columns
// CHECK:           %[[W:.*]]:2 = ttng.warp_group_dot_wait
// CHECK:           %[[ROWS:.*]] = tt.broadcast %{{.*}} : tensor<64x1xf32, #mma>
// CHECK-NEXT:      %[[X:.*]] = arith.mulf %[[W]]#0, %[[ROWS]]
// CHECK:           %[[COLUMNS:.*]] = tt.broadcast %{{.*}} : tensor<1x64xf32, #mma>
// CHECK-NEXT:      %[[Y:.*]] = arith.mulf %[[X]], %[[COLUMNS]]
// CHECK-NEXT:      arith.addf %{{.*}}, %[[Y]]
tt.func @rows_and_columns(%a: !raw, %b: !b, %n: i32, %rp: !row_ptrs, %cp: !column_ptrs) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !raw -> !a
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !acc
    %done, %kept = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : !acc, !b
    %r = tt.load %rp : !row_ptrs
    %r1 = tt.expand_dims %r {axis = 1 : i32} : !rows -> tensor<64x1xf32, #mma>
    %rs = tt.broadcast %r1 : tensor<64x1xf32, #mma> -> !acc
    %x = arith.mulf %done, %rs : !acc
    %c = tt.load %cp : !column_ptrs
    %c1s = tt.expand_dims %c {axis = 0 : i32} : !columns -> tensor<1x64xf32, #mma>
    %cs = tt.broadcast %c1s : tensor<1x64xf32, #mma> -> !acc
    %y = arith.mulf %x, %cs : !acc
    %s = arith.addf %acc, %y : !acc
    scf.yield %s : !acc
  }
  tt.return %sum : !acc
}

// COM: The first product has another use.
// CHECK-LABEL: @product_is_used_again
// CHECK:           %[[W:.*]]:2 = ttng.warp_group_dot_wait
// CHECK:           %[[ROWS:.*]] = tt.broadcast %{{.*}} : tensor<64x1xf32, #mma>
// CHECK-NEXT:      %[[X:.*]] = arith.mulf %[[W]]#0, %[[ROWS]]
// CHECK:           %[[NUMBER:.*]] = tt.splat %{{.*}} : f32 -> tensor<64x64xf32, #mma>
// CHECK-NEXT:      %[[Y:.*]] = arith.mulf %[[X]], %[[NUMBER]]
// CHECK-NEXT:      arith.maximumf %[[X]], %[[Y]]
tt.func @product_is_used_again(%a: !raw, %b: !b, %n: i32, %rp: !row_ptrs, %fp: !tt.ptr<f32>) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !raw -> !a
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !acc
    %done, %kept = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : !acc, !b
    %r = tt.load %rp : !row_ptrs
    %r1 = tt.expand_dims %r {axis = 1 : i32} : !rows -> tensor<64x1xf32, #mma>
    %rs = tt.broadcast %r1 : tensor<64x1xf32, #mma> -> !acc
    %x = arith.mulf %done, %rs : !acc
    %f = tt.load %fp : !tt.ptr<f32>
    %fs = tt.splat %f : f32 -> !acc
    %y = arith.mulf %x, %fs : !acc
    %m = arith.maximumf %x, %y : !acc
    %s = arith.addf %acc, %m : !acc
    scf.yield %s : !acc
  }
  tt.return %sum : !acc
}

// COM: The second scale is added, not multiplied.
// CHECK-LABEL: @number_is_added
// CHECK:           %[[W:.*]]:2 = ttng.warp_group_dot_wait
// CHECK:           %[[ROWS:.*]] = tt.broadcast %{{.*}} : tensor<64x1xf32, #mma>
// CHECK-NEXT:      %[[X:.*]] = arith.mulf %[[W]]#0, %[[ROWS]]
// CHECK:           %[[NUMBER:.*]] = tt.splat %{{.*}} : f32 -> tensor<64x64xf32, #mma>
// CHECK-NEXT:      arith.addf %[[X]], %[[NUMBER]]
tt.func @number_is_added(%a: !raw, %b: !b, %n: i32, %rp: !row_ptrs, %fp: !tt.ptr<f32>) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !raw -> !a
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !acc
    %done, %kept = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : !acc, !b
    %r = tt.load %rp : !row_ptrs
    %r1 = tt.expand_dims %r {axis = 1 : i32} : !rows -> tensor<64x1xf32, #mma>
    %rs = tt.broadcast %r1 : tensor<64x1xf32, #mma> -> !acc
    %x = arith.mulf %done, %rs : !acc
    %f = tt.load %fp : !tt.ptr<f32>
    %fs = tt.splat %f : f32 -> !acc
    %y = arith.addf %x, %fs : !acc
    %s = arith.addf %acc, %y : !acc
    scf.yield %s : !acc
  }
  tt.return %sum : !acc
}

// COM: The product of two small scales need not be a normal number of f16.
// CHECK-LABEL: @f16
// CHECK:           %[[W:.*]]:2 = ttng.warp_group_dot_wait
// CHECK:           %[[X:.*]] = arith.mulf %[[W]]#0, %
// CHECK:           arith.mulf %[[X]], %
tt.func @f16(%a: !raw, %b: !b, %n: i32, %one: f16, %other: f16) -> tensor<64x64xf16, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf16, #mma>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf16, #mma>) : i32 {
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !raw -> !a
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> tensor<64x64xf16, #mma>
    %done, %kept = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : tensor<64x64xf16, #mma>, !b
    %ones = tt.splat %one : f16 -> tensor<64x64xf16, #mma>
    %x = arith.mulf %done, %ones : tensor<64x64xf16, #mma>
    %others = tt.splat %other : f16 -> tensor<64x64xf16, #mma>
    %y = arith.mulf %x, %others : tensor<64x64xf16, #mma>
    %s = arith.addf %acc, %y : tensor<64x64xf16, #mma>
    scf.yield %s : tensor<64x64xf16, #mma>
  }
  tt.return %sum : tensor<64x64xf16, #mma>
}

// COM: No operand is staged.
// CHECK-LABEL: @stock
// CHECK:           %[[W:.*]]:2 = ttng.warp_group_dot_wait
// CHECK:           %[[ROWS:.*]] = tt.broadcast %{{.*}} : tensor<64x1xf32, #mma>
// CHECK-NEXT:      %[[X:.*]] = arith.mulf %[[W]]#0, %[[ROWS]]
// CHECK:           %[[NUMBER:.*]] = tt.splat %{{.*}} : f32 -> tensor<64x64xf32, #mma>
// CHECK-NEXT:      arith.mulf %[[X]], %[[NUMBER]]
tt.func @stock(%a: !raw, %b: !b, %n: i32, %rp: !row_ptrs, %fp: !tt.ptr<f32>) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %av = ttg.local_load %a : !raw -> !a
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !acc
    %done, %kept = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : !acc, !b
    %r = tt.load %rp : !row_ptrs
    %r1 = tt.expand_dims %r {axis = 1 : i32} : !rows -> tensor<64x1xf32, #mma>
    %rs = tt.broadcast %r1 : tensor<64x1xf32, #mma> -> !acc
    %x = arith.mulf %done, %rs : !acc
    %f = tt.load %fp : !tt.ptr<f32>
    %fs = tt.splat %f : f32 -> !acc
    %y = arith.mulf %x, %fs : !acc
    %s = arith.addf %acc, %y : !acc
    scf.yield %s : !acc
  }
  tt.return %sum : !acc
}

// COM: The scales are multiplied in an inner loop, in each of its iterations.
// CHECK-LABEL: @in_an_inner_loop
// CHECK:           %[[W:.*]]:2 = ttng.warp_group_dot_wait
// CHECK:           %[[X:.*]] = arith.mulf %[[W]]#0, %
// CHECK:           scf.for
// CHECK-NEXT:        arith.mulf %[[X]], %
tt.func @in_an_inner_loop(%a: !raw, %b: !b, %n: i32, %rp: !row_ptrs, %fp: !tt.ptr<f32>) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !raw -> !a
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !acc
    %done, %kept = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : !acc, !b
    %r = tt.load %rp : !row_ptrs
    %r1 = tt.expand_dims %r {axis = 1 : i32} : !rows -> tensor<64x1xf32, #mma>
    %rs = tt.broadcast %r1 : tensor<64x1xf32, #mma> -> !acc
    %x = arith.mulf %done, %rs : !acc
    %f = tt.load %fp : !tt.ptr<f32>
    %fs = tt.splat %f : f32 -> !acc
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%m = %acc) -> (!acc) : i32 {
      %y = arith.mulf %x, %fs : !acc
      %t = arith.addf %m, %y : !acc
      scf.yield %t : !acc
    }
    scf.yield %s : !acc
  }
  tt.return %sum : !acc
}

// COM: Masked columns have another value.
// CHECK-LABEL: @masked
// CHECK:           %[[W:.*]]:2 = ttng.warp_group_dot_wait
// CHECK:           %[[X:.*]] = arith.mulf %[[W]]#0, %
// CHECK:           %[[COLUMNS:.*]] = tt.broadcast %{{.*}} : tensor<1x64xf32, #mma>
// CHECK-NEXT:      arith.mulf %[[X]], %[[COLUMNS]]
tt.func @masked(%a: !raw, %b: !b, %n: i32, %rp: !row_ptrs, %fp: !tt.ptr<f32>, %mask: tensor<64xi1, #ttg.slice<{dim = 0, parent = #mma}>>) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !raw -> !a
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !acc
    %done, %kept = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : !acc, !b
    %r = tt.load %rp : !row_ptrs
    %r1 = tt.expand_dims %r {axis = 1 : i32} : !rows -> tensor<64x1xf32, #mma>
    %rs = tt.broadcast %r1 : tensor<64x1xf32, #mma> -> !acc
    %x = arith.mulf %done, %rs : !acc
    %cp = tt.splat %fp : !tt.ptr<f32> -> !column_ptrs
    %f = tt.load %cp, %mask : !column_ptrs
    %f1 = tt.expand_dims %f {axis = 0 : i32} : !columns -> tensor<1x64xf32, #mma>
    %fs = tt.broadcast %f1 : tensor<1x64xf32, #mma> -> !acc
    %y = arith.mulf %x, %fs : !acc
    %s = arith.addf %acc, %y : !acc
    scf.yield %s : !acc
  }
  tt.return %sum : !acc
}
}
