// RUN: dotload-opt %s --unpack-operands-in-registers --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t
// RUN: dotload-opt %s --unpack-operands-in-registers='num-stages=3' | FileCheck %s --check-prefix=PIPELINED

// COM: In a pipelined loop, the tile is copied to shared memory in a swizzle without bank conflicts for such reads.
// COM: Triton's pipeliner does not find its load, so the pass sets the latencies of both loads.
// PIPELINED:       #[[COPY:.*]] = #ttg.swizzled_shared<{vec = 16, perPhase = 4, maxPhase = 2, order = [0, 1]}>
// PIPELINED-LABEL: @halves
// PIPELINED:       tt.load {{.*}} {tt.latency = 2 : i32} : tensor<64x64x!tt.ptr<f16>
// PIPELINED:       %[[B:.*]] = tt.load {{.*}} {tt.latency = 2 : i32} : tensor<32x128x!tt.ptr<i8>
// PIPELINED:       %[[M:.*]] = ttg.local_alloc %[[B]] : {{.*}} -> !ttg.memdesc<32x128xi8, #[[COPY]]
// PIPELINED:       %[[P:.*]] = ttg.local_load %[[M]]
// PIPELINED:       arith.andi %[[P]],
// PIPELINED-LABEL: @loop_in_the_loop
// PIPELINED:       ttng.warp_group_dot {{.*}} -> tensor<64x128xf32,
// PIPELINED-LABEL: @told
// PIPELINED:       %[[B:.*]] = tt.load {{.*}} {tt.latency = 3 : i32} : tensor<32x128x!tt.ptr<i8>
// PIPELINED:       ttg.convert_layout %[[B]]
// PIPELINED-LABEL: @read_otherwise
// PIPELINED-NOT:   tt.latency
// PIPELINED:       %[[B:.*]] = tt.load %{{[^ ]*}} : tensor<32x128x!tt.ptr<i8>
// PIPELINED:       ttg.convert_layout %[[B]]
// PIPELINED-LABEL: @written
// PIPELINED:       %[[B:.*]] = tt.load %{{[^ ]*}} : tensor<32x128x!tt.ptr<i8>
// PIPELINED:       ttg.convert_layout %[[B]]
// PIPELINED-LABEL: @found_through_an_index
// PIPELINED:       %[[B:.*]] = tt.load {{.*}} : tensor<32x128x!tt.ptr<i8>
// PIPELINED:       ttg.convert_layout %[[B]]

// COM: A byte packs two values, which two ops unpack and tt.join joins: all users of the tile lead to the operand. A
// COM: thread reads one byte, with its two neighbours along K. 8 warps are along the 128 columns.

