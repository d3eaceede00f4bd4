// RUN: dotload-opt %s -split-input-file --split-dot-along-n --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t
// RUN: dotload-opt %s -split-input-file --split-dot-along-n=in-flight=2 | FileCheck %s --check-prefix=FLIGHT

// COM: 128 registers of result do not fit beside 128 of accumulator.

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 2], instrShape = [16, 256, 32]}>

#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#v = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = true, elementBitWidth = 8}>
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
#smem = #ttg.shared_memory
!x = tensor<64x32xf8E4M3FN, #blocked>
!r = tensor<64x512xf32, #blocked>
!a = tensor<64x32xf8E4M3FN, #dot>
!b = !ttg.memdesc<32x512xf8E4M3FN, #v, #smem, mutable>
!c = tensor<64x512xf32, #mma>
!slice = tensor<64xf32, #ttg.slice<{dim = 1, parent = #mma}>>
!scale = tensor<64xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: The instructions become narrower, so that each warp holds some columns of each half; all types with this
// COM: encoding change.
// CHECK-DAG:   #[[MMA:.*]] = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 2], instrShape = [16, 128, 32]}>
// CHECK-LABEL: @halves
// CHECK:       scf.for
// CHECK:         tt.expand_dims %{{.*}} : tensor<64xf32, #ttg.slice<{dim = 1, parent = #[[MMA]]}>>
// CHECK:         %[[X:.*]] = arith.mulf %{{.*}} : tensor<64x512xf32, #[[MMA]]>
// CHECK:         %[[LO:.*]], %[[HI:.*]] = tt.split
// CHECK:         %[[B0:.*]] = ttg.memdesc_subslice %{{.*}}[0, 0]
// CHECK:         %[[D0:.*]] = ttng.warp_group_dot %[[A:.*]], %[[B0]], %[[ZERO:.*]] {{{.*}}isAsync = true{{.*}}} : {{.*}} -> tensor<64x256xf32, #[[MMA]]>
// CHECK:         %[[X0:.*]] = ttg.convert_layout %[[LO]]
// CHECK:         %[[W0:.*]] = ttng.warp_group_dot_wait %[[D0]] {pendings = 0 : i32}
// CHECK:         %[[S0:.*]] = arith.addf %[[X0]], %[[W0]]
// CHECK:         %[[B1:.*]] = ttg.memdesc_subslice %{{.*}}[0, 256]
// CHECK:         %[[D1:.*]] = ttng.warp_group_dot %[[A]], %[[B1]], %[[ZERO]]
// CHECK:         %[[X1:.*]] = ttg.convert_layout %[[HI]]
// CHECK:         %[[W1:.*]]:2 = ttng.warp_group_dot_wait %[[D1]], %{{.*}} {pendings = 0 : i32}
// CHECK:         %[[S1:.*]] = arith.addf %[[X1]], %[[W1]]#0
// CHECK:         tt.join %[[S0]], %[[S1]]
// CHECK:         %[[SUM:.*]] = ttg.convert_layout %{{.*}} -> tensor<64x512xf32, #[[MMA]]>
// CHECK:         scf.yield %[[SUM]]
// REMARK:      remark: split-dot-along-n: the dot is computed in 2 pieces, each added to the accumulator before the next

// COM: Where ptxas holds two pieces in registers, there are four. Only the last wait forwards memory.
// FLIGHT-LABEL:   @halves
// FLIGHT-COUNT-3: ttng.warp_group_dot_wait {{[^,]*}} {pendings = 0 : i32}
// FLIGHT:         ttng.warp_group_dot {{.*}} -> tensor<64x128xf32
// FLIGHT:         ttng.warp_group_dot_wait %{{.*}}, %{{.*}} {pendings = 0 : i32}
// FLIGHT-NOT:     ttng.warp_group_dot
// FLIGHT:         scf.yield
tt.func @halves(%xs: !x, %b: !b, %scale: !scale, %n: i32) -> !r {
  %x = ttg.convert_layout %xs : !x -> !a
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %near = ttg.convert_layout %scale : !scale -> !slice
    %rows = tt.expand_dims %near {axis = 1 : i32} : !slice -> tensor<64x1xf32, #mma>
    %all = tt.broadcast %rows : tensor<64x1xf32, #mma> -> !c
    %scaled = arith.mulf %acc, %all : !c
    %d = ttng.warp_group_dot %x, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !c
    %w, %m = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : !c, !b
    %s = arith.addf %scaled, %w : !c
    scf.yield %s : !c
  }
  %out = ttg.convert_layout %sum : !c -> !r
  tt.return %out : !r
}

