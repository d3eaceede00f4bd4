// RUN: dotload-opt %s --deduplicate-1d-loads='num-stages=3' --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t
// RUN: dotload-opt %s --deduplicate-1d-loads='num-stages=2' | FileCheck %s --check-prefix=TWO
// RUN: dotload-opt %s --deduplicate-1d-loads | FileCheck %s --check-prefix=TWO

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#rows = #ttg.slice<{dim = 1, parent = #blocked}>
#turned = #ttg.slice<{dim = 0, parent = #columns}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Each thread loads the indices of its rows, 4 of 64. The pass leaves one load per thread.
// CHECK-DAG:   #[[LINE:.*]] = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-LABEL: @one_layout
// CHECK:       scf.for %[[I:[^ ]*]] =
// CHECK:         %[[FIRST:.*]] = tt.splat %[[I]] : i32 -> tensor<64xi32, #[[LINE]]>
// CHECK:         %[[TOKENS:.*]] = arith.addi %[[FIRST]], %{{.*}} : tensor<64xi32, #[[LINE]]>
// CHECK:         %[[AT:.*]] = tt.addptr %{{.*}}, %[[TOKENS]] : tensor<64x!tt.ptr<i32>, #[[LINE]]>, tensor<64xi32, #[[LINE]]>
// CHECK:         %[[LOADED:.*]] = tt.load %[[AT]] : tensor<64x!tt.ptr<i32>, #[[LINE]]>
// CHECK-NEXT:    %[[ROWS:.*]] = ttg.convert_layout %[[LOADED]] : tensor<64xi32, #[[LINE]]> -> tensor<64xi32, #ttg.slice<{dim = 1
// CHECK-NEXT:    tt.expand_dims %[[ROWS]]
// REMARK:      remark: deduplicate-1d-loads: each thread loads 1 of its elements instead of 4
// COM: With 2 stages, Triton does not pipeline an index. It is loaded right before its use, where a conversion through
// COM: shared memory would only cost time.
// TWO-LABEL:   @one_layout
// TWO:           tt.load %{{.*}} : tensor<64x!tt.ptr<i32>, #ttg.slice<
tt.func @one_layout(%a: tensor<16x64xf16, #a>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked>, %ip: !tt.ptr<i32>, %n: i32) -> tensor<16x128xf32, #mma> {
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
    %b = tt.load %bat : tensor<64x128x!tt.ptr<i8>, #blocked>
    %bo = ttg.convert_layout %b : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #b>
    %bf = arith.sitofp %bo : tensor<64x128xi8, #b> to tensor<64x128xf16, #b>
    %d = tt.dot %a, %bf, %acc : tensor<16x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<16x128xf32, #mma>
    scf.yield %d : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}

// COM: Tiles of K and V, in two layouts, use one index under one mask: the index is loaded once for both.
// CHECK-LABEL: @two_layouts
// CHECK:       scf.for
// CHECK:         %[[INSIDE:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : tensor<64xi32, #[[LINE]]>
// CHECK:         %[[LOADED:.*]] = tt.load %{{.*}}, %[[INSIDE]], %{{.*}} : tensor<64x!tt.ptr<i64>, #[[LINE]]>
// CHECK-NOT:     tensor<64x!tt.ptr<i64>, {{.*}} = tt.load
// CHECK:         %[[COLUMNS:.*]] = ttg.convert_layout %[[LOADED]] : {{.*}} -> tensor<64xi64, #ttg.slice<{dim = 0
// CHECK:         %[[ROWS:.*]] = ttg.convert_layout %[[LOADED]] : {{.*}} -> tensor<64xi64, #ttg.slice<{dim = 1
// CHECK:         tt.expand_dims %[[COLUMNS]]
// CHECK:         tt.expand_dims %[[ROWS]]
// REMARK:      remark: deduplicate-1d-loads: each thread loads 1 of its elements instead of 6
tt.func @two_layouts(%q: tensor<16x128xf16, #a>, %kp: tensor<128x64x!tt.ptr<i8>, #columns>, %vp: tensor<64x128x!tt.ptr<i8>, #blocked>, %ip: !tt.ptr<i64>, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %none = arith.constant dense<0> : tensor<64xi64, #turned>
  %none1 = arith.constant dense<0> : tensor<64xi64, #rows>
  %zeros = arith.constant dense<0.0> : tensor<16x64xf32, #mma>
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #turned>
  %range1 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #rows>
  %ends = tt.splat %n : i32 -> tensor<64xi32, #turned>
  %ends1 = tt.splat %n : i32 -> tensor<64xi32, #rows>
  %ips = tt.splat %ip : !tt.ptr<i64> -> tensor<64x!tt.ptr<i64>, #turned>
  %ips1 = tt.splat %ip : !tt.ptr<i64> -> tensor<64x!tt.ptr<i64>, #rows>
  %r = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %first = tt.splat %i : i32 -> tensor<64xi32, #turned>
    %first1 = tt.splat %i : i32 -> tensor<64xi32, #rows>
    %tokens = arith.addi %first, %range : tensor<64xi32, #turned>
    %tokens1 = arith.addi %first1, %range1 : tensor<64xi32, #rows>
    %inside = arith.cmpi slt, %tokens, %ends : tensor<64xi32, #turned>
    %inside1 = arith.cmpi slt, %tokens1, %ends1 : tensor<64xi32, #rows>
    %at = tt.addptr %ips, %tokens : tensor<64x!tt.ptr<i64>, #turned>, tensor<64xi32, #turned>
    %at1 = tt.addptr %ips1, %tokens1 : tensor<64x!tt.ptr<i64>, #rows>, tensor<64xi32, #rows>
    %s = tt.load %at, %inside, %none : tensor<64x!tt.ptr<i64>, #turned>
    %s1 = tt.load %at1, %inside1, %none1 : tensor<64x!tt.ptr<i64>, #rows>
    %s2 = tt.expand_dims %s {axis = 0 : i32} : tensor<64xi64, #turned> -> tensor<1x64xi64, #columns>
    %s3 = tt.broadcast %s2 : tensor<1x64xi64, #columns> -> tensor<128x64xi64, #columns>
    %kat = tt.addptr %kp, %s3 : tensor<128x64x!tt.ptr<i8>, #columns>, tensor<128x64xi64, #columns>
    %k = tt.load %kat : tensor<128x64x!tt.ptr<i8>, #columns>
    %ko = ttg.convert_layout %k : tensor<128x64xi8, #columns> -> tensor<128x64xi8, #b>
    %kf = arith.sitofp %ko : tensor<128x64xi8, #b> to tensor<128x64xf16, #b>
    %p = tt.dot %q, %kf, %zeros : tensor<16x128xf16, #a> * tensor<128x64xf16, #b> -> tensor<16x64xf32, #mma>
    %ph = arith.truncf %p : tensor<16x64xf32, #mma> to tensor<16x64xf16, #mma>
    %pa = ttg.convert_layout %ph : tensor<16x64xf16, #mma> -> tensor<16x64xf16, #a>
    %s4 = tt.expand_dims %s1 {axis = 1 : i32} : tensor<64xi64, #rows> -> tensor<64x1xi64, #blocked>
    %s5 = tt.broadcast %s4 : tensor<64x1xi64, #blocked> -> tensor<64x128xi64, #blocked>
    %vat = tt.addptr %vp, %s5 : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi64, #blocked>
    %v = tt.load %vat : tensor<64x128x!tt.ptr<i8>, #blocked>
    %vo = ttg.convert_layout %v : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #b>
    %vf = arith.sitofp %vo : tensor<64x128xi8, #b> to tensor<64x128xf16, #b>
    %d = tt.dot %pa, %vf, %acc : tensor<16x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<16x128xf32, #mma>
    scf.yield %d : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}

