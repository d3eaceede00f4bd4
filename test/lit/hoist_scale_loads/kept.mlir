// RUN: dotload-opt %s --hoist-scale-loads --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --allow-empty --input-file=%t

// COM: Loads that stay where they are, without a remark.
// REMARK-NOT: remark

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#raw = #ttg.shared_linear<{offset = [[8, 0], [1, 0], [2, 0], [4, 0], [16, 0], [32, 0], [0, 1], [0, 2], [16, 4], [32, 8], [0, 16], [0, 32]]}, alignment = 16>
#bytes = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
#runs = #ttg.linear<{register = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1]], lane = [[16, 0], [32, 0], [0, 2], [0, 4], [0, 8]], warp = [[0, 16], [0, 32]], block = []}>
!a = tensor<64x64xf8E4M3FN, #dot>
!raw = !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
!b = !ttg.memdesc<64x64xf8E4M3FN, #bytes, #smem, mutable>
!runs = tensor<64x64xf8E4M3FN, #runs>
!acc = tensor<64x64xf32, #mma>
!rows = tensor<64xf32, #ttg.slice<{dim = 1, parent = #mma}>>
!row_ptrs = tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #mma}>>
!columns = tensor<64xf32, #ttg.slice<{dim = 0, parent = #mma}>>
!column_ptrs = tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>
!row_numbers = tensor<64xi32, #ttg.slice<{dim = 1, parent = #mma}>>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: The loop copies no operand K-major.
// CHECK-LABEL: @fragments_only
// CHECK:         scf.for
// CHECK-NEXT:      ttg.async_wait
// CHECK:           ttng.warp_group_dot %
// CHECK-NEXT:      tt.load
tt.func @fragments_only(%a: !raw, %b: !b, %n: i32, %rp: !row_ptrs) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %there = ttg.async_wait {num = 2 : i32}
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !raw -> !a
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !acc
    %r = tt.load %rp : !row_ptrs
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %r1 = tt.expand_dims %r {axis = 1 : i32} : !rows -> tensor<64x1xf32, #mma>
    %rs = tt.broadcast %r1 : tensor<64x1xf32, #mma> -> !acc
    %y = arith.mulf %done, %rs : !acc
    %s = arith.addf %acc, %y : !acc
    scf.yield %s : !acc
  }
  tt.return %sum : !acc
}

// COM: A thread has 16 of 64 columns: too many registers.
// CHECK-LABEL: @sixteen_registers
// CHECK:         scf.for
// CHECK-NEXT:      ttg.async_wait
// CHECK:           ttng.warp_group_dot %
// CHECK-NEXT:      tt.load
tt.func @sixteen_registers(%a: !raw, %raw: !raw, %b: !b, %n: i32, %cp: !column_ptrs) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %there = ttg.async_wait {num = 2 : i32}
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !raw -> !a
    %bv = ttg.local_load %raw {dotload.staged = "copy"} : !raw -> !runs
    ttg.local_store %bv, %b : !runs -> !b
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !acc
    %c = tt.load %cp : !column_ptrs
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %c1s = tt.expand_dims %c {axis = 0 : i32} : !columns -> tensor<1x64xf32, #mma>
    %cs = tt.broadcast %c1s : tensor<1x64xf32, #mma> -> !acc
    %y = arith.mulf %done, %cs : !acc
    %s = arith.addf %acc, %y : !acc
    scf.yield %s : !acc
  }
  tt.return %sum : !acc
}

// COM: The store may write to the scales.
// CHECK-LABEL: @store_above_the_load
// CHECK:         scf.for
// CHECK-NEXT:      ttg.async_wait
// CHECK:           ttng.warp_group_dot %
// CHECK-NEXT:      tt.store
// CHECK-NEXT:      tt.load
tt.func @store_above_the_load(%a: !raw, %raw: !raw, %b: !b, %n: i32, %rp: !row_ptrs, %out: !tt.ptr<f32>, %x: f32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %there = ttg.async_wait {num = 2 : i32}
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !raw -> !a
    %bv = ttg.local_load %raw {dotload.staged = "copy"} : !raw -> !runs
    ttg.local_store %bv, %b : !runs -> !b
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !acc
    tt.store %out, %x : !tt.ptr<f32>
    %r = tt.load %rp : !row_ptrs
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %r1 = tt.expand_dims %r {axis = 1 : i32} : !rows -> tensor<64x1xf32, #mma>
    %rs = tt.broadcast %r1 : tensor<64x1xf32, #mma> -> !acc
    %y = arith.mulf %done, %rs : !acc
    %s = arith.addf %acc, %y : !acc
    scf.yield %s : !acc
  }
  tt.return %sum : !acc
}