// COM: A function of several blocks.
// CHECK-LABEL:   @after_an_early_return
// CHECK-COUNT-2: ttng.warp_group_dot %{{.*}} -> tensor<64x256xf32
tt.func @after_an_early_return(%xs: !x, %b: !b, %scale: !scale, %n: i32, %none: i1, %r: !r) -> !r {
  cf.cond_br %none, ^end, ^go
^end:
  tt.return %r : !r
^go:
  %x = ttg.convert_layout %xs : !x -> !a
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %near = ttg.convert_layout %scale : !scale -> !slice
    %rows = tt.expand_dims %near {axis = 1 : i32} : !slice -> tensor<64x1xf32, #mma>
    %all = tt.broadcast %rows : tensor<64x1xf32, #mma> -> !c
    %scaled = arith.mulf %acc, %all : !c
    %d = ttng.warp_group_dot %x, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !c
    %w, %m = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : !c, !b
    %s = arith.addf %scaled, %w : !c
    scf.yield %s : !c
  }
  %out = ttg.convert_layout %sum : !c -> !r
  tt.return %out : !r
}
}

// -----

// COM: 64 registers of each fit.
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 2], instrShape = [16, 128, 32]}>
#v = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = true, elementBitWidth = 8}>
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
#smem = #ttg.shared_memory
!x = tensor<64x32xf8E4M3FN, #blocked>
!r = tensor<64x256xf32, #blocked>
!a = tensor<64x32xf8E4M3FN, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
!b = !ttg.memdesc<32x256xf8E4M3FN, #v, #smem, mutable>
!c = tensor<64x256xf32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// FLIGHT-LABEL: @fits
// FLIGHT:      ttng.warp_group_dot {{.*}} -> tensor<64x256xf32
// CHECK-LABEL: @fits
// CHECK:       ttng.warp_group_dot {{.*}} -> tensor<64x256xf32
// CHECK-NOT:   ttng.warp_group_dot {{.*}} -> tensor
// CHECK:       tt.return
tt.func @fits(%xs: !x, %b: !b, %n: i32) -> !r {
  %x = ttg.convert_layout %xs : !x -> !a
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %d = ttng.warp_group_dot %x, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !c
    %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !c
    %s = arith.addf %acc, %w : !c
    scf.yield %s : !c
  }
  %out = ttg.convert_layout %sum : !c -> !r
  tt.return %out : !r
}
}

// -----

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 2], instrShape = [16, 256, 32]}>
#v = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = true, elementBitWidth = 8}>
#p = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 8}>
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
#smem = #ttg.shared_memory
!x = tensor<64x32xf8E4M3FN, #blocked>
!r = tensor<64x512xf32, #blocked>
!a = tensor<64x32xf8E4M3FN, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
!as = !ttg.memdesc<64x32xf8E4M3FN, #p, #smem, mutable>
!b = !ttg.memdesc<32x512xf8E4M3FN, #v, #smem, mutable>
!c = tensor<64x512xf32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// COM: A in shared memory would be read twice.
// CHECK-LABEL: @a_in_shared_memory
// CHECK:       ttng.warp_group_dot {{.*}} -> tensor<64x512xf32
tt.func @a_in_shared_memory(%x: !as, %b: !b, %n: i32) -> !r {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %d = ttng.warp_group_dot %x, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !as * !b -> !c
    %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !c
    %s = arith.addf %acc, %w : !c
    scf.yield %s : !c
  }
  %out = ttg.convert_layout %sum : !c -> !r
  tt.return %out : !r
}

// COM: The dot accumulates by itself, so there is one set of registers.
// CHECK-LABEL: @adds_to_its_accumulator
// CHECK:       ttng.warp_group_dot {{.*}} -> tensor<64x512xf32
tt.func @adds_to_its_accumulator(%xs: !x, %b: !b, %n: i32) -> !r {
  %x = ttg.convert_layout %xs : !x -> !a
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %d = ttng.warp_group_dot %x, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !c
    %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !c
    scf.yield %w : !c
  }
  %out = ttg.convert_layout %sum : !c -> !r
  tt.return %out : !r
}

// COM: The result has another use before the addition.
// CHECK-LABEL: @another_use
// CHECK:       ttng.warp_group_dot {{.*}} -> tensor<64x512xf32
tt.func @another_use(%xs: !x, %b: !b, %n: i32) -> !r {
  %x = ttg.convert_layout %xs : !x -> !a
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %d = ttng.warp_group_dot %x, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !c
    %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !c
    %t = arith.mulf %w, %w : !c
    %s = arith.addf %t, %w : !c
    scf.yield %s : !c
  }
  %out = ttg.convert_layout %sum : !c -> !r
  tt.return %out : !r
}