// COM: A store between two loads of the index may change it: both loads stay, each of one element per thread.
// CHECK-LABEL: @a_store_between
// CHECK:         tt.load %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x!tt.ptr<i64>, #[[LINE]]>
// CHECK:         tt.store
// CHECK:         tt.load %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x!tt.ptr<i64>, #[[LINE]]>
// REMARK:      remark: deduplicate-1d-loads: each thread loads 1 of its elements instead of 2
// REMARK:      remark: deduplicate-1d-loads: each thread loads 1 of its elements instead of 4
tt.func @a_store_between(%q: tensor<16x128xf16, #a>, %kp: tensor<128x64x!tt.ptr<i8>, #columns>, %vp: tensor<64x128x!tt.ptr<i8>, #blocked>, %ip: !tt.ptr<i64>, %end: i64, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %none = arith.constant dense<0> : tensor<64xi64, #turned>
  %none1 = arith.constant dense<0> : tensor<64xi64, #rows>
  %zeros = arith.constant dense<0.0> : tensor<16x64xf32, #mma>
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #turned>
  %range1 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #rows>
  %ends = tt.splat %n : i32 -> tensor<64xi32, #turned>
  %ends1 = tt.splat %n : i32 -> tensor<64xi32, #rows>
  %ips = tt.splat %ip : !tt.ptr<i64> -> tensor<64x!tt.ptr<i64>, #turned>
  %ips1 = tt.splat %ip : !tt.ptr<i64> -> tensor<64x!tt.ptr<i64>, #rows>
  %r = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %first = tt.splat %i : i32 -> tensor<64xi32, #turned>
    %first1 = tt.splat %i : i32 -> tensor<64xi32, #rows>
    %tokens = arith.addi %first, %range : tensor<64xi32, #turned>
    %tokens1 = arith.addi %first1, %range1 : tensor<64xi32, #rows>
    %inside = arith.cmpi slt, %tokens, %ends : tensor<64xi32, #turned>
    %inside1 = arith.cmpi slt, %tokens1, %ends1 : tensor<64xi32, #rows>
    %at = tt.addptr %ips, %tokens : tensor<64x!tt.ptr<i64>, #turned>, tensor<64xi32, #turned>
    %at1 = tt.addptr %ips1, %tokens1 : tensor<64x!tt.ptr<i64>, #rows>, tensor<64xi32, #rows>
    %s = tt.load %at, %inside, %none : tensor<64x!tt.ptr<i64>, #turned>
    tt.store %ip, %end : !tt.ptr<i64>
    %s1 = tt.load %at1, %inside1, %none1 : tensor<64x!tt.ptr<i64>, #rows>
    %s2 = tt.expand_dims %s {axis = 0 : i32} : tensor<64xi64, #turned> -> tensor<1x64xi64, #columns>
    %s3 = tt.broadcast %s2 : tensor<1x64xi64, #columns> -> tensor<128x64xi64, #columns>
    %kat = tt.addptr %kp, %s3 : tensor<128x64x!tt.ptr<i8>, #columns>, tensor<128x64xi64, #columns>
    %k = tt.load %kat : tensor<128x64x!tt.ptr<i8>, #columns>
    %ko = ttg.convert_layout %k : tensor<128x64xi8, #columns> -> tensor<128x64xi8, #b>
    %kf = arith.sitofp %ko : tensor<128x64xi8, #b> to tensor<128x64xf16, #b>
    %p = tt.dot %q, %kf, %zeros : tensor<16x128xf16, #a> * tensor<128x64xf16, #b> -> tensor<16x64xf32, #mma>
    %ph = arith.truncf %p : tensor<16x64xf32, #mma> to tensor<16x64xf16, #mma>
    %pa = ttg.convert_layout %ph : tensor<16x64xf16, #mma> -> tensor<16x64xf16, #a>
    %s4 = tt.expand_dims %s1 {axis = 1 : i32} : tensor<64xi64, #rows> -> tensor<64x1xi64, #blocked>
    %s5 = tt.broadcast %s4 : tensor<64x1xi64, #blocked> -> tensor<64x128xi64, #blocked>
    %vat = tt.addptr %vp, %s5 : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi64, #blocked>
    %v = tt.load %vat : tensor<64x128x!tt.ptr<i8>, #blocked>
    %vo = ttg.convert_layout %v : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #b>
    %vf = arith.sitofp %vo : tensor<64x128xi8, #b> to tensor<64x128xf16, #b>
    %d = tt.dot %pa, %vf, %acc : tensor<16x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<16x128xf32, #mma>
    scf.yield %d : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}

