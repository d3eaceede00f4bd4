// RUN: dotload-opt %s --load-scales-ahead='num-stages=4' --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t
// RUN: dotload-opt %s --load-scales-ahead='num-stages=1' | FileCheck %s --check-prefix=UNPIPELINED
// RUN: dotload-opt %s --load-scales-ahead='num-stages=60' | FileCheck %s --check-prefix=ROOM
// UNPIPELINED-LABEL: @row
// UNPIPELINED-NOT: tt.latency
// UNPIPELINED-LABEL: @wide_row
// UNPIPELINED-LABEL: @number
// UNPIPELINED:      tt.latency = 2

// COM: A block's 227 KB hold 37 pairs of tiles of 2 and 4 KB.
// ROOM-LABEL: @row
// ROOM:       tt.load %{{.*}} {tt.latency = 37 : i32} : tensor<64x64x!tt.ptr<i8>

#down = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#single = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [0, 1]}>
#along = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#many = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#fa = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#fb = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
#group = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
#fours = #ttg.linear<{register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 0]], warp = [[0, 0], [0, 0]], block = []}>
#cube = #ttg.blocked<{sizePerThread = [1, 4, 4], threadsPerWarp = [1, 8, 4], warpsPerCTA = [1, 1, 4], order = [2, 1, 0]}>
!a = tensor<16x64xf16, #along>
!b = tensor<64x64xi8, #down>
!ap = tensor<16x64x!tt.ptr<f16>, #along>
!bp = tensor<64x64x!tt.ptr<i8>, #down>
!sp = tensor<1x64x!tt.ptr<f16>, #fb>
!c = tensor<16x64xf32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Tiles keep the latency that Triton would give them; the row is loaded one iteration ahead.
// CHECK-LABEL: @row
// CHECK:       tt.load %{{.*}} {tt.latency = 3 : i32} : tensor<16x64x!tt.ptr<f16>
// CHECK:       tt.load %{{.*}} {tt.latency = 3 : i32} : tensor<64x64x!tt.ptr<i8>
// CHECK:       tt.load %{{.*}} {tt.latency = 1 : i32} : tensor<1x64x!tt.ptr<f16>
// REMARK:      load-scales-ahead: loaded one iteration ahead, into registers
tt.func @row(%ap: !ap, %bp: !bp, %sp: !sp, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %a = tt.load %ap : !ap
    %x = ttg.convert_layout %a : !a -> tensor<16x64xf16, #fa>
    %b = tt.load %bp : !bp
    %y = ttg.convert_layout %b : !b -> tensor<64x64xi8, #fb>
    %s = tt.load %sp : !sp
    %w = arith.sitofp %y : tensor<64x64xi8, #fb> to tensor<64x64xf16, #fb>
    %t = tt.broadcast %s : tensor<1x64xf16, #fb> -> tensor<64x64xf16, #fb>
    %h = arith.mulf %w, %t : tensor<64x64xf16, #fb>
    %d = tt.dot %x, %h, %acc : tensor<16x64xf16, #fa> * tensor<64x64xf16, #fb> -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: The loop carries the offsets that bound A. A piece of 16 bytes is masked as a whole, so Triton copies A.
// CHECK-LABEL: @carried_bound
// CHECK:       tt.load %{{.*}}, %{{.*}} {tt.latency = 3 : i32} : tensor<16x64x!tt.ptr<f16>
// CHECK:       tt.load %{{.*}} {tt.latency = 3 : i32} : tensor<64x64x!tt.ptr<i8>
// CHECK:       tt.load %{{.*}} {tt.latency = 1 : i32} : tensor<1x64x!tt.ptr<f16>
tt.func @carried_bound(%ap: !ap, %bp: !bp, %sp: !sp, %n: i32, %K: i32 {tt.divisibility = 16 : i32}) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %step = arith.constant dense<64> : tensor<64xi32, #ttg.slice<{dim = 0, parent = #along}>>
  %first = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #along}>>
  %bound = tt.splat %K : i32 -> tensor<64xi32, #ttg.slice<{dim = 0, parent = #along}>>
  %r, %last = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %k = %first) -> (!c, tensor<64xi32, #ttg.slice<{dim = 0, parent = #along}>>) : i32 {
    %less = arith.cmpi slt, %k, %bound : tensor<64xi32, #ttg.slice<{dim = 0, parent = #along}>>
    %row = tt.expand_dims %less {axis = 0 : i32} : tensor<64xi1, #ttg.slice<{dim = 0, parent = #along}>> -> tensor<1x64xi1, #along>
    %mask = tt.broadcast %row : tensor<1x64xi1, #along> -> tensor<16x64xi1, #along>
    %a = tt.load %ap, %mask : !ap
    %x = ttg.convert_layout %a : !a -> tensor<16x64xf16, #fa>
    %b = tt.load %bp : !bp
    %y = ttg.convert_layout %b : !b -> tensor<64x64xi8, #fb>
    %s = tt.load %sp : !sp
    %w = arith.sitofp %y : tensor<64x64xi8, #fb> to tensor<64x64xf16, #fb>
    %t = tt.broadcast %s : tensor<1x64xf16, #fb> -> tensor<64x64xf16, #fb>
    %h = arith.mulf %w, %t : tensor<64x64xf16, #fb>
    %d = tt.dot %x, %h, %acc : tensor<16x64xf16, #fa> * tensor<64x64xf16, #fb> -> !c
    %next = arith.addi %k, %step : tensor<64xi32, #ttg.slice<{dim = 0, parent = #along}>>
    scf.yield %d, %next : !c, tensor<64xi32, #ttg.slice<{dim = 0, parent = #along}>>
  }
  tt.return %r : !c
}