// COM: Another dot has results of this encoding, and its instructions would become narrower as well.
// CHECK-LABEL: @another_dot
// CHECK-COUNT-2: ttng.warp_group_dot {{.*}} -> tensor<64x512xf32
// REMARK:      remark: split-dot-along-n: kept ttng.warp_group_dot: another dot, or the function's type, uses the layout of the accumulator [SHARED_LAYOUT]
tt.func @another_dot(%xs: !x, %b: !b, %n: i32) -> (!r, !r) {
  %x = ttg.convert_layout %xs : !x -> !a
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %sum:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %other = %zero) -> (!c, !c) : i32 {
    %e = ttng.warp_group_dot %x, %b, %other {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !c
    %v = ttng.warp_group_dot_wait %e {pendings = 0 : i32} : !c
    %d = ttng.warp_group_dot %x, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !c
    %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !c
    %s = arith.addf %acc, %w : !c
    scf.yield %s, %v : !c, !c
  }
  %out0 = ttg.convert_layout %sum#0 : !c -> !r
  %out1 = ttg.convert_layout %sum#1 : !c -> !r
  tt.return %out0, %out1 : !r, !r
}

// COM: The function returns the result, and its type contains the encoding.
// CHECK-LABEL: @returned
// CHECK:       ttng.warp_group_dot {{.*}} -> tensor<64x512xf32
// REMARK:      [SHARED_LAYOUT]
tt.func private @returned(%xs: !x, %b: !b, %n: i32) -> !c {
  %x = ttg.convert_layout %xs : !x -> !a
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %d = ttng.warp_group_dot %x, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !c
    %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !c
    %s = arith.addf %acc, %w : !c
    scf.yield %s : !c
  }
  tt.return %sum : !c
}
}

// -----

// COM: An accumulator of 256 registers leaves none.
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 2], instrShape = [16, 256, 32]}>
#v = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = true, elementBitWidth = 8}>
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
#smem = #ttg.shared_memory
!x = tensor<64x32xf8E4M3FN, #blocked>
!r = tensor<64x1024xf32, #blocked>
!a = tensor<64x32xf8E4M3FN, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
!b = !ttg.memdesc<32x1024xf8E4M3FN, #v, #smem, mutable>
!c = tensor<64x1024xf32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// CHECK-LABEL: @no_registers
// CHECK:       ttng.warp_group_dot {{.*}} -> tensor<64x1024xf32
// REMARK:      remark: split-dot-along-n: kept ttng.warp_group_dot: the accumulator takes 256 registers per thread; use more warps or smaller tiles [NO_REGISTERS]
tt.func @no_registers(%xs: !x, %b: !b, %n: i32) -> !r {
  %x = ttg.convert_layout %xs : !x -> !a
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %d = ttng.warp_group_dot %x, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !c
    %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !c
    %s = arith.addf %acc, %w : !c
    scf.yield %s : !c
  }
  %out = ttg.convert_layout %sum : !c -> !r
  tt.return %out : !r
}
}

// -----

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 256, 32]}>
#v = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = true, elementBitWidth = 8}>
#p = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 8}>
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#smem = #ttg.shared_memory
!x = tensor<64x32xf8E4M3FN, #blocked>
!r = tensor<64x256xf32, #blocked>
!a = tensor<64x32xf8E4M3FN, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
!as = !ttg.memdesc<64x32xf8E4M3FN, #p, #smem, mutable>
!b = !ttg.memdesc<32x256xf8E4M3FN, #v, #smem, mutable>
!c = tensor<64x256xf32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// COM: All warps are along m.
// CHECK-LABEL: @warps_along_m
// CHECK:       ttng.warp_group_dot {{.*}} -> tensor<64x128xf32
// CHECK:       ttng.warp_group_dot {{.*}} -> tensor<64x128xf32
// CHECK-NOT:   ttng.warp_group_dot %
tt.func @warps_along_m(%xs: !x, %b: !b, %n: i32) -> !r {
  %x = ttg.convert_layout %xs : !x -> !a
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %d = ttng.warp_group_dot %x, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !c
    %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !c
    %s = arith.addf %acc, %w : !c
    scf.yield %s : !c
  }
  %out = ttg.convert_layout %sum : !c -> !r
  tt.return %out : !r
}
}