// COM: The masks differ: both loads stay, each of one element per thread.
// CHECK-LABEL: @two_masks
// CHECK:         tt.load %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x!tt.ptr<i64>, #[[LINE]]>
// CHECK:         tt.load %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x!tt.ptr<i64>, #[[LINE]]>
// REMARK:      remark: deduplicate-1d-loads: each thread loads 1 of its elements instead of 2
// REMARK:      remark: deduplicate-1d-loads: each thread loads 1 of its elements instead of 4
tt.func @two_masks(%q: tensor<16x128xf16, #a>, %kp: tensor<128x64x!tt.ptr<i8>, #columns>, %vp: tensor<64x128x!tt.ptr<i8>, #blocked>, %ip: !tt.ptr<i64>, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %none = arith.constant dense<0> : tensor<64xi64, #turned>
  %none1 = arith.constant dense<0> : tensor<64xi64, #rows>
  %zeros = arith.constant dense<0.0> : tensor<16x64xf32, #mma>
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #turned>
  %range1 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #rows>
  %ends = tt.splat %n : i32 -> tensor<64xi32, #turned>
  %ends1 = tt.splat %n : i32 -> tensor<64xi32, #rows>
  %ips = tt.splat %ip : !tt.ptr<i64> -> tensor<64x!tt.ptr<i64>, #turned>
  %ips1 = tt.splat %ip : !tt.ptr<i64> -> tensor<64x!tt.ptr<i64>, #rows>
  %r = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %first = tt.splat %i : i32 -> tensor<64xi32, #turned>
    %first1 = tt.splat %i : i32 -> tensor<64xi32, #rows>
    %tokens = arith.addi %first, %range : tensor<64xi32, #turned>
    %tokens1 = arith.addi %first1, %range1 : tensor<64xi32, #rows>
    %inside = arith.cmpi slt, %tokens, %ends : tensor<64xi32, #turned>
    %inside1 = arith.cmpi sle, %tokens1, %ends1 : tensor<64xi32, #rows>
    %at = tt.addptr %ips, %tokens : tensor<64x!tt.ptr<i64>, #turned>, tensor<64xi32, #turned>
    %at1 = tt.addptr %ips1, %tokens1 : tensor<64x!tt.ptr<i64>, #rows>, tensor<64xi32, #rows>
    %s = tt.load %at, %inside, %none : tensor<64x!tt.ptr<i64>, #turned>
    %s1 = tt.load %at1, %inside1, %none1 : tensor<64x!tt.ptr<i64>, #rows>
    %s2 = tt.expand_dims %s {axis = 0 : i32} : tensor<64xi64, #turned> -> tensor<1x64xi64, #columns>
    %s3 = tt.broadcast %s2 : tensor<1x64xi64, #columns> -> tensor<128x64xi64, #columns>
    %kat = tt.addptr %kp, %s3 : tensor<128x64x!tt.ptr<i8>, #columns>, tensor<128x64xi64, #columns>
    %k = tt.load %kat : tensor<128x64x!tt.ptr<i8>, #columns>
    %ko = ttg.convert_layout %k : tensor<128x64xi8, #columns> -> tensor<128x64xi8, #b>
    %kf = arith.sitofp %ko : tensor<128x64xi8, #b> to tensor<128x64xf16, #b>
    %p = tt.dot %q, %kf, %zeros : tensor<16x128xf16, #a> * tensor<128x64xf16, #b> -> tensor<16x64xf32, #mma>
    %ph = arith.truncf %p : tensor<16x64xf32, #mma> to tensor<16x64xf16, #mma>
    %pa = ttg.convert_layout %ph : tensor<16x64xf16, #mma> -> tensor<16x64xf16, #a>
    %s4 = tt.expand_dims %s1 {axis = 1 : i32} : tensor<64xi64, #rows> -> tensor<64x1xi64, #blocked>
    %s5 = tt.broadcast %s4 : tensor<64x1xi64, #blocked> -> tensor<64x128xi64, #blocked>
    %vat = tt.addptr %vp, %s5 : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi64, #blocked>
    %v = tt.load %vat : tensor<64x128x!tt.ptr<i8>, #blocked>
    %vo = ttg.convert_layout %v : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #b>
    %vf = arith.sitofp %vo : tensor<64x128xi8, #b> to tensor<64x128xf16, #b>
    %d = tt.dot %pa, %vf, %acc : tensor<16x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<16x128xf32, #mma>
    scf.yield %d : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}