// COM: A tile of scales, two bytes per thread, with a scale per column for each of two groups of k: loaded ahead as
// COM: well.
// CHECK-LABEL: @tile
// CHECK:       tt.load %{{.*}} {tt.latency = 3 : i32} : tensor<16x64x!tt.ptr<f16>
// CHECK:       tt.load %{{.*}} {tt.latency = 3 : i32} : tensor<64x64x!tt.ptr<i8>
// CHECK:       tt.load %{{.*}} {tt.latency = 1 : i32} : tensor<2x64x!tt.ptr<i8>
tt.func @tile(%ap: !ap, %bp: !bp, %sp: tensor<2x64x!tt.ptr<i8>, #group>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %a = tt.load %ap : !ap
    %x = ttg.convert_layout %a : !a -> tensor<16x64xf16, #fa>
    %b = tt.load %bp : !bp
    %y = ttg.convert_layout %b : !b -> tensor<64x64xi8, #fb>
    %s = tt.load %sp : tensor<2x64x!tt.ptr<i8>, #group>
    %f = arith.sitofp %s : tensor<2x64xi8, #group> to tensor<2x64xf16, #group>
    %e = ttg.convert_layout %f : tensor<2x64xf16, #group> -> tensor<2x64xf16, #ttg.slice<{dim = 1, parent = #cube}>>
    %g = tt.expand_dims %e {axis = 1 : i32} : tensor<2x64xf16, #ttg.slice<{dim = 1, parent = #cube}>> -> tensor<2x1x64xf16, #cube>
    %h = tt.broadcast %g : tensor<2x1x64xf16, #cube> -> tensor<2x32x64xf16, #cube>
    %t = tt.reshape %h allow_reorder : tensor<2x32x64xf16, #cube> -> tensor<64x64xf16, #fb>
    %w = arith.sitofp %y : tensor<64x64xi8, #fb> to tensor<64x64xf16, #fb>
    %p = arith.mulf %w, %t : tensor<64x64xf16, #fb>
    %d = tt.dot %x, %p, %acc : tensor<16x64xf16, #fa> * tensor<64x64xf16, #fb> -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: A row of 32 bits is copied asynchronously: Triton pipelines it.
// CHECK-LABEL: @wide_row
// CHECK-NOT:   tt.latency
// CHECK:       tt.return
tt.func @wide_row(%ap: !ap, %bp: !bp, %sp: tensor<1x64x!tt.ptr<f32>, #fb>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %a = tt.load %ap : !ap
    %x = ttg.convert_layout %a : !a -> tensor<16x64xf16, #fa>
    %b = tt.load %bp : !bp
    %y = ttg.convert_layout %b : !b -> tensor<64x64xi8, #fb>
    %s = tt.load %sp : tensor<1x64x!tt.ptr<f32>, #fb>
    %w = arith.sitofp %y : tensor<64x64xi8, #fb> to tensor<64x64xf32, #fb>
    %t = tt.broadcast %s : tensor<1x64xf32, #fb> -> tensor<64x64xf32, #fb>
    %g = arith.mulf %w, %t : tensor<64x64xf32, #fb>
    %h = arith.truncf %g : tensor<64x64xf32, #fb> to tensor<64x64xf16, #fb>
    %d = tt.dot %x, %h, %acc : tensor<16x64xf16, #fa> * tensor<64x64xf16, #fb> -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: Triton does not pipeline a tile that is loaded by single bytes: the row stays.
// CHECK-LABEL: @tile_of_single_bytes
// CHECK-NOT:   tt.latency
// CHECK:       tt.return
tt.func @tile_of_single_bytes(%ap: !ap, %bp: tensor<64x64x!tt.ptr<i8>, #single>, %sp: !sp, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %a = tt.load %ap : !ap
    %x = ttg.convert_layout %a : !a -> tensor<16x64xf16, #fa>
    %b = tt.load %bp : tensor<64x64x!tt.ptr<i8>, #single>
    %y = ttg.convert_layout %b : tensor<64x64xi8, #single> -> tensor<64x64xi8, #fb>
    %s = tt.load %sp : !sp
    %w = arith.sitofp %y : tensor<64x64xi8, #fb> to tensor<64x64xf16, #fb>
    %t = tt.broadcast %s : tensor<1x64xf16, #fb> -> tensor<64x64xf16, #fb>
    %h = arith.mulf %w, %t : tensor<64x64xf16, #fb>
    %d = tt.dot %x, %h, %acc : tensor<16x64xf16, #fa> * tensor<64x64xf16, #fb> -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: The user has set a latency on one of several loads: the row stays.
// CHECK-LABEL: @told
// CHECK-NOT:   tt.latency = 1
// CHECK:       tt.return
tt.func @told(%ap: !ap, %bp: !bp, %sp: !sp, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %a = tt.load %ap {tt.latency = 2 : i32} : !ap
    %x = ttg.convert_layout %a : !a -> tensor<16x64xf16, #fa>
    %b = tt.load %bp : !bp
    %y = ttg.convert_layout %b : !b -> tensor<64x64xi8, #fb>
    %s = tt.load %sp : !sp
    %w = arith.sitofp %y : tensor<64x64xi8, #fb> to tensor<64x64xf16, #fb>
    %t = tt.broadcast %s : tensor<1x64xf16, #fb> -> tensor<64x64xf16, #fb>
    %h = arith.mulf %w, %t : tensor<64x64xf16, #fb>
    %d = tt.dot %x, %h, %acc : tensor<16x64xf16, #fa> * tensor<64x64xf16, #fb> -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: A thread has four neighbours of the row, in whatever layout: Triton copies it with the tiles, and nothing is told.
// CHECK-LABEL: @row_in_vectors
// CHECK-NOT:   tt.latency
// CHECK:       tt.return
tt.func @row_in_vectors(%ap: !ap, %bp: !bp, %sp: tensor<1x64x!tt.ptr<f16>, #fours>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %a = tt.load %ap : !ap
    %x = ttg.convert_layout %a : !a -> tensor<16x64xf16, #fa>
    %b = tt.load %bp : !bp
    %y = ttg.convert_layout %b : !b -> tensor<64x64xi8, #fb>
    %s = tt.load %sp : tensor<1x64x!tt.ptr<f16>, #fours>
    %z = ttg.convert_layout %s : tensor<1x64xf16, #fours> -> tensor<1x64xf16, #fb>
    %w = arith.sitofp %y : tensor<64x64xi8, #fb> to tensor<64x64xf16, #fb>
    %t = tt.broadcast %z : tensor<1x64xf16, #fb> -> tensor<64x64xf16, #fb>
    %h = arith.mulf %w, %t : tensor<64x64xf16, #fb>
    %d = tt.dot %x, %h, %acc : tensor<16x64xf16, #fa> * tensor<64x64xf16, #fb> -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: The row would take 32 registers of each thread: it stays.
// CHECK-LABEL: @row_of_many_registers
// CHECK-NOT:   tt.latency
// CHECK:       tt.return
tt.func @row_of_many_registers(%ap: !ap, %bp: !bp, %sp: tensor<1x64x!tt.ptr<f16>, #many>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %a = tt.load %ap : !ap
    %x = ttg.convert_layout %a : !a -> tensor<16x64xf16, #fa>
    %b = tt.load %bp : !bp
    %y = ttg.convert_layout %b : !b -> tensor<64x64xi8, #fb>
    %s = tt.load %sp : tensor<1x64x!tt.ptr<f16>, #many>
    %z = ttg.convert_layout %s : tensor<1x64xf16, #many> -> tensor<1x64xf16, #fb>
    %t = tt.broadcast %z : tensor<1x64xf16, #fb> -> tensor<64x64xf16, #fb>
    %w = arith.sitofp %y : tensor<64x64xi8, #fb> to tensor<64x64xf16, #fb>
    %h = arith.mulf %w, %t : tensor<64x64xf16, #fb>
    %d = tt.dot %x, %h, %acc : tensor<16x64xf16, #fa> * tensor<64x64xf16, #fb> -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: Tiles are found through an index, which Triton loads ahead of them: the row stays.
// CHECK-LABEL: @through_an_index
// CHECK-NOT:   tt.latency
// CHECK:       tt.return
tt.func @through_an_index(%ap: !ap, %bp: !bp, %sp: !sp, %ip: !tt.ptr<i32>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %page = tt.load %ip : !tt.ptr<i32>
    %offset = tt.splat %page : i32 -> tensor<64x64xi32, #down>
    %at = tt.addptr %bp, %offset : !bp, tensor<64x64xi32, #down>
    %a = tt.load %ap : !ap
    %x = ttg.convert_layout %a : !a -> tensor<16x64xf16, #fa>
    %b = tt.load %at : !bp
    %y = ttg.convert_layout %b : !b -> tensor<64x64xi8, #fb>
    %s = tt.load %sp : !sp
    %w = arith.sitofp %y : tensor<64x64xi8, #fb> to tensor<64x64xf16, #fb>
    %t = tt.broadcast %s : tensor<1x64xf16, #fb> -> tensor<64x64xf16, #fb>
    %h = arith.mulf %w, %t : tensor<64x64xf16, #fb>
    %d = tt.dot %x, %h, %acc : tensor<16x64xf16, #fa> * tensor<64x64xf16, #fb> -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: The loop may write what the next iteration loads: the row stays.
// CHECK-LABEL: @written_in_the_loop
// CHECK-NOT:   tt.latency
// CHECK:       tt.return
tt.func @written_in_the_loop(%ap: !ap, %bp: !bp, %sp: !sp, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %a = tt.load %ap : !ap
    %x = ttg.convert_layout %a : !a -> tensor<16x64xf16, #fa>
    %b = tt.load %bp : !bp
    %y = ttg.convert_layout %b : !b -> tensor<64x64xi8, #fb>
    %s = tt.load %sp : !sp
    %w = arith.sitofp %y : tensor<64x64xi8, #fb> to tensor<64x64xf16, #fb>
    %t = tt.broadcast %s : tensor<1x64xf16, #fb> -> tensor<64x64xf16, #fb>
    %h = arith.mulf %w, %t : tensor<64x64xf16, #fb>
    %d = tt.dot %x, %h, %acc : tensor<16x64xf16, #fa> * tensor<64x64xf16, #fb> -> !c
    tt.store %sp, %s : !sp
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: A volatile row stays.
// CHECK-LABEL: @volatile
// CHECK-NOT:   tt.latency
// CHECK:       tt.return
tt.func @volatile(%ap: !ap, %bp: !bp, %sp: !sp, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %a = tt.load %ap : !ap
    %x = ttg.convert_layout %a : !a -> tensor<16x64xf16, #fa>
    %b = tt.load %bp : !bp
    %y = ttg.convert_layout %b : !b -> tensor<64x64xi8, #fb>
    %s = tt.load %sp {isVolatile = true} : !sp
    %w = arith.sitofp %y : tensor<64x64xi8, #fb> to tensor<64x64xf16, #fb>
    %t = tt.broadcast %s : tensor<1x64xf16, #fb> -> tensor<64x64xf16, #fb>
    %h = arith.mulf %w, %t : tensor<64x64xf16, #fb>
    %d = tt.dot %x, %h, %acc : tensor<16x64xf16, #fa> * tensor<64x64xf16, #fb> -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: The row is used in a branch only, not by the dot, and Triton would not load it ahead: it stays.
// CHECK-LABEL: @for_a_branch
// CHECK-NOT:   tt.latency
// CHECK:       tt.return
tt.func @for_a_branch(%ap: !ap, %bp: !bp, %sp: !sp, %ep: !tt.ptr<f32>, %n: i32) -> (!c, f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %none = arith.constant 0.0 : f32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %sum = %none) -> (!c, f32) : i32 {
    %a = tt.load %ap : !ap
    %x = ttg.convert_layout %a : !a -> tensor<16x64xf16, #fa>
    %b = tt.load %bp : !bp
    %y = ttg.convert_layout %b : !b -> tensor<64x64xi8, #fb>
    %s = tt.load %sp : !sp
    %w = arith.sitofp %y : tensor<64x64xi8, #fb> to tensor<64x64xf16, #fb>
    %t = tt.broadcast %s : tensor<1x64xf16, #fb> -> tensor<64x64xf16, #fb>
    %h = arith.mulf %w, %t : tensor<64x64xf16, #fb>
    %d = tt.dot %x, %h, %acc : tensor<16x64xf16, #fa> * tensor<64x64xf16, #fb> -> !c
    %e = tt.load %ep : !tt.ptr<f32>
    %q = arith.cmpi sgt, %i, %c1 : i32
    %u = scf.if %q -> (f32) {
      %v = arith.addf %e, %sum : f32
      scf.yield %v : f32
    } else {
      scf.yield %sum : f32
    }
    scf.yield %d, %u : !c, f32
  }
  tt.return %r#0, %r#1 : !c, f32
}

// COM: Triton does not pipeline a loop with an inner loop: the row stays.
// CHECK-LABEL: @loop_in_the_loop
// CHECK-NOT:   tt.latency
// CHECK:       tt.return
tt.func @loop_in_the_loop(%ap: !ap, %bp: !bp, %sp: !sp, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %a = tt.load %ap : !ap
    %x = ttg.convert_layout %a : !a -> tensor<16x64xf16, #fa>
    %b = tt.load %bp : !bp
    %y = ttg.convert_layout %b : !b -> tensor<64x64xi8, #fb>
    %s = tt.load %sp : !sp
    %w = arith.sitofp %y : tensor<64x64xi8, #fb> to tensor<64x64xf16, #fb>
    %t = tt.broadcast %s : tensor<1x64xf16, #fb> -> tensor<64x64xf16, #fb>
    %h = arith.mulf %w, %t : tensor<64x64xf16, #fb>
    %d = tt.dot %x, %h, %acc : tensor<16x64xf16, #fa> * tensor<64x64xf16, #fb> -> !c
    %u = scf.for %j = %c0 to %i step %c1 iter_args(%v = %d) -> (!c) : i32 {
      %x2 = arith.addf %v, %v : !c
      scf.yield %x2 : !c
    }
    scf.yield %u : !c
  }
  tt.return %r : !c
}

// COM: A 16-bit scalar is loaded ahead like a row; the loop's own number of stages takes precedence.
// CHECK-LABEL: @number
// CHECK:       tt.load %{{.*}} {tt.latency = 2 : i32} : tensor<64x64x!tt.ptr<i8>
// CHECK:       tt.load %{{.*}} {tt.latency = 1 : i32} : !tt.ptr<f16>
tt.func @number(%ap: !ap, %bp: !bp, %sp: !tt.ptr<f16>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %a = tt.load %ap : !ap
    %x = ttg.convert_layout %a : !a -> tensor<16x64xf16, #fa>
    %b = tt.load %bp : !bp
    %y = ttg.convert_layout %b : !b -> tensor<64x64xi8, #fb>
    %s = tt.load %sp : !tt.ptr<f16>
    %w = arith.sitofp %y : tensor<64x64xi8, #fb> to tensor<64x64xf16, #fb>
    %t = tt.splat %s : f16 -> tensor<64x64xf16, #fb>
    %h = arith.mulf %w, %t : tensor<64x64xf16, #fb>
    %d = tt.dot %x, %h, %acc : tensor<16x64xf16, #fa> * tensor<64x64xf16, #fb> -> !c
    scf.yield %d : !c
  } {tt.num_stages = 3 : i32}
  tt.return %r : !c
}

// COM: A column is loaded ahead like a row.
// CHECK-LABEL: @column
// CHECK:       tt.load %{{.*}} {tt.latency = 1 : i32} : tensor<64x1x!tt.ptr<f16>
tt.func @column(%ap: !ap, %bp: !bp, %sp: tensor<64x1x!tt.ptr<f16>, #fb>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %a = tt.load %ap : !ap
    %x = ttg.convert_layout %a : !a -> tensor<16x64xf16, #fa>
    %b = tt.load %bp : !bp
    %y = ttg.convert_layout %b : !b -> tensor<64x64xi8, #fb>
    %s = tt.load %sp : tensor<64x1x!tt.ptr<f16>, #fb>
    %w = arith.sitofp %y : tensor<64x64xi8, #fb> to tensor<64x64xf16, #fb>
    %t = tt.broadcast %s : tensor<64x1xf16, #fb> -> tensor<64x64xf16, #fb>
    %h = arith.mulf %w, %t : tensor<64x64xf16, #fb>
    %d = tt.dot %x, %h, %acc : tensor<16x64xf16, #fa> * tensor<64x64xf16, #fb> -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: Other passes have set latencies on the tiles that they stage, which Triton's pipeliner does not find: only the
// COM: row is left.
// CHECK-LABEL: @copies_are_told
// CHECK:       tt.load %{{.*}} {tt.latency = 2 : i32} : tensor<16x64x!tt.ptr<f16>
// CHECK:       tt.load %{{.*}} {tt.latency = 2 : i32} : tensor<64x64x!tt.ptr<i8>
// CHECK:       tt.load %{{.*}} {tt.latency = 1 : i32} : tensor<1x64x!tt.ptr<f16>
tt.func @copies_are_told(%ap: !ap, %bp: !bp, %sp: !sp, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %a = tt.load %ap {tt.latency = 2 : i32} : !ap
    %x = ttg.convert_layout %a : !a -> tensor<16x64xf16, #fa>
    %b = tt.load %bp {tt.latency = 2 : i32} : !bp
    %y = ttg.convert_layout %b : !b -> tensor<64x64xi8, #fb>
    %s = tt.load %sp : !sp
    %w = arith.sitofp %y : tensor<64x64xi8, #fb> to tensor<64x64xf16, #fb>
    %t = tt.broadcast %s : tensor<1x64xf16, #fb> -> tensor<64x64xf16, #fb>
    %h = arith.mulf %w, %t : tensor<64x64xf16, #fb>
    %d = tt.dot %x, %h, %acc : tensor<16x64xf16, #fa> * tensor<64x64xf16, #fb> -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: Triton gives a tile with unknown strides a vectorized layout, like all loads of a slice, but does not copy it in
// COM: vectors.
// CHECK-LABEL: @any_stride
// CHECK-NOT:   tt.latency
// CHECK:       tt.return
tt.func @any_stride(%ap: !ap, %base: !tt.ptr<i8>, %stride: i32, %sp: !sp, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #down}>>
  %k1 = tt.expand_dims %k {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #down}>> -> tensor<64x1xi32, #down>
  %ks = tt.splat %stride : i32 -> tensor<64x1xi32, #down>
  %rows = arith.muli %k1, %ks : tensor<64x1xi32, #down>
  %offsets = tt.broadcast %rows : tensor<64x1xi32, #down> -> tensor<64x64xi32, #down>
  %bases = tt.splat %base : !tt.ptr<i8> -> !bp
  %bp = tt.addptr %bases, %offsets : !bp, tensor<64x64xi32, #down>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %a = tt.load %ap : !ap
    %x = ttg.convert_layout %a : !a -> tensor<16x64xf16, #fa>
    %b = tt.load %bp : !bp
    %y = ttg.convert_layout %b : !b -> tensor<64x64xi8, #fb>
    %s = tt.load %sp : !sp
    %w = arith.sitofp %y : tensor<64x64xi8, #fb> to tensor<64x64xf16, #fb>
    %t = tt.broadcast %s : tensor<1x64xf16, #fb> -> tensor<64x64xf16, #fb>
    %h = arith.mulf %w, %t : tensor<64x64xf16, #fb>
    %d = tt.dot %x, %h, %acc : tensor<16x64xf16, #fa> * tensor<64x64xf16, #fb> -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}
}
