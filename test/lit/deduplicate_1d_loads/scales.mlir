// RUN: dotload-opt %s --deduplicate-1d-loads='num-stages=3' --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t
// RUN: dotload-opt %s --deduplicate-1d-loads='num-stages=1' | FileCheck %s --check-prefix=ONE

// COM: Scales per token of a quantised cache.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#column = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#rows = #ttg.slice<{dim = 1, parent = #blocked}>
#of_rows = #ttg.slice<{dim = 1, parent = #column}>
#of_scores = #ttg.slice<{dim = 0, parent = #mma}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
#raw = #ttg.swizzled_shared<{vec = 16, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
// ONE:         #[[COLUMN:.*]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
// CHECK-DAG:   #[[LINE:.*]] = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-DAG:   #[[DOWN:.*]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
// CHECK-DAG:   #[[ACROSS:.*]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: A row of scales in the layout of a staged operand's fragments is brought to that layout through shared memory.
// COM: It has as many elements as there are threads, so Triton would propagate its layout and convert the operand.
// COM: In one stage, rows and columns stay: nothing hides the barrier.
// ONE-LABEL:   @a_row_of_fragments
// ONE:           tt.load %{{.*}} : tensor<1x128x!tt.ptr<f16>, #ttg.dot_op
// ONE-LABEL:   @a_column
// ONE:           tt.load %{{.*}} : tensor<64x1x!tt.ptr<bf16>, #[[COLUMN]]>
// CHECK-LABEL: @a_row_of_fragments
// CHECK:         scf.for
// CHECK:           %[[S:.*]] = tt.load %{{.*}} : tensor<1x128x!tt.ptr<f16>, #[[ACROSS]]>
// CHECK:           %[[M:.*]] = ttg.local_alloc %[[S]] : (tensor<1x128xf16, #[[ACROSS]]>) -> !ttg.memdesc<1x128xf16,
// CHECK-NEXT:      %[[F:.*]] = ttg.local_load %[[M]] : {{.*}} -> tensor<1x128xf16, #ttg.dot_op
// CHECK-NEXT:      tt.broadcast %[[F]]
tt.func @a_row_of_fragments(%a: tensor<16x64xf16, #a>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked>, %sp: !tt.ptr<f16>, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #b}>>
  %row = tt.expand_dims %range {axis = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x128xi32, #b>
  %sps = tt.splat %sp : !tt.ptr<f16> -> tensor<1x128x!tt.ptr<f16>, #b>
  %r = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %m = ttg.local_alloc %b : (tensor<64x128xi8, #blocked>) -> !ttg.memdesc<64x128xi8, #raw, #smem>
    %bo = ttg.local_load %m {dotload.staged = "fragments"} : !ttg.memdesc<64x128xi8, #raw, #smem> -> tensor<64x128xi8, #b>
    %bf = arith.sitofp %bo : tensor<64x128xi8, #b> to tensor<64x128xf16, #b>
    %first = tt.splat %i : i32 -> tensor<1x128xi32, #b>
    %columns = arith.addi %first, %row : tensor<1x128xi32, #b>
    %at = tt.addptr %sps, %columns : tensor<1x128x!tt.ptr<f16>, #b>, tensor<1x128xi32, #b>
    %s = tt.load %at : tensor<1x128x!tt.ptr<f16>, #b>
    %sb = tt.broadcast %s : tensor<1x128xf16, #b> -> tensor<64x128xf16, #b>
    %bs = arith.mulf %bf, %sb : tensor<64x128xf16, #b>
    %d = tt.dot %a, %bs, %acc : tensor<16x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<16x128xf32, #mma>
    scf.yield %d : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}

// COM: A column of scales, all of which each thread would load: it is loaded in a layout of one element per thread. Its
// COM: pointers are computed from a range without the other dim.
// CHECK-LABEL: @a_column
// CHECK:         %[[RANGE:.*]] = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #[[DOWN]]}>>
// CHECK:         %[[COLUMN:.*]] = tt.expand_dims %[[RANGE]] {axis = 1 : i32} : {{.*}} -> tensor<64x1xi32, #[[DOWN]]>
// CHECK:         scf.for
// CHECK:           %[[S:.*]] = tt.load %{{.*}} : tensor<64x1x!tt.ptr<bf16>, #[[DOWN]]>
// CHECK:           ttg.convert_layout %[[S]] : tensor<64x1xbf16, #[[DOWN]]> -> tensor<64x1xbf16, #
// CHECK-NOT:       tt.load {{.*}}bf16
// CHECK:           scf.yield
// REMARK:      scales.mlir:[[@LINE+15]]:{{.*}} deduplicate-1d-loads: each thread loads 1 of its elements instead of 64
tt.func @a_column(%a: tensor<16x64xf16, #a>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked>, %sp: !tt.ptr<bf16>, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #of_rows>
  %column = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32, #of_rows> -> tensor<64x1xi32, #column>
  %sps = tt.splat %sp : !tt.ptr<bf16> -> tensor<64x1x!tt.ptr<bf16>, #column>
  %r = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %bo = ttg.convert_layout %b : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #b>
    %bf = arith.sitofp %bo : tensor<64x128xi8, #b> to tensor<64x128xf16, #b>
    %first = tt.splat %i : i32 -> tensor<64x1xi32, #column>
    %tokens = arith.addi %first, %column : tensor<64x1xi32, #column>
    %at = tt.addptr %sps, %tokens : tensor<64x1x!tt.ptr<bf16>, #column>, tensor<64x1xi32, #column>
    %s = tt.load %at : tensor<64x1x!tt.ptr<bf16>, #column>
    %so = ttg.convert_layout %s : tensor<64x1xbf16, #column> -> tensor<64x1xbf16, #b>
    %sf = tt.fp_to_fp %so : tensor<64x1xbf16, #b> -> tensor<64x1xf16, #b>
    %sb = tt.broadcast %sf : tensor<64x1xf16, #b> -> tensor<64x128xf16, #b>
    %bs = arith.mulf %bf, %sb : tensor<64x128xf16, #b>
    %d = tt.dot %a, %bs, %acc : tensor<16x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<16x128xf32, #mma>
    scf.yield %d : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}

// COM: Scales of scores, found through the index of the tokens: both are loaded once, 4 bytes per thread, and copied
// COM: ahead.
// CHECK-LABEL: @through_an_index
// CHECK:         scf.for
// CHECK:           %[[N:.*]] = tt.load %{{.*}} : tensor<64x!tt.ptr<i32>, #[[LINE]]>
// CHECK:           %[[AT:.*]] = tt.addptr %{{.*}}, %[[N]] : tensor<64x!tt.ptr<f32>, #[[LINE]]>
// CHECK:           %[[S:.*]] = tt.load %[[AT]] : tensor<64x!tt.ptr<f32>, #[[LINE]]>
// CHECK:           ttg.convert_layout %[[S]] : {{.*}} -> tensor<64xf32, #ttg.slice<{dim = 0, parent = #mma}>>
// REMARK:      deduplicate-1d-loads: each thread loads 1 of its elements instead of 8
// REMARK:      deduplicate-1d-loads: each thread loads 1 of its elements instead of 4
tt.func @through_an_index(%a: tensor<16x64xf16, #a>, %ones: tensor<16x64xf32, #mma>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked>, %ip: !tt.ptr<i32>, %sp: !tt.ptr<f32>, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #rows>
  %ips = tt.splat %ip : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #rows>
  %range_s = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #of_scores>
  %ips_s = tt.splat %ip : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #of_scores>
  %sps = tt.splat %sp : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #of_scores>
  %r = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %first = tt.splat %i : i32 -> tensor<64xi32, #rows>
    %tokens = arith.addi %first, %range : tensor<64xi32, #rows>
    %at = tt.addptr %ips, %tokens : tensor<64x!tt.ptr<i32>, #rows>, tensor<64xi32, #rows>
    %k = tt.load %at : tensor<64x!tt.ptr<i32>, #rows>
    %k1 = tt.expand_dims %k {axis = 1 : i32} : tensor<64xi32, #rows> -> tensor<64x1xi32, #blocked>
    %k2 = tt.broadcast %k1 : tensor<64x1xi32, #blocked> -> tensor<64x128xi32, #blocked>
    %bat = tt.addptr %bp, %k2 : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
    %b = tt.load %bat : tensor<64x128x!tt.ptr<i8>, #blocked>
    %first_s = tt.splat %i : i32 -> tensor<64xi32, #of_scores>
    %tokens_s = arith.addi %first_s, %range_s : tensor<64xi32, #of_scores>
    %at_s = tt.addptr %ips_s, %tokens_s : tensor<64x!tt.ptr<i32>, #of_scores>, tensor<64xi32, #of_scores>
    %k_s = tt.load %at_s : tensor<64x!tt.ptr<i32>, #of_scores>
    %sat = tt.addptr %sps, %k_s : tensor<64x!tt.ptr<f32>, #of_scores>, tensor<64xi32, #of_scores>
    %s = tt.load %sat : tensor<64x!tt.ptr<f32>, #of_scores>
    %s1 = tt.expand_dims %s {axis = 0 : i32} : tensor<64xf32, #of_scores> -> tensor<1x64xf32, #mma>
    %s2 = tt.broadcast %s1 : tensor<1x64xf32, #mma> -> tensor<16x64xf32, #mma>
    %p = arith.mulf %ones, %s2 : tensor<16x64xf32, #mma>
    %ph = arith.truncf %p : tensor<16x64xf32, #mma> to tensor<16x64xf16, #mma>
    %po = ttg.convert_layout %ph : tensor<16x64xf16, #mma> -> tensor<16x64xf16, #a>
    %bo = ttg.convert_layout %b : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #b>
    %bf = arith.sitofp %bo : tensor<64x128xi8, #b> to tensor<64x128xf16, #b>
    %d = tt.dot %po, %bf, %acc : tensor<16x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<16x128xf32, #mma>
    scf.yield %d : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}

// COM: Scales whose users want another layout than the load's: the tensor is converted once, not twice. Canonicalization
// COM: between Triton's schedule and its pipeliner would fold two conversions into one that has no stage.
// CHECK-LABEL: @one_conversion
// CHECK:         scf.for
// CHECK:           %[[S:.*]] = tt.load %{{.*}} : tensor<64x!tt.ptr<f32>, #[[LINE]]>
// CHECK-NEXT:      %[[C:.*]] = ttg.convert_layout %[[S]] : tensor<64xf32, #[[LINE]]> -> tensor<64xf32, #ttg.slice<{dim = 0, parent = #mma}>>
// CHECK-NEXT:      tt.expand_dims %[[C]]
// REMARK:      deduplicate-1d-loads: each thread loads 1 of its elements instead of 4
tt.func @one_conversion(%a: tensor<16x64xf16, #a>, %ones: tensor<16x64xf32, #mma>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked>, %sp: !tt.ptr<f32>, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #rows>
  %sps = tt.splat %sp : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #rows>
  %r = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %first = tt.splat %i : i32 -> tensor<64xi32, #rows>
    %tokens = arith.addi %first, %range : tensor<64xi32, #rows>
    %at = tt.addptr %sps, %tokens : tensor<64x!tt.ptr<f32>, #rows>, tensor<64xi32, #rows>
    %s = tt.load %at : tensor<64x!tt.ptr<f32>, #rows>
    %sc = ttg.convert_layout %s : tensor<64xf32, #rows> -> tensor<64xf32, #of_scores>
    %s1 = tt.expand_dims %sc {axis = 0 : i32} : tensor<64xf32, #of_scores> -> tensor<1x64xf32, #mma>
    %s2 = tt.broadcast %s1 : tensor<1x64xf32, #mma> -> tensor<16x64xf32, #mma>
    %p = arith.mulf %ones, %s2 : tensor<16x64xf32, #mma>
    %ph = arith.truncf %p : tensor<16x64xf32, #mma> to tensor<16x64xf16, #mma>
    %po = ttg.convert_layout %ph : tensor<16x64xf16, #mma> -> tensor<16x64xf16, #a>
    %bo = ttg.convert_layout %b : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #b>
    %bf = arith.sitofp %bo : tensor<64x128xi8, #b> to tensor<64x128xf16, #b>
    %d = tt.dot %po, %bf, %acc : tensor<16x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<16x128xf32, #mma>
    scf.yield %d : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}

// COM: Each thread loads 4 of these scales, which are too narrow for an asynchronous copy: not worth a conversion's
// COM: barrier.
// CHECK-LABEL: @few_small_ones
// CHECK:         tt.load %{{.*}} : tensor<64x!tt.ptr<bf16>, #ttg.slice<{dim = 0, parent = #mma}>>
// REMARK-NOT:    remark
tt.func @few_small_ones(%a: tensor<16x64xf16, #a>, %ones: tensor<16x64xf32, #mma>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked>, %sp: !tt.ptr<bf16>, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #of_scores>
  %sps = tt.splat %sp : !tt.ptr<bf16> -> tensor<64x!tt.ptr<bf16>, #of_scores>
  %r = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %first = tt.splat %i : i32 -> tensor<64xi32, #of_scores>
    %tokens = arith.addi %first, %range : tensor<64xi32, #of_scores>
    %at = tt.addptr %sps, %tokens : tensor<64x!tt.ptr<bf16>, #of_scores>, tensor<64xi32, #of_scores>
    %s = tt.load %at : tensor<64x!tt.ptr<bf16>, #of_scores>
    %sf = arith.extf %s : tensor<64xbf16, #of_scores> to tensor<64xf32, #of_scores>
    %s1 = tt.expand_dims %sf {axis = 0 : i32} : tensor<64xf32, #of_scores> -> tensor<1x64xf32, #mma>
    %s2 = tt.broadcast %s1 : tensor<1x64xf32, #mma> -> tensor<16x64xf32, #mma>
    %p = arith.mulf %ones, %s2 : tensor<16x64xf32, #mma>
    %ph = arith.truncf %p : tensor<16x64xf32, #mma> to tensor<16x64xf16, #mma>
    %po = ttg.convert_layout %ph : tensor<16x64xf16, #mma> -> tensor<16x64xf16, #a>
    %bo = ttg.convert_layout %b : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #b>
    %bf = arith.sitofp %bo : tensor<64x128xi8, #b> to tensor<64x128xf16, #b>
    %d = tt.dot %po, %bf, %acc : tensor<16x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<16x128xf32, #mma>
    scf.yield %d : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}
}