// COM: One load has no mask: both stay.
// CHECK-LABEL: @one_mask
// CHECK:         tt.load %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x!tt.ptr<i64>, #[[LINE]]>
// CHECK:         tt.load %{{[^,]*}} : tensor<64x!tt.ptr<i64>, #[[LINE]]>
tt.func @one_mask(%q: tensor<16x128xf16, #a>, %kp: tensor<128x64x!tt.ptr<i8>, #columns>, %vp: tensor<64x128x!tt.ptr<i8>, #blocked>, %ip: !tt.ptr<i64>, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %none = arith.constant dense<0> : tensor<64xi64, #turned>
  %none1 = arith.constant dense<0> : tensor<64xi64, #rows>
  %zeros = arith.constant dense<0.0> : tensor<16x64xf32, #mma>
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #turned>
  %range1 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #rows>
  %ends = tt.splat %n : i32 -> tensor<64xi32, #turned>
  %ends1 = tt.splat %n : i32 -> tensor<64xi32, #rows>
  %ips = tt.splat %ip : !tt.ptr<i64> -> tensor<64x!tt.ptr<i64>, #turned>
  %ips1 = tt.splat %ip : !tt.ptr<i64> -> tensor<64x!tt.ptr<i64>, #rows>
  %r = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %first = tt.splat %i : i32 -> tensor<64xi32, #turned>
    %first1 = tt.splat %i : i32 -> tensor<64xi32, #rows>
    %tokens = arith.addi %first, %range : tensor<64xi32, #turned>
    %tokens1 = arith.addi %first1, %range1 : tensor<64xi32, #rows>
    %inside = arith.cmpi slt, %tokens, %ends : tensor<64xi32, #turned>
    %inside1 = arith.cmpi slt, %tokens1, %ends1 : tensor<64xi32, #rows>
    %at = tt.addptr %ips, %tokens : tensor<64x!tt.ptr<i64>, #turned>, tensor<64xi32, #turned>
    %at1 = tt.addptr %ips1, %tokens1 : tensor<64x!tt.ptr<i64>, #rows>, tensor<64xi32, #rows>
    %s = tt.load %at, %inside, %none : tensor<64x!tt.ptr<i64>, #turned>
    %s1 = tt.load %at1 : tensor<64x!tt.ptr<i64>, #rows>
    %s2 = tt.expand_dims %s {axis = 0 : i32} : tensor<64xi64, #turned> -> tensor<1x64xi64, #columns>
    %s3 = tt.broadcast %s2 : tensor<1x64xi64, #columns> -> tensor<128x64xi64, #columns>
    %kat = tt.addptr %kp, %s3 : tensor<128x64x!tt.ptr<i8>, #columns>, tensor<128x64xi64, #columns>
    %k = tt.load %kat : tensor<128x64x!tt.ptr<i8>, #columns>
    %ko = ttg.convert_layout %k : tensor<128x64xi8, #columns> -> tensor<128x64xi8, #b>
    %kf = arith.sitofp %ko : tensor<128x64xi8, #b> to tensor<128x64xf16, #b>
    %p = tt.dot %q, %kf, %zeros : tensor<16x128xf16, #a> * tensor<128x64xf16, #b> -> tensor<16x64xf32, #mma>
    %ph = arith.truncf %p : tensor<16x64xf32, #mma> to tensor<16x64xf16, #mma>
    %pa = ttg.convert_layout %ph : tensor<16x64xf16, #mma> -> tensor<16x64xf16, #a>
    %s4 = tt.expand_dims %s1 {axis = 1 : i32} : tensor<64xi64, #rows> -> tensor<64x1xi64, #blocked>
    %s5 = tt.broadcast %s4 : tensor<64x1xi64, #blocked> -> tensor<64x128xi64, #blocked>
    %vat = tt.addptr %vp, %s5 : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi64, #blocked>
    %v = tt.load %vat : tensor<64x128x!tt.ptr<i8>, #blocked>
    %vo = ttg.convert_layout %v : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #b>
    %vf = arith.sitofp %vo : tensor<64x128xi8, #b> to tensor<64x128xf16, #b>
    %d = tt.dot %pa, %vf, %acc : tensor<16x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<16x128xf32, #mma>
    scf.yield %d : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}

