// RUN: dotload-opt %s --deduplicate-1d-loads='num-stages=3' --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=NONE --allow-empty --input-file=%t

// NONE-NOT:    remark
#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#rows = #ttg.slice<{dim = 1, parent = #blocked}>
#turned = #ttg.slice<{dim = 0, parent = #columns}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Another load has a latency, and this one does not: Triton does not pipeline it.
// CHECK-LABEL: @told_not_to_pipeline
// CHECK:         tt.load %{{.*}} : tensor<64x!tt.ptr<i32>, #ttg.slice<
tt.func @told_not_to_pipeline(%a: tensor<16x64xf16, #a>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked>, %ip: !tt.ptr<i32>, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #rows>
  %ips = tt.splat %ip : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #rows>
  %r = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %first = tt.splat %i : i32 -> tensor<64xi32, #rows>
    %tokens = arith.addi %first, %range : tensor<64xi32, #rows>
    %at = tt.addptr %ips, %tokens : tensor<64x!tt.ptr<i32>, #rows>, tensor<64xi32, #rows>
    %s = tt.load %at : tensor<64x!tt.ptr<i32>, #rows>
    %s1 = tt.expand_dims %s {axis = 1 : i32} : tensor<64xi32, #rows> -> tensor<64x1xi32, #blocked>
    %s2 = tt.broadcast %s1 : tensor<64x1xi32, #blocked> -> tensor<64x128xi32, #blocked>
    %bat = tt.addptr %bp, %s2 : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
    %b = tt.load %bat {tt.latency = 2 : i32} : tensor<64x128x!tt.ptr<i8>, #blocked>
    %bo = ttg.convert_layout %b : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #b>
    %bf = arith.sitofp %bo : tensor<64x128xi8, #b> to tensor<64x128xf16, #b>
    %d = tt.dot %a, %bf, %acc : tensor<16x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<16x128xf32, #mma>
    scf.yield %d : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}

// COM: Tiles of 16 bits are left to stock Triton.
// CHECK-LABEL: @halves
// CHECK:         tt.load %{{.*}} : tensor<64x!tt.ptr<i32>, #ttg.slice<
tt.func @halves(%a: tensor<16x64xf16, #a>, %bp: tensor<64x128x!tt.ptr<f16>, #blocked>, %ip: !tt.ptr<i32>, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #rows>
  %ips = tt.splat %ip : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #rows>
  %r = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %first = tt.splat %i : i32 -> tensor<64xi32, #rows>
    %tokens = arith.addi %first, %range : tensor<64xi32, #rows>
    %at = tt.addptr %ips, %tokens : tensor<64x!tt.ptr<i32>, #rows>, tensor<64xi32, #rows>
    %s = tt.load %at : tensor<64x!tt.ptr<i32>, #rows>
    %s1 = tt.expand_dims %s {axis = 1 : i32} : tensor<64xi32, #rows> -> tensor<64x1xi32, #blocked>
    %s2 = tt.broadcast %s1 : tensor<64x1xi32, #blocked> -> tensor<64x128xi32, #blocked>
    %bat = tt.addptr %bp, %s2 : tensor<64x128x!tt.ptr<f16>, #blocked>, tensor<64x128xi32, #blocked>
    %b = tt.load %bat : tensor<64x128x!tt.ptr<f16>, #blocked>
    %bf = ttg.convert_layout %b : tensor<64x128xf16, #blocked> -> tensor<64x128xf16, #b>
    %d = tt.dot %a, %bf, %acc : tensor<16x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<16x128xf32, #mma>
    scf.yield %d : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}

// COM: The address of the index is itself loaded. The first index is not an index of a tile.
// CHECK-LABEL: @an_index_of_an_index
// CHECK-COUNT-2: tt.load %{{.*}} : tensor<64x!tt.ptr<i32>, #ttg.slice<
tt.func @an_index_of_an_index(%a: tensor<16x64xf16, #a>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked>, %ip: !tt.ptr<i32>, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #rows>
  %ips = tt.splat %ip : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #rows>
  %r = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %first = tt.splat %i : i32 -> tensor<64xi32, #rows>
    %tokens = arith.addi %first, %range : tensor<64xi32, #rows>
    %at = tt.addptr %ips, %tokens : tensor<64x!tt.ptr<i32>, #rows>, tensor<64xi32, #rows>
    %j = tt.load %at : tensor<64x!tt.ptr<i32>, #rows>
    %jat = tt.addptr %ips, %j : tensor<64x!tt.ptr<i32>, #rows>, tensor<64xi32, #rows>
    %s = tt.load %jat : tensor<64x!tt.ptr<i32>, #rows>
    %s1 = tt.expand_dims %s {axis = 1 : i32} : tensor<64xi32, #rows> -> tensor<64x1xi32, #blocked>
    %s2 = tt.broadcast %s1 : tensor<64x1xi32, #blocked> -> tensor<64x128xi32, #blocked>
    %bat = tt.addptr %bp, %s2 : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
    %b = tt.load %bat : tensor<64x128x!tt.ptr<i8>, #blocked>
    %bo = ttg.convert_layout %b : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #b>
    %bf = arith.sitofp %bo : tensor<64x128xi8, #b> to tensor<64x128xf16, #b>
    %d = tt.dot %a, %bf, %acc : tensor<16x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<16x128xf32, #mma>
    scf.yield %d : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}

