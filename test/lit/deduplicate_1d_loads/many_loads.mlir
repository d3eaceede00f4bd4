// RUN: dotload-opt %s --deduplicate-1d-loads='num-stages=2' --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=NONE --allow-empty --input-file=%t

// COM: Loads that stay although a thread loads many elements.

// NONE-NOT:    remark
#blocked = #ttg.blocked<{sizePerThread = [16, 16], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [1, 0]}>
#rows = #ttg.slice<{dim = 1, parent = #blocked}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
#wgmma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#columns = #ttg.slice<{dim = 0, parent = #wgmma}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 8}>
#k_major = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: The index is not copied ahead: tiles wait for it, and would wait for a layout conversion as well.
// CHECK-LABEL: @awaited_index
// CHECK:         tt.load %{{.*}} : tensor<64x!tt.ptr<i32>, #ttg.slice<
tt.func @awaited_index(%a: tensor<16x64xf16, #a>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked>, %ip: !tt.ptr<i32>, %n: i32) -> tensor<16x128xf32, #mma> {
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

// COM: A thread has four of these scales, each for 8 registers, and load-scales-ahead can hold them.
// CHECK-LABEL: @held_ahead
// CHECK:         tt.load %{{.*}} : tensor<1x128x!tt.ptr<f16>, #ttg.dot_op<
tt.func @held_ahead(%a: tensor<16x64xf16, #a>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked>, %sp: !tt.ptr<f16>, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #b}>>
  %row = tt.expand_dims %range {axis = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x128xi32, #b>
  %sps = tt.splat %sp : !tt.ptr<f16> -> tensor<1x128x!tt.ptr<f16>, #b>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %bo = ttg.convert_layout %b : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #b>
    %bf = arith.sitofp %bo : tensor<64x128xi8, #b> to tensor<64x128xf16, #b>
    %at = tt.addptr %sps, %row : tensor<1x128x!tt.ptr<f16>, #b>, tensor<1x128xi32, #b>
    %s = tt.load %at : tensor<1x128x!tt.ptr<f16>, #b>
    %sb = tt.broadcast %s : tensor<1x128xf16, #b> -> tensor<64x128xf16, #b>
    %bs = arith.mulf %bf, %sb : tensor<64x128xf16, #b>
    %d = tt.dot %a, %bs, %acc : tensor<16x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<16x128xf32, #mma>
    scf.yield %d : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}

// COM: Scales of columns beside wgmma, which are not copied ahead: deduplicate-scale-loads handles these.
// CHECK-LABEL: @beside_wgmma
// CHECK:         tt.load %{{.*}} : tensor<64x!tt.ptr<f32>, #ttg.slice<
tt.func @beside_wgmma(%a: !ttg.memdesc<64x128xf8E4M3FN, #shared, #smem>, %bp: tensor<128x64x!tt.ptr<f8E4M3FN>, #k_major>, %sp: !tt.ptr<f32>, %n: i32) -> tensor<64x64xf32, #wgmma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #wgmma>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #columns>
  %sps = tt.splat %sp : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #columns>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #wgmma>) : i32 {
    %b = tt.load %bp : tensor<128x64x!tt.ptr<f8E4M3FN>, #k_major>
    %bm = ttg.local_alloc %b : (tensor<128x64xf8E4M3FN, #k_major>) -> !ttg.memdesc<128x64xf8E4M3FN, #shared1, #smem>
    %d = ttng.warp_group_dot %a, %bm, %zero {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<64x128xf8E4M3FN, #shared, #smem> * !ttg.memdesc<128x64xf8E4M3FN, #shared1, #smem> -> tensor<64x64xf32, #wgmma>
    %at = tt.addptr %sps, %range : tensor<64x!tt.ptr<f32>, #columns>, tensor<64xi32, #columns>
    %s = tt.load %at : tensor<64x!tt.ptr<f32>, #columns>
    %s1 = tt.expand_dims %s {axis = 0 : i32} : tensor<64xf32, #columns> -> tensor<1x64xf32, #wgmma>
    %s2 = tt.broadcast %s1 : tensor<1x64xf32, #wgmma> -> tensor<64x64xf32, #wgmma>
    %scaled = arith.mulf %d, %s2 : tensor<64x64xf32, #wgmma>
    %next = arith.addf %acc, %scaled : tensor<64x64xf32, #wgmma>
    scf.yield %next : tensor<64x64xf32, #wgmma>
  }
  tt.return %r : tensor<64x64xf32, #wgmma>
}
}