// COM: The values for masked elements differ: both loads stay.
// CHECK-LABEL: @two_defaults
// CHECK:         tt.load %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x!tt.ptr<i64>, #[[LINE]]>
// CHECK:         tt.load %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x!tt.ptr<i64>, #[[LINE]]>
tt.func @two_defaults(%q: tensor<16x128xf16, #a>, %kp: tensor<128x64x!tt.ptr<i8>, #columns>, %vp: tensor<64x128x!tt.ptr<i8>, #blocked>, %ip: !tt.ptr<i64>, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %none = arith.constant dense<0> : tensor<64xi64, #turned>
  %none1 = arith.constant dense<1> : tensor<64xi64, #rows>
  %zeros = arith.constant dense<0.0> : tensor<16x64xf32, #mma>
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #turned>
  %range1 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #rows>
  %ends = tt.splat %n : i32 -> tensor<64xi32, #turned>
  %ends1 = tt.splat %n : i32 -> tensor<64xi32, #rows>
  %ips = tt.splat %ip : !tt.ptr<i64> -> tensor<64x!tt.ptr<i64>, #turned>
  %ips1 = tt.splat %ip : !tt.ptr<i64> -> tensor<64x!tt.ptr<i64>, #rows>
  %r = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %first = tt.splat %i : i32 -> tensor<64xi32, #turned>
    %first1 = tt.splat %i : i32 -> tensor<64xi32, #rows>
    %tokens = arith.addi %first, %range : tensor<64xi32, #turned>
    %tokens1 = arith.addi %first1, %range1 : tensor<64xi32, #rows>
    %inside = arith.cmpi slt, %tokens, %ends : tensor<64xi32, #turned>
    %inside1 = arith.cmpi slt, %tokens1, %ends1 : tensor<64xi32, #rows>
    %at = tt.addptr %ips, %tokens : tensor<64x!tt.ptr<i64>, #turned>, tensor<64xi32, #turned>
    %at1 = tt.addptr %ips1, %tokens1 : tensor<64x!tt.ptr<i64>, #rows>, tensor<64xi32, #rows>
    %s = tt.load %at, %inside, %none : tensor<64x!tt.ptr<i64>, #turned>
    %s1 = tt.load %at1, %inside1, %none1 : tensor<64x!tt.ptr<i64>, #rows>
    %s2 = tt.expand_dims %s {axis = 0 : i32} : tensor<64xi64, #turned> -> tensor<1x64xi64, #columns>
    %s3 = tt.broadcast %s2 : tensor<1x64xi64, #columns> -> tensor<128x64xi64, #columns>
    %kat = tt.addptr %kp, %s3 : tensor<128x64x!tt.ptr<i8>, #columns>, tensor<128x64xi64, #columns>
    %k = tt.load %kat : tensor<128x64x!tt.ptr<i8>, #columns>
    %ko = ttg.convert_layout %k : tensor<128x64xi8, #columns> -> tensor<128x64xi8, #b>
    %kf = arith.sitofp %ko : tensor<128x64xi8, #b> to tensor<128x64xf16, #b>
    %p = tt.dot %q, %kf, %zeros : tensor<16x128xf16, #a> * tensor<128x64xf16, #b> -> tensor<16x64xf32, #mma>
    %ph = arith.truncf %p : tensor<16x64xf32, #mma> to tensor<16x64xf16, #mma>
    %pa = ttg.convert_layout %ph : tensor<16x64xf16, #mma> -> tensor<16x64xf16, #a>
    %s4 = tt.expand_dims %s1 {axis = 1 : i32} : tensor<64xi64, #rows> -> tensor<64x1xi64, #blocked>
    %s5 = tt.broadcast %s4 : tensor<64x1xi64, #blocked> -> tensor<64x128xi64, #blocked>
    %vat = tt.addptr %vp, %s5 : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi64, #blocked>
    %v = tt.load %vat : tensor<64x128x!tt.ptr<i8>, #blocked>
    %vo = ttg.convert_layout %v : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #b>
    %vf = arith.sitofp %vo : tensor<64x128xi8, #b> to tensor<64x128xf16, #b>
    %d = tt.dot %pa, %vf, %acc : tensor<16x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<16x128xf32, #mma>
    scf.yield %d : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}

// COM: V has another index: both loads stay.
// CHECK-LABEL: @two_indices
// CHECK:         tt.load %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x!tt.ptr<i64>, #[[LINE]]>
// CHECK:         tt.load %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x!tt.ptr<i64>, #[[LINE]]>
tt.func @two_indices(%q: tensor<16x128xf16, #a>, %kp: tensor<128x64x!tt.ptr<i8>, #columns>, %vp: tensor<64x128x!tt.ptr<i8>, #blocked>, %ip: !tt.ptr<i64>, %jp: !tt.ptr<i64>, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %none = arith.constant dense<0> : tensor<64xi64, #turned>
  %none1 = arith.constant dense<0> : tensor<64xi64, #rows>
  %zeros = arith.constant dense<0.0> : tensor<16x64xf32, #mma>
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #turned>
  %range1 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #rows>
  %ends = tt.splat %n : i32 -> tensor<64xi32, #turned>
  %ends1 = tt.splat %n : i32 -> tensor<64xi32, #rows>
  %ips = tt.splat %ip : !tt.ptr<i64> -> tensor<64x!tt.ptr<i64>, #turned>
  %ips1 = tt.splat %jp : !tt.ptr<i64> -> tensor<64x!tt.ptr<i64>, #rows>
  %r = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %first = tt.splat %i : i32 -> tensor<64xi32, #turned>
    %first1 = tt.splat %i : i32 -> tensor<64xi32, #rows>
    %tokens = arith.addi %first, %range : tensor<64xi32, #turned>
    %tokens1 = arith.addi %first1, %range1 : tensor<64xi32, #rows>
    %inside = arith.cmpi slt, %tokens, %ends : tensor<64xi32, #turned>
    %inside1 = arith.cmpi slt, %tokens1, %ends1 : tensor<64xi32, #rows>
    %at = tt.addptr %ips, %tokens : tensor<64x!tt.ptr<i64>, #turned>, tensor<64xi32, #turned>
    %at1 = tt.addptr %ips1, %tokens1 : tensor<64x!tt.ptr<i64>, #rows>, tensor<64xi32, #rows>
    %s = tt.load %at, %inside, %none : tensor<64x!tt.ptr<i64>, #turned>
    %s1 = tt.load %at1, %inside1, %none1 : tensor<64x!tt.ptr<i64>, #rows>
    %s2 = tt.expand_dims %s {axis = 0 : i32} : tensor<64xi64, #turned> -> tensor<1x64xi64, #columns>
    %s3 = tt.broadcast %s2 : tensor<1x64xi64, #columns> -> tensor<128x64xi64, #columns>
    %kat = tt.addptr %kp, %s3 : tensor<128x64x!tt.ptr<i8>, #columns>, tensor<128x64xi64, #columns>
    %k = tt.load %kat : tensor<128x64x!tt.ptr<i8>, #columns>
    %ko = ttg.convert_layout %k : tensor<128x64xi8, #columns> -> tensor<128x64xi8, #b>
    %kf = arith.sitofp %ko : tensor<128x64xi8, #b> to tensor<128x64xf16, #b>
    %p = tt.dot %q, %kf, %zeros : tensor<16x128xf16, #a> * tensor<128x64xf16, #b> -> tensor<16x64xf32, #mma>
    %ph = arith.truncf %p : tensor<16x64xf32, #mma> to tensor<16x64xf16, #mma>
    %pa = ttg.convert_layout %ph : tensor<16x64xf16, #mma> -> tensor<16x64xf16, #a>
    %s4 = tt.expand_dims %s1 {axis = 1 : i32} : tensor<64xi64, #rows> -> tensor<64x1xi64, #blocked>
    %s5 = tt.broadcast %s4 : tensor<64x1xi64, #blocked> -> tensor<64x128xi64, #blocked>
    %vat = tt.addptr %vp, %s5 : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi64, #blocked>
    %v = tt.load %vat : tensor<64x128x!tt.ptr<i8>, #blocked>
    %vo = ttg.convert_layout %v : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #b>
    %vf = arith.sitofp %vo : tensor<64x128xi8, #b> to tensor<64x128xf16, #b>
    %d = tt.dot %pa, %vf, %acc : tensor<16x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<16x128xf32, #mma>
    scf.yield %d : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}