// COM: 16-bit elements cannot be copied asynchronously.
// CHECK-LABEL: @small
// CHECK:         tt.load %{{.*}} : tensor<64x!tt.ptr<i16>, #ttg.slice<
tt.func @small(%a: tensor<16x64xf16, #a>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked>, %ip: !tt.ptr<i16>, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #rows>
  %ips = tt.splat %ip : !tt.ptr<i16> -> tensor<64x!tt.ptr<i16>, #rows>
  %r = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %first = tt.splat %i : i32 -> tensor<64xi32, #rows>
    %tokens = arith.addi %first, %range : tensor<64xi32, #rows>
    %at = tt.addptr %ips, %tokens : tensor<64x!tt.ptr<i16>, #rows>, tensor<64xi32, #rows>
    %s = tt.load %at : tensor<64x!tt.ptr<i16>, #rows>
    %s1 = tt.expand_dims %s {axis = 1 : i32} : tensor<64xi16, #rows> -> tensor<64x1xi16, #blocked>
    %s2 = tt.broadcast %s1 : tensor<64x1xi16, #blocked> -> tensor<64x128xi16, #blocked>
    %bat = tt.addptr %bp, %s2 : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi16, #blocked>
    %b = tt.load %bat : tensor<64x128x!tt.ptr<i8>, #blocked>
    %bo = ttg.convert_layout %b : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #b>
    %bf = arith.sitofp %bo : tensor<64x128xi8, #b> to tensor<64x128xf16, #b>
    %d = tt.dot %a, %bf, %acc : tensor<16x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<16x128xf32, #mma>
    scf.yield %d : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}

// COM: A volatile load is not merged.
// CHECK-LABEL: @volatile
// CHECK:         tt.load %{{.*}} : tensor<64x!tt.ptr<i32>, #ttg.slice<
tt.func @volatile(%a: tensor<16x64xf16, #a>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked>, %ip: !tt.ptr<i32>, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #rows>
  %ips = tt.splat %ip : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #rows>
  %r = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %first = tt.splat %i : i32 -> tensor<64xi32, #rows>
    %tokens = arith.addi %first, %range : tensor<64xi32, #rows>
    %at = tt.addptr %ips, %tokens : tensor<64x!tt.ptr<i32>, #rows>, tensor<64xi32, #rows>
    %s = tt.load %at {isVolatile = true} : tensor<64x!tt.ptr<i32>, #rows>
    %s1 = tt.expand_dims %s {axis = 1 : i32} : tensor<64xi32, #rows> -> tensor<64x1xi32, #blocked>
    %s2 = tt.broadcast %s1 : tensor<64x1xi32, #blocked> -> tensor<64x128xi32, #blocked>
    %bat = tt.addptr %bp, %s2 : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
    %b = tt.load %bat : tensor<64x128x!tt.ptr<i8>, #blocked>
    %bo = ttg.convert_layout %b : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #b>
    %bf = arith.sitofp %bo : tensor<64x128xi8, #b> to tensor<64x128xf16, #b>
    %d = tt.dot %a, %bf, %acc : tensor<16x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<16x128xf32, #mma>
    scf.yield %d : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}

// COM: In this layout each thread has one row, so no thread loads an element twice.
// CHECK-LABEL: @one_row_each
// CHECK:         tt.load %{{.*}} : tensor<16x!tt.ptr<i32>, #ttg.slice<
tt.func @one_row_each(%a: tensor<16x16xf16, #a>, %bp: tensor<16x128x!tt.ptr<i8>, #blocked>, %ip: !tt.ptr<i32>, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %range = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #rows>
  %ips = tt.splat %ip : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>, #rows>
  %r = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %first = tt.splat %i : i32 -> tensor<16xi32, #rows>
    %tokens = arith.addi %first, %range : tensor<16xi32, #rows>
    %at = tt.addptr %ips, %tokens : tensor<16x!tt.ptr<i32>, #rows>, tensor<16xi32, #rows>
    %s = tt.load %at : tensor<16x!tt.ptr<i32>, #rows>
    %s1 = tt.expand_dims %s {axis = 1 : i32} : tensor<16xi32, #rows> -> tensor<16x1xi32, #blocked>
    %s2 = tt.broadcast %s1 : tensor<16x1xi32, #blocked> -> tensor<16x128xi32, #blocked>
    %bat = tt.addptr %bp, %s2 : tensor<16x128x!tt.ptr<i8>, #blocked>, tensor<16x128xi32, #blocked>
    %b = tt.load %bat : tensor<16x128x!tt.ptr<i8>, #blocked>
    %bo = ttg.convert_layout %b : tensor<16x128xi8, #blocked> -> tensor<16x128xi8, #b>
    %bf = arith.sitofp %bo : tensor<16x128xi8, #b> to tensor<16x128xf16, #b>
    %d = tt.dot %a, %bf, %acc : tensor<16x16xf16, #a> * tensor<16x128xf16, #b> -> tensor<16x128xf32, #mma>
    scf.yield %d : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}
}