#down = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [2, 16], warpsPerCTA = [1, 8], order = [0, 1]}>
#joined = #ttg.blocked<{sizePerThread = [16, 1, 2], threadsPerWarp = [2, 16, 1], warpsPerCTA = [1, 8, 1], order = [2, 0, 1]}>
#turned = #ttg.blocked<{sizePerThread = [16, 2, 1], threadsPerWarp = [2, 1, 16], warpsPerCTA = [1, 1, 8], order = [1, 0, 2]}>
#flat = #ttg.blocked<{sizePerThread = [32, 1], threadsPerWarp = [2, 16], warpsPerCTA = [1, 8], order = [0, 1]}>
#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 2], instrShape = [16, 64, 16]}>
#mma32 = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 2], instrShape = [16, 32, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#sharedt = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
!a = !ttg.memdesc<64x64xf16, #shared, #smem>
!b = !ttg.memdesc<64x128xf16, #sharedt, #smem>
!p = tensor<32x128xi8, #down>
!h = tensor<32x128xf16, #down>
!c = tensor<64x128xf32, #mma>
!b64 = !ttg.memdesc<64x64xf16, #sharedt, #smem>
!p64 = tensor<32x64xi8, #down>
!h64 = tensor<32x64xf16, #down>
!c64 = tensor<64x64xf32, #mma32>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// CHECK:       #[[MMA:.*]] = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 64, 16]}>
// CHECK-LABEL: @halves
// CHECK:       %[[B:.*]] = tt.load {{.*}} : tensor<32x128x!tt.ptr<i8>
// CHECK:       %[[P:.*]] = ttg.convert_layout %[[B]]
// CHECK-NOT:   ttg.convert_layout
// CHECK:       arith.andi %[[P]],
// CHECK:       arith.shrui %[[P]],
// CHECK:       ttng.warp_group_dot {{.*}} -> tensor<128x64xf32, #[[MMA]]>
// COM: K is contiguous already: only wider integers would help.
// REMARK:      unpack-operands-in-registers: threads read the packed tile from shared memory by single bytes; pack more numbers along K in an integer: B (K-major, 8 bits, tile 32x128) [ACCESSED_BY_BYTES]
tt.func @halves(%ap: tensor<64x64x!tt.ptr<f16>, #rows>, %bp: tensor<32x128x!tt.ptr<i8>, #down>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %mask = arith.constant dense<15> : !p
  %four = arith.constant dense<4> : !p
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %al = tt.load %ap : tensor<64x64x!tt.ptr<f16>, #rows>
    %a = ttg.local_alloc %al : (tensor<64x64xf16, #rows>) -> !a
    %b = tt.load %bp : tensor<32x128x!tt.ptr<i8>, #down>
    %l = arith.andi %b, %mask : !p
    %u = arith.shrui %b, %four : !p
    %lf = arith.uitofp %l : !p to !h
    %uf = arith.uitofp %u : !p to !h
    %j = tt.join %lf, %uf : !h -> tensor<32x128x2xf16, #joined>
    %t = tt.trans %j {order = array<i32: 0, 2, 1>} : tensor<32x128x2xf16, #joined> -> tensor<32x2x128xf16, #turned>
    %f = tt.reshape %t : tensor<32x2x128xf16, #turned> -> tensor<64x128xf16, #flat>
    %m = ttg.local_alloc %f : (tensor<64x128xf16, #flat>) -> !b
    %d = ttng.warp_group_dot %a, %m, %acc {inputPrecision = 0 : i32} : !a * !b -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: Triton does not pipeline a loop with an inner loop, so there is no copy of the tile in shared memory.
// CHECK-LABEL: @loop_in_the_loop
tt.func @loop_in_the_loop(%ap: tensor<64x64x!tt.ptr<f16>, #rows>, %bp: tensor<32x128x!tt.ptr<i8>, #down>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %mask = arith.constant dense<15> : !p
  %four = arith.constant dense<4> : !p
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %al = tt.load %ap : tensor<64x64x!tt.ptr<f16>, #rows>
    %a = ttg.local_alloc %al : (tensor<64x64xf16, #rows>) -> !a
    %b = tt.load %bp : tensor<32x128x!tt.ptr<i8>, #down>
    %l = arith.andi %b, %mask : !p
    %u = arith.shrui %b, %four : !p
    %lf = arith.uitofp %l : !p to !h
    %uf = arith.uitofp %u : !p to !h
    %j = tt.join %lf, %uf : !h -> tensor<32x128x2xf16, #joined>
    %t = tt.trans %j {order = array<i32: 0, 2, 1>} : tensor<32x128x2xf16, #joined> -> tensor<32x2x128xf16, #turned>
    %f = tt.reshape %t : tensor<32x2x128xf16, #turned> -> tensor<64x128xf16, #flat>
    %m = ttg.local_alloc %f : (tensor<64x128xf16, #flat>) -> !b
    %d = ttng.warp_group_dot %a, %m, %acc {inputPrecision = 0 : i32} : !a * !b -> !c
    %x = scf.for %k = %c0 to %i step %c1 iter_args(%v = %c0) -> (i32) : i32 {
      %y = arith.addi %v, %k : i32
      scf.yield %y : i32
    }
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: The user has set a latency.
// CHECK-LABEL: @told
tt.func @told(%ap: tensor<64x64x!tt.ptr<f16>, #rows>, %bp: tensor<32x128x!tt.ptr<i8>, #down>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %mask = arith.constant dense<15> : !p
  %four = arith.constant dense<4> : !p
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %al = tt.load %ap : tensor<64x64x!tt.ptr<f16>, #rows>
    %a = ttg.local_alloc %al : (tensor<64x64xf16, #rows>) -> !a
    %b = tt.load %bp {tt.latency = 3 : i32} : tensor<32x128x!tt.ptr<i8>, #down>
    %l = arith.andi %b, %mask : !p
    %u = arith.shrui %b, %four : !p
    %lf = arith.uitofp %l : !p to !h
    %uf = arith.uitofp %u : !p to !h
    %j = tt.join %lf, %uf : !h -> tensor<32x128x2xf16, #joined>
    %t = tt.trans %j {order = array<i32: 0, 2, 1>} : tensor<32x128x2xf16, #joined> -> tensor<32x2x128xf16, #turned>
    %f = tt.reshape %t : tensor<32x2x128xf16, #turned> -> tensor<64x128xf16, #flat>
    %m = ttg.local_alloc %f : (tensor<64x128xf16, #flat>) -> !b
    %d = ttng.warp_group_dot %a, %m, %acc {inputPrecision = 0 : i32} : !a * !b -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: A has another use: Triton's pipeliner would overwrite it while the dot reads it (`lacks_buffer`).
// CHECK-LABEL: @read_otherwise
tt.func @read_otherwise(%ap: tensor<64x64x!tt.ptr<f16>, #rows>, %bp: tensor<32x128x!tt.ptr<i8>, #down>, %n: i32) -> (!c, tensor<64x64xf16, #rows>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %mask = arith.constant dense<15> : !p
  %four = arith.constant dense<4> : !p
  %none = arith.constant dense<0.0> : tensor<64x64xf16, #rows>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %all = %none) -> (!c, tensor<64x64xf16, #rows>) : i32 {
    %al = tt.load %ap : tensor<64x64x!tt.ptr<f16>, #rows>
    %a = ttg.local_alloc %al : (tensor<64x64xf16, #rows>) -> !a
    %b = tt.load %bp : tensor<32x128x!tt.ptr<i8>, #down>
    %l = arith.andi %b, %mask : !p
    %u = arith.shrui %b, %four : !p
    %lf = arith.uitofp %l : !p to !h
    %uf = arith.uitofp %u : !p to !h
    %j = tt.join %lf, %uf : !h -> tensor<32x128x2xf16, #joined>
    %t = tt.trans %j {order = array<i32: 0, 2, 1>} : tensor<32x128x2xf16, #joined> -> tensor<32x2x128xf16, #turned>
    %f = tt.reshape %t : tensor<32x2x128xf16, #turned> -> tensor<64x128xf16, #flat>
    %m = ttg.local_alloc %f : (tensor<64x128xf16, #flat>) -> !b
    %d = ttng.warp_group_dot %a, %m, %acc {inputPrecision = 0 : i32} : !a * !b -> !c
    %o = arith.addf %all, %al : tensor<64x64xf16, #rows>
    scf.yield %d, %o : !c, tensor<64x64xf16, #rows>
  }
  tt.return %r#0, %r#1 : !c, tensor<64x64xf16, #rows>
}

// COM: The loop may write what it loads next.
tt.func @written(%ap: tensor<64x64x!tt.ptr<f16>, #rows>, %bp: tensor<32x128x!tt.ptr<i8>, #down>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %mask = arith.constant dense<15> : !p
  %four = arith.constant dense<4> : !p
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %al = tt.load %ap : tensor<64x64x!tt.ptr<f16>, #rows>
    %a = ttg.local_alloc %al : (tensor<64x64xf16, #rows>) -> !a
    %b = tt.load %bp : tensor<32x128x!tt.ptr<i8>, #down>
    %l = arith.andi %b, %mask : !p
    %u = arith.shrui %b, %four : !p
    %lf = arith.uitofp %l : !p to !h
    %uf = arith.uitofp %u : !p to !h
    %j = tt.join %lf, %uf : !h -> tensor<32x128x2xf16, #joined>
    %t = tt.trans %j {order = array<i32: 0, 2, 1>} : tensor<32x128x2xf16, #joined> -> tensor<32x2x128xf16, #turned>
    %f = tt.reshape %t : tensor<32x2x128xf16, #turned> -> tensor<64x128xf16, #flat>
    %m = ttg.local_alloc %f : (tensor<64x128xf16, #flat>) -> !b
    %d = ttng.warp_group_dot %a, %m, %acc {inputPrecision = 0 : i32} : !a * !b -> !c
    tt.store %bp, %mask : tensor<32x128x!tt.ptr<i8>, #down>
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: Tiles that are found through an index stay as Triton copies them, since Triton divides the stages between both.
tt.func @found_through_an_index(%ap: tensor<64x64x!tt.ptr<f16>, #rows>, %bp: tensor<32x128x!tt.ptr<i8>, #down>, %ip: !tt.ptr<i32>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %mask = arith.constant dense<15> : !p
  %four = arith.constant dense<4> : !p
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %al = tt.load %ap : tensor<64x64x!tt.ptr<f16>, #rows>
    %a = ttg.local_alloc %al : (tensor<64x64xf16, #rows>) -> !a
    %page = tt.load %ip : !tt.ptr<i32>
    %at = tt.splat %page : i32 -> tensor<32x128xi32, #down>
    %bq = tt.addptr %bp, %at : tensor<32x128x!tt.ptr<i8>, #down>, tensor<32x128xi32, #down>
    %b = tt.load %bq : tensor<32x128x!tt.ptr<i8>, #down>
    %l = arith.andi %b, %mask : !p
    %u = arith.shrui %b, %four : !p
    %lf = arith.uitofp %l : !p to !h
    %uf = arith.uitofp %u : !p to !h
    %j = tt.join %lf, %uf : !h -> tensor<32x128x2xf16, #joined>
    %t = tt.trans %j {order = array<i32: 0, 2, 1>} : tensor<32x128x2xf16, #joined> -> tensor<32x2x128xf16, #turned>
    %f = tt.reshape %t : tensor<32x2x128xf16, #turned> -> tensor<64x128xf16, #flat>
    %m = ttg.local_alloc %f : (tensor<64x128xf16, #flat>) -> !b
    %d = ttng.warp_group_dot %a, %m, %acc {inputPrecision = 0 : i32} : !a * !b -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: 64 columns for 8 warps: two warps would hold the same columns and unpack each element twice.
// CHECK-LABEL: @few_columns
// CHECK:       ttg.local_alloc
// CHECK:       ttng.warp_group_dot {{.*}} -> tensor<64x64xf32,
tt.func @few_columns(%a: !a, %bp: tensor<32x64x!tt.ptr<i8>, #down>, %n: i32) -> !c64 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c64
  %mask = arith.constant dense<15> : !p64
  %four = arith.constant dense<4> : !p64
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c64) : i32 {
    %b = tt.load %bp : tensor<32x64x!tt.ptr<i8>, #down>
    %l = arith.andi %b, %mask : !p64
    %u = arith.shrui %b, %four : !p64
    %lf = arith.uitofp %l : !p64 to !h64
    %uf = arith.uitofp %u : !p64 to !h64
    %j = tt.join %lf, %uf : !h64 -> tensor<32x64x2xf16, #joined>
    %t = tt.trans %j {order = array<i32: 0, 2, 1>} : tensor<32x64x2xf16, #joined> -> tensor<32x2x64xf16, #turned>
    %f = tt.reshape %t : tensor<32x2x64xf16, #turned> -> tensor<64x64xf16, #flat>
    %m = ttg.local_alloc %f : (tensor<64x64xf16, #flat>) -> !b64
    %d = ttng.warp_group_dot %a, %m, %acc {inputPrecision = 0 : i32} : !a * !b64 -> !c64
    scf.yield %d : !c64
  }
  tt.return %r : !c64
}
}