// COM: The indices are two results of one op: both loads stay.
// CHECK-LABEL: @two_results
// CHECK:         tt.load %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x!tt.ptr<i64>, #[[LINE]]>
// CHECK:         tt.load %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x!tt.ptr<i64>, #[[LINE]]>
tt.func @two_results(%q: tensor<16x128xf16, #a>, %kp: tensor<128x64x!tt.ptr<i8>, #columns>, %vp: tensor<64x128x!tt.ptr<i8>, #blocked>, %ip: !tt.ptr<i64>, %jp: !tt.ptr<i64>, %is: i1, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %none = arith.constant dense<0> : tensor<64xi64, #turned>
  %none1 = arith.constant dense<0> : tensor<64xi64, #rows>
  %zeros = arith.constant dense<0.0> : tensor<16x64xf32, #mma>
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #turned>
  %range1 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #rows>
  %ends = tt.splat %n : i32 -> tensor<64xi32, #turned>
  %ends1 = tt.splat %n : i32 -> tensor<64xi32, #rows>
  %both:2 = scf.if %is -> (!tt.ptr<i64>, !tt.ptr<i64>) {
    scf.yield %ip, %jp : !tt.ptr<i64>, !tt.ptr<i64>
  } else {
    scf.yield %jp, %ip : !tt.ptr<i64>, !tt.ptr<i64>
  }
  %ips = tt.splat %both#0 : !tt.ptr<i64> -> tensor<64x!tt.ptr<i64>, #turned>
  %ips1 = tt.splat %both#1 : !tt.ptr<i64> -> tensor<64x!tt.ptr<i64>, #rows>
  %r = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %first = tt.splat %i : i32 -> tensor<64xi32, #turned>
    %first1 = tt.splat %i : i32 -> tensor<64xi32, #rows>
    %tokens = arith.addi %first, %range : tensor<64xi32, #turned>
    %tokens1 = arith.addi %first1, %range1 : tensor<64xi32, #rows>
    %inside = arith.cmpi slt, %tokens, %ends : tensor<64xi32, #turned>
    %inside1 = arith.cmpi slt, %tokens1, %ends1 : tensor<64xi32, #rows>
    %at = tt.addptr %ips, %tokens : tensor<64x!tt.ptr<i64>, #turned>, tensor<64xi32, #turned>
    %at1 = tt.addptr %ips1, %tokens1 : tensor<64x!tt.ptr<i64>, #rows>, tensor<64xi32, #rows>
    %s = tt.load %at, %inside, %none : tensor<64x!tt.ptr<i64>, #turned>
    %s1 = tt.load %at1, %inside1, %none1 : tensor<64x!tt.ptr<i64>, #rows>
    %s2 = tt.expand_dims %s {axis = 0 : i32} : tensor<64xi64, #turned> -> tensor<1x64xi64, #columns>
    %s3 = tt.broadcast %s2 : tensor<1x64xi64, #columns> -> tensor<128x64xi64, #columns>
    %kat = tt.addptr %kp, %s3 : tensor<128x64x!tt.ptr<i8>, #columns>, tensor<128x64xi64, #columns>
    %k = tt.load %kat : tensor<128x64x!tt.ptr<i8>, #columns>
    %ko = ttg.convert_layout %k : tensor<128x64xi8, #columns> -> tensor<128x64xi8, #b>
    %kf = arith.sitofp %ko : tensor<128x64xi8, #b> to tensor<128x64xf16, #b>
    %p = tt.dot %q, %kf, %zeros : tensor<16x128xf16, #a> * tensor<128x64xf16, #b> -> tensor<16x64xf32, #mma>
    %ph = arith.truncf %p : tensor<16x64xf32, #mma> to tensor<16x64xf16, #mma>
    %pa = ttg.convert_layout %ph : tensor<16x64xf16, #mma> -> tensor<16x64xf16, #a>
    %s4 = tt.expand_dims %s1 {axis = 1 : i32} : tensor<64xi64, #rows> -> tensor<64x1xi64, #blocked>
    %s5 = tt.broadcast %s4 : tensor<64x1xi64, #blocked> -> tensor<64x128xi64, #blocked>
    %vat = tt.addptr %vp, %s5 : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi64, #blocked>
    %v = tt.load %vat : tensor<64x128x!tt.ptr<i8>, #blocked>
    %vo = ttg.convert_layout %v : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #b>
    %vf = arith.sitofp %vo : tensor<64x128xi8, #b> to tensor<64x128xf16, #b>
    %d = tt.dot %pa, %vf, %acc : tensor<16x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<16x128xf32, #mma>
    scf.yield %d : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}