// COM: The address depends on a load that stays in place.
// CHECK-LABEL: @loaded_address
// CHECK:         scf.for
// CHECK-NEXT:      ttg.async_wait
// CHECK:           ttng.warp_group_dot %
// CHECK-NEXT:      tt.load
// CHECK-NEXT:      tt.addptr
// CHECK-NEXT:      tt.load
tt.func @loaded_address(%a: !raw, %raw: !raw, %b: !b, %n: i32, %rows: !row_ptrs, %tables: tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #mma}>>) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %there = ttg.async_wait {num = 2 : i32}
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !raw -> !a
    %bv = ttg.local_load %raw {dotload.staged = "copy"} : !raw -> !runs
    ttg.local_store %bv, %b : !runs -> !b
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !acc
    %steps = tt.load %tables : tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #mma}>>
    %rp = tt.addptr %rows, %steps : !row_ptrs, !row_numbers
    %r = tt.load %rp : !row_ptrs
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %r1 = tt.expand_dims %r {axis = 1 : i32} : !rows -> tensor<64x1xf32, #mma>
    %rs = tt.broadcast %r1 : tensor<64x1xf32, #mma> -> !acc
    %y = arith.mulf %done, %rs : !acc
    %s = arith.addf %acc, %y : !acc
    scf.yield %s : !acc
  }
  tt.return %sum : !acc
}

// COM: The loaded value scales the result of the next iteration's dot.
// CHECK-LABEL: @next_scales
// CHECK:         scf.for
// CHECK-NEXT:      ttg.async_wait
// CHECK:           ttng.warp_group_dot %
// CHECK-NEXT:      tt.load
tt.func @next_scales(%a: !raw, %raw: !raw, %b: !b, %n: i32, %rp: !row_ptrs) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %first = arith.constant dense<1.0> : !rows
  %sum, %last = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %old = %first) -> (!acc, !rows) : i32 {
    %there = ttg.async_wait {num = 2 : i32}
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !raw -> !a
    %bv = ttg.local_load %raw {dotload.staged = "copy"} : !raw -> !runs
    ttg.local_store %bv, %b : !runs -> !b
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !acc
    %r = tt.load %rp : !row_ptrs
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %r1 = tt.expand_dims %old {axis = 1 : i32} : !rows -> tensor<64x1xf32, #mma>
    %rs = tt.broadcast %r1 : tensor<64x1xf32, #mma> -> !acc
    %y = arith.mulf %done, %rs : !acc
    %s = arith.addf %acc, %y : !acc
    scf.yield %s, %r : !acc, !rows
  }
  tt.return %sum : !acc
}

// COM: The loaded value has nothing to do with the dot.
// CHECK-LABEL: @stored
// CHECK:         scf.for
// CHECK-NEXT:      ttg.async_wait
// CHECK:           ttng.warp_group_dot %
// CHECK-NEXT:      tt.load
tt.func @stored(%a: !raw, %raw: !raw, %b: !b, %n: i32, %rp: !row_ptrs, %out_rows: !row_ptrs) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %there = ttg.async_wait {num = 2 : i32}
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !raw -> !a
    %bv = ttg.local_load %raw {dotload.staged = "copy"} : !raw -> !runs
    ttg.local_store %bv, %b : !runs -> !b
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !acc
    %r = tt.load %rp : !row_ptrs
    tt.store %out_rows, %r : !row_ptrs
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %s = arith.addf %acc, %done : !acc
    scf.yield %s : !acc
  }
  tt.return %sum : !acc
}

// COM: The loop has a second dot.
// CHECK-LABEL: @two_dots
// CHECK:         scf.for
// CHECK-NEXT:      ttg.async_wait
// CHECK:           ttng.warp_group_dot %
// CHECK:           ttng.warp_group_dot %
// CHECK-NEXT:      tt.load
tt.func @two_dots(%a: !raw, %raw: !raw, %b: !b, %n: i32, %rp: !row_ptrs) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %there = ttg.async_wait {num = 2 : i32}
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !raw -> !a
    %bv = ttg.local_load %raw {dotload.staged = "copy"} : !raw -> !runs
    ttg.local_store %bv, %b : !runs -> !b
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !acc
    %e = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !acc
    %r = tt.load %rp : !row_ptrs
    %done, %other = ttng.warp_group_dot_wait %d, %e {pendings = 0 : i32} : !acc, !acc
    %r1 = tt.expand_dims %r {axis = 1 : i32} : !rows -> tensor<64x1xf32, #mma>
    %rs = tt.broadcast %r1 : tensor<64x1xf32, #mma> -> !acc
    %x = arith.mulf %done, %rs : !acc
    %y = arith.addf %x, %other : !acc
    %s = arith.addf %acc, %y : !acc
    scf.yield %s : !acc
  }
  tt.return %sum : !acc
}