// COM: The indices have different widths: both loads stay.
// CHECK-LABEL: @two_widths
// CHECK:         tt.load %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x!tt.ptr<i64>, #[[LINE]]>
// CHECK:         tt.load %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x!tt.ptr<i64>, #[[LINE]]>
tt.func @two_widths(%q: tensor<16x128xf16, #a>, %kp: tensor<128x64x!tt.ptr<i8>, #columns>, %vp: tensor<64x128x!tt.ptr<i8>, #blocked>, %ip: !tt.ptr<i64>, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %none = arith.constant dense<0> : tensor<64xi64, #turned>
  %none1 = arith.constant dense<0> : tensor<64xi64, #rows>
  %zeros = arith.constant dense<0.0> : tensor<16x64xf32, #mma>
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #turned>
  %range1 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #rows>
  %ends = tt.splat %n : i32 -> tensor<64xi32, #turned>
  %ends1 = tt.splat %n : i32 -> tensor<64xi32, #rows>
  %ips = tt.splat %ip : !tt.ptr<i64> -> tensor<64x!tt.ptr<i64>, #turned>
  %ips1 = tt.splat %ip : !tt.ptr<i64> -> tensor<64x!tt.ptr<i64>, #rows>
  %r = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %first = tt.splat %i : i32 -> tensor<64xi32, #turned>
    %first1 = tt.splat %i : i32 -> tensor<64xi32, #rows>
    %tokens = arith.addi %first, %range : tensor<64xi32, #turned>
    %tokens1 = arith.addi %first1, %range1 : tensor<64xi32, #rows>
    %inside = arith.cmpi slt, %tokens, %ends : tensor<64xi32, #turned>
    %inside1 = arith.cmpi slt, %tokens1, %ends1 : tensor<64xi32, #rows>
    %less = arith.trunci %tokens : tensor<64xi32, #turned> to tensor<64xi8, #turned>
    %wide = arith.extsi %less : tensor<64xi8, #turned> to tensor<64xi32, #turned>
    %at = tt.addptr %ips, %wide : tensor<64x!tt.ptr<i64>, #turned>, tensor<64xi32, #turned>
    %less1 = arith.trunci %tokens1 : tensor<64xi32, #rows> to tensor<64xi16, #rows>
    %wide1 = arith.extsi %less1 : tensor<64xi16, #rows> to tensor<64xi32, #rows>
    %at1 = tt.addptr %ips1, %wide1 : tensor<64x!tt.ptr<i64>, #rows>, tensor<64xi32, #rows>
    %s = tt.load %at, %inside, %none : tensor<64x!tt.ptr<i64>, #turned>
    %s1 = tt.load %at1, %inside1, %none1 : tensor<64x!tt.ptr<i64>, #rows>
    %s2 = tt.expand_dims %s {axis = 0 : i32} : tensor<64xi64, #turned> -> tensor<1x64xi64, #columns>
    %s3 = tt.broadcast %s2 : tensor<1x64xi64, #columns> -> tensor<128x64xi64, #columns>
    %kat = tt.addptr %kp, %s3 : tensor<128x64x!tt.ptr<i8>, #columns>, tensor<128x64xi64, #columns>
    %k = tt.load %kat : tensor<128x64x!tt.ptr<i8>, #columns>
    %ko = ttg.convert_layout %k : tensor<128x64xi8, #columns> -> tensor<128x64xi8, #b>
    %kf = arith.sitofp %ko : tensor<128x64xi8, #b> to tensor<128x64xf16, #b>
    %p = tt.dot %q, %kf, %zeros : tensor<16x128xf16, #a> * tensor<128x64xf16, #b> -> tensor<16x64xf32, #mma>
    %ph = arith.truncf %p : tensor<16x64xf32, #mma> to tensor<16x64xf16, #mma>
    %pa = ttg.convert_layout %ph : tensor<16x64xf16, #mma> -> tensor<16x64xf16, #a>
    %s4 = tt.expand_dims %s1 {axis = 1 : i32} : tensor<64xi64, #rows> -> tensor<64x1xi64, #blocked>
    %s5 = tt.broadcast %s4 : tensor<64x1xi64, #blocked> -> tensor<64x128xi64, #blocked>
    %vat = tt.addptr %vp, %s5 : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi64, #blocked>
    %v = tt.load %vat : tensor<64x128x!tt.ptr<i8>, #blocked>
    %vo = ttg.convert_layout %v : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #b>
    %vf = arith.sitofp %vo : tensor<64x128xi8, #b> to tensor<64x128xf16, #b>
    %d = tt.dot %pa, %vf, %acc : tensor<16x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<16x128xf32, #mma>
    scf.yield %d : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}

// COM: The loop carries pointers in both layouts and advances them alike: they are the same.
// CHECK-LABEL: @carried
// CHECK:         tt.load %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x!tt.ptr<i64>, #[[LINE]]>
// CHECK-NOT:     tensor<64x!tt.ptr<i64>, {{.*}} = tt.load
// CHECK:         scf.yield
// REMARK:      remark: deduplicate-1d-loads: each thread loads 1 of its elements instead of 6
tt.func @carried(%q: tensor<16x128xf16, #a>, %kp: tensor<128x64x!tt.ptr<i8>, #columns>, %vp: tensor<64x128x!tt.ptr<i8>, #blocked>, %ip: !tt.ptr<i64>, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %none = arith.constant dense<0> : tensor<64xi64, #turned>
  %none1 = arith.constant dense<0> : tensor<64xi64, #rows>
  %zeros = arith.constant dense<0.0> : tensor<16x64xf32, #mma>
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #turned>
  %range1 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #rows>
  %ends = tt.splat %n : i32 -> tensor<64xi32, #turned>
  %ends1 = tt.splat %n : i32 -> tensor<64xi32, #rows>
  %ips = tt.splat %ip : !tt.ptr<i64> -> tensor<64x!tt.ptr<i64>, #turned>
  %begin = tt.addptr %ips, %range : tensor<64x!tt.ptr<i64>, #turned>, tensor<64xi32, #turned>
  %step = arith.constant dense<64> : tensor<64xi32, #turned>
  %ips1 = tt.splat %ip : !tt.ptr<i64> -> tensor<64x!tt.ptr<i64>, #rows>
  %begin1 = tt.addptr %ips1, %range1 : tensor<64x!tt.ptr<i64>, #rows>, tensor<64xi32, #rows>
  %step1 = arith.constant dense<64> : tensor<64xi32, #rows>
  %r:3 = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero, %at = %begin, %at1 = %begin1) -> (tensor<16x128xf32, #mma>, tensor<64x!tt.ptr<i64>, #turned>, tensor<64x!tt.ptr<i64>, #rows>) : i32 {
    %first = tt.splat %i : i32 -> tensor<64xi32, #turned>
    %first1 = tt.splat %i : i32 -> tensor<64xi32, #rows>
    %tokens = arith.addi %first, %range : tensor<64xi32, #turned>
    %tokens1 = arith.addi %first1, %range1 : tensor<64xi32, #rows>
    %inside = arith.cmpi slt, %tokens, %ends : tensor<64xi32, #turned>
    %inside1 = arith.cmpi slt, %tokens1, %ends1 : tensor<64xi32, #rows>
    %s = tt.load %at, %inside, %none : tensor<64x!tt.ptr<i64>, #turned>
    %s1 = tt.load %at1, %inside1, %none1 : tensor<64x!tt.ptr<i64>, #rows>
    %s2 = tt.expand_dims %s {axis = 0 : i32} : tensor<64xi64, #turned> -> tensor<1x64xi64, #columns>
    %s3 = tt.broadcast %s2 : tensor<1x64xi64, #columns> -> tensor<128x64xi64, #columns>
    %kat = tt.addptr %kp, %s3 : tensor<128x64x!tt.ptr<i8>, #columns>, tensor<128x64xi64, #columns>
    %k = tt.load %kat : tensor<128x64x!tt.ptr<i8>, #columns>
    %ko = ttg.convert_layout %k : tensor<128x64xi8, #columns> -> tensor<128x64xi8, #b>
    %kf = arith.sitofp %ko : tensor<128x64xi8, #b> to tensor<128x64xf16, #b>
    %p = tt.dot %q, %kf, %zeros : tensor<16x128xf16, #a> * tensor<128x64xf16, #b> -> tensor<16x64xf32, #mma>
    %ph = arith.truncf %p : tensor<16x64xf32, #mma> to tensor<16x64xf16, #mma>
    %pa = ttg.convert_layout %ph : tensor<16x64xf16, #mma> -> tensor<16x64xf16, #a>
    %s4 = tt.expand_dims %s1 {axis = 1 : i32} : tensor<64xi64, #rows> -> tensor<64x1xi64, #blocked>
    %s5 = tt.broadcast %s4 : tensor<64x1xi64, #blocked> -> tensor<64x128xi64, #blocked>
    %vat = tt.addptr %vp, %s5 : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi64, #blocked>
    %v = tt.load %vat : tensor<64x128x!tt.ptr<i8>, #blocked>
    %vo = ttg.convert_layout %v : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #b>
    %vf = arith.sitofp %vo : tensor<64x128xi8, #b> to tensor<64x128xf16, #b>
    %d = tt.dot %pa, %vf, %acc : tensor<16x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<16x128xf32, #mma>
    %next = tt.addptr %at, %step : tensor<64x!tt.ptr<i64>, #turned>, tensor<64xi32, #turned>
    %next1 = tt.addptr %at1, %step1 : tensor<64x!tt.ptr<i64>, #rows>, tensor<64xi32, #rows>
    scf.yield %d, %next, %next1 : tensor<16x128xf32, #mma>, tensor<64x!tt.ptr<i64>, #turned>, tensor<64x!tt.ptr<i64>, #rows>
  }
  tt.return %r#0 : tensor<16x128xf32, #mma>
}
}