// COM: The dot is in an inner loop.
// CHECK-LABEL: @no_dot
// CHECK:         scf.for
// CHECK-NEXT:      ttg.async_wait
// CHECK:           ttg.local_store
// CHECK-NEXT:      tt.load
// CHECK:           scf.for
tt.func @no_dot(%a: !raw, %raw: !raw, %b: !b, %n: i32, %rp: !row_ptrs) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %there = ttg.async_wait {num = 2 : i32}
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !raw -> !a
    %bv = ttg.local_load %raw {dotload.staged = "copy"} : !raw -> !runs
    ttg.local_store %bv, %b : !runs -> !b
    %r = tt.load %rp : !row_ptrs
    %r1 = tt.expand_dims %r {axis = 1 : i32} : !rows -> tensor<64x1xf32, #mma>
    %rs = tt.broadcast %r1 : tensor<64x1xf32, #mma> -> !acc
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%inner = %acc) -> (!acc) : i32 {
      %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !acc
      %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
      %y = arith.mulf %done, %rs : !acc
      %more = arith.addf %inner, %y : !acc
      scf.yield %more : !acc
    }
    scf.yield %s : !acc
  }
  tt.return %sum : !acc
}

// COM: The load is volatile.
// CHECK-LABEL: @volatile
// CHECK:         scf.for
// CHECK-NEXT:      ttg.async_wait
// CHECK:           ttng.warp_group_dot %
// CHECK-NEXT:      tt.load
tt.func @volatile(%a: !raw, %raw: !raw, %b: !b, %n: i32, %rp: !row_ptrs) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %there = ttg.async_wait {num = 2 : i32}
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !raw -> !a
    %bv = ttg.local_load %raw {dotload.staged = "copy"} : !raw -> !runs
    ttg.local_store %bv, %b : !runs -> !b
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !acc
    %r = tt.load %rp {isVolatile = true} : !row_ptrs
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %r1 = tt.expand_dims %r {axis = 1 : i32} : !rows -> tensor<64x1xf32, #mma>
    %rs = tt.broadcast %r1 : tensor<64x1xf32, #mma> -> !acc
    %y = arith.mulf %done, %rs : !acc
    %s = arith.addf %acc, %y : !acc
    scf.yield %s : !acc
  }
  tt.return %sum : !acc
}

// COM: The loaded value is added to the result, so it is not a scale, although the sum is multiplied.
// CHECK-LABEL: @added
// CHECK:         scf.for
// CHECK-NEXT:      ttg.async_wait
// CHECK:           ttng.warp_group_dot %
// CHECK-NEXT:      tt.load
tt.func @added(%a: !raw, %raw: !raw, %b: !b, %n: i32, %rp: !row_ptrs) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %two = arith.constant dense<2.0> : !acc
  %zero = arith.constant dense<0.0> : !acc
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %there = ttg.async_wait {num = 2 : i32}
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !raw -> !a
    %bv = ttg.local_load %raw {dotload.staged = "copy"} : !raw -> !runs
    ttg.local_store %bv, %b : !runs -> !b
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !acc
    %r = tt.load %rp : !row_ptrs
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %r1 = tt.expand_dims %r {axis = 1 : i32} : !rows -> tensor<64x1xf32, #mma>
    %rs = tt.broadcast %r1 : tensor<64x1xf32, #mma> -> !acc
    %y = arith.addf %done, %rs : !acc
    %z = arith.mulf %y, %two : !acc
    %s = arith.addf %acc, %z : !acc
    scf.yield %s : !acc
  }
  tt.return %sum : !acc
}

// COM: Some of the 16 columns have one scale, others another: 16 registers.
// CHECK-LABEL: @masked
// CHECK:         scf.for
// CHECK-NEXT:      ttg.async_wait
// CHECK:           ttng.warp_group_dot %
// CHECK-NEXT:      tt.load
tt.func @masked(%a: !raw, %raw: !raw, %b: !b, %n: i32, %p: !tt.ptr<f32>, %mask: tensor<64xi1, #ttg.slice<{dim = 0, parent = #mma}>>) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %cp = tt.splat %p : !tt.ptr<f32> -> !column_ptrs
  %zero = arith.constant dense<0.0> : !acc
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %there = ttg.async_wait {num = 2 : i32}
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !raw -> !a
    %bv = ttg.local_load %raw {dotload.staged = "copy"} : !raw -> !runs
    ttg.local_store %bv, %b : !runs -> !b
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !acc
    %c = tt.load %cp, %mask : !column_ptrs
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %c1s = tt.expand_dims %c {axis = 0 : i32} : !columns -> tensor<1x64xf32, #mma>
    %cs = tt.broadcast %c1s : tensor<1x64xf32, #mma> -> !acc
    %y = arith.mulf %done, %cs : !acc
    %s = arith.addf %acc, %y : !acc
    scf.yield %s : !acc
  }
  tt.return %sum : !acc
}
}
