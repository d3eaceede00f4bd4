// RUN: dotload-opt %s --unflatten-loops --remarks 2>%t | FileCheck %s
// RUN: dotload-opt %s --unflatten-loops='num-stages=1' | FileCheck %s --check-prefix=ONE
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t --implicit-check-not=remark:

// COM: Of a nest of loops that Triton would make one, the outer loop loses `tt.flatten` if the dot of the inner loop
// COM: has an operand to stage.

#rows = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#ones = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#onest = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [0, 1]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#a = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}>
#b = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 8}>
#mma16 = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#half_a = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#half_b = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: The number of stages that the outer loop gives was for the fused loop; now it is for the inner one.
// CHECK-LABEL: @non_k_major
// CHECK:       scf.for
// CHECK:         scf.for
// CHECK:           ttng.warp_group_dot
// CHECK:         } {tt.num_stages = 4 : i32}
// CHECK:         tt.store
// CHECK-NEXT:  }
// CHECK-NEXT:  tt.return
// REMARK:      remark: unflatten-loops: the loop is not flattened: operands of its inner loop's dot can be staged or unpacked
tt.func @non_k_major(%tiles: i32, %depth: i32, %as: !ttg.memdesc<64x128xi8, #a, #smem>, %bp: tensor<128x64x!tt.ptr<i8>, #rows>, %cp: tensor<64x64x!tt.ptr<i32>, #mma>) {
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  scf.for %tile = %0 to %tiles step %1 : i32 {
    %acc = scf.for %k = %0 to %depth step %1 iter_args(%c = %zero) -> (tensor<64x64xi32, #mma>) : i32 {
      %b = tt.load %bp : tensor<128x64x!tt.ptr<i8>, #rows>
      %bs = ttg.local_alloc %b : (tensor<128x64xi8, #rows>) -> !ttg.memdesc<128x64xi8, #b, #smem>
      %d = ttng.warp_group_dot %as, %bs, %c {inputPrecision = 0 : i32} : !ttg.memdesc<64x128xi8, #a, #smem> * !ttg.memdesc<128x64xi8, #b, #smem> -> tensor<64x64xi32, #mma>
      scf.yield %d : tensor<64x64xi32, #mma>
    }
    tt.store %cp, %acc : tensor<64x64x!tt.ptr<i32>, #mma>
  } {tt.flatten, tt.num_stages = 4 : i32}
  tt.return
}

// COM: An inner loop's own number of stages stays.
// CHECK-LABEL: @stages_of_the_inner_loop
// CHECK:         } {tt.num_stages = 2 : i32}
// CHECK-NOT:   tt.flatten
// CHECK:       tt.return
// REMARK:      remark: unflatten-loops
tt.func @stages_of_the_inner_loop(%tiles: i32, %depth: i32, %as: !ttg.memdesc<64x128xi8, #a, #smem>, %bp: tensor<128x64x!tt.ptr<i8>, #rows>, %cp: tensor<64x64x!tt.ptr<i32>, #mma>) {
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  scf.for %tile = %0 to %tiles step %1 : i32 {
    %acc = scf.for %k = %0 to %depth step %1 iter_args(%c = %zero) -> (tensor<64x64xi32, #mma>) : i32 {
      %b = tt.load %bp : tensor<128x64x!tt.ptr<i8>, #rows>
      %bs = ttg.local_alloc %b : (tensor<128x64xi8, #rows>) -> !ttg.memdesc<128x64xi8, #b, #smem>
      %d = ttng.warp_group_dot %as, %bs, %c {inputPrecision = 0 : i32} : !ttg.memdesc<64x128xi8, #a, #smem> * !ttg.memdesc<128x64xi8, #b, #smem> -> tensor<64x64xi32, #mma>
      scf.yield %d : tensor<64x64xi32, #mma>
    } {tt.num_stages = 2 : i32}
    tt.store %cp, %acc : tensor<64x64x!tt.ptr<i32>, #mma>
  } {tt.flatten, tt.num_stages = 4 : i32}
  tt.return
}

// COM: An operand that is converted to 16 bits, in either order.
// CHECK-LABEL: @converted
// CHECK-NOT:   tt.flatten
// CHECK:       tt.return
// REMARK:      remark: unflatten-loops
tt.func @converted(%tiles: i32, %depth: i32, %as: !ttg.memdesc<64x64xf16, #half_a, #smem>, %bp: tensor<64x64x!tt.ptr<i8>, #columns>, %cp: tensor<64x64x!tt.ptr<f32>, #mma16>) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma16>
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  scf.for %tile = %0 to %tiles step %1 : i32 {
    %acc = scf.for %k = %0 to %depth step %1 iter_args(%c = %zero) -> (tensor<64x64xf32, #mma16>) : i32 {
      %b = tt.load %bp : tensor<64x64x!tt.ptr<i8>, #columns>
      %h = arith.sitofp %b : tensor<64x64xi8, #columns> to tensor<64x64xf16, #columns>
      %bs = ttg.local_alloc %h : (tensor<64x64xf16, #columns>) -> !ttg.memdesc<64x64xf16, #half_b, #smem>
      %d = ttng.warp_group_dot %as, %bs, %c {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #half_a, #smem> * !ttg.memdesc<64x64xf16, #half_b, #smem> -> tensor<64x64xf32, #mma16>
      scf.yield %d : tensor<64x64xf32, #mma16>
    }
    tt.store %cp, %acc : tensor<64x64x!tt.ptr<f32>, #mma16>
  } {tt.flatten}
  tt.return
}

// COM: An operand that is unpacked in registers: its tile is transposed, converted and scaled by column.
// COM: With one stage there is no copy in shared memory to unpack it from.
// ONE-LABEL:   @scaled
// ONE:         } {tt.flatten}
// CHECK-LABEL: @scaled
// CHECK-NOT:   tt.flatten
// CHECK:       tt.return
// REMARK:      remark: unflatten-loops
tt.func @scaled(%tiles: i32, %depth: i32, %as: !ttg.memdesc<64x64xf16, #half_a, #smem>, %bp: tensor<64x64x!tt.ptr<i8>, #rows>, %sp: !tt.ptr<f16>, %cp: tensor<64x64x!tt.ptr<f32>, #mma16>) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma16>
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %p = tt.splat %sp : !tt.ptr<f16> -> tensor<1x64x!tt.ptr<f16>, #columns>
  scf.for %tile = %0 to %tiles step %1 : i32 {
    %acc = scf.for %k = %0 to %depth step %1 iter_args(%c = %zero) -> (tensor<64x64xf32, #mma16>) : i32 {
      %b = tt.load %bp : tensor<64x64x!tt.ptr<i8>, #rows>
      %s = tt.load %p : tensor<1x64x!tt.ptr<f16>, #columns>
      %t = tt.trans %b {order = array<i32: 1, 0>} : tensor<64x64xi8, #rows> -> tensor<64x64xi8, #columns>
      %h = arith.sitofp %t : tensor<64x64xi8, #columns> to tensor<64x64xf16, #columns>
      %x = tt.broadcast %s : tensor<1x64xf16, #columns> -> tensor<64x64xf16, #columns>
      %w = arith.mulf %h, %x : tensor<64x64xf16, #columns>
      %bs = ttg.local_alloc %w : (tensor<64x64xf16, #columns>) -> !ttg.memdesc<64x64xf16, #half_b, #smem>
      %d = ttng.warp_group_dot %as, %bs, %c {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #half_a, #smem> * !ttg.memdesc<64x64xf16, #half_b, #smem> -> tensor<64x64xf32, #mma16>
      scf.yield %d : tensor<64x64xf32, #mma16>
    }
    tt.store %cp, %acc : tensor<64x64x!tt.ptr<f32>, #mma16>
  } {tt.flatten}
  tt.return
}

// COM: Unpacked bytes that are read one by one stay in shared memory: the loops are fused.
// ONE-LABEL:   @read_one_by_one
// CHECK-LABEL: @read_one_by_one
// CHECK:       } {tt.flatten}
tt.func @read_one_by_one(%tiles: i32, %depth: i32, %as: !ttg.memdesc<64x64xf16, #half_a, #smem>, %bp: tensor<64x64x!tt.ptr<i8>, #ones>, %sp: !tt.ptr<f16>, %cp: tensor<64x64x!tt.ptr<f32>, #mma16>) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma16>
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %p = tt.splat %sp : !tt.ptr<f16> -> tensor<1x64x!tt.ptr<f16>, #onest>
  scf.for %tile = %0 to %tiles step %1 : i32 {
    %acc = scf.for %k = %0 to %depth step %1 iter_args(%c = %zero) -> (tensor<64x64xf32, #mma16>) : i32 {
      %b = tt.load %bp : tensor<64x64x!tt.ptr<i8>, #ones>
      %s = tt.load %p : tensor<1x64x!tt.ptr<f16>, #onest>
      %t = tt.trans %b {order = array<i32: 1, 0>} : tensor<64x64xi8, #ones> -> tensor<64x64xi8, #onest>
      %h = arith.sitofp %t : tensor<64x64xi8, #onest> to tensor<64x64xf16, #onest>
      %x = tt.broadcast %s : tensor<1x64xf16, #onest> -> tensor<64x64xf16, #onest>
      %w = arith.mulf %h, %x : tensor<64x64xf16, #onest>
      %bs = ttg.local_alloc %w : (tensor<64x64xf16, #onest>) -> !ttg.memdesc<64x64xf16, #half_b, #smem>
      %d = ttng.warp_group_dot %as, %bs, %c {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #half_a, #smem> * !ttg.memdesc<64x64xf16, #half_b, #smem> -> tensor<64x64xf32, #mma16>
      scf.yield %d : tensor<64x64xf32, #mma16>
    }
    tt.store %cp, %acc : tensor<64x64x!tt.ptr<f32>, #mma16>
  } {tt.flatten}
  tt.return
}

// COM: K-major operands: nothing to stage.
// CHECK-LABEL: @k_major
// CHECK:       } {tt.flatten}
tt.func @k_major(%tiles: i32, %depth: i32, %as: !ttg.memdesc<64x128xi8, #a, #smem>, %bp: tensor<128x64x!tt.ptr<i8>, #columns>, %cp: tensor<64x64x!tt.ptr<i32>, #mma>) {
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  scf.for %tile = %0 to %tiles step %1 : i32 {
    %acc = scf.for %k = %0 to %depth step %1 iter_args(%c = %zero) -> (tensor<64x64xi32, #mma>) : i32 {
      %b = tt.load %bp : tensor<128x64x!tt.ptr<i8>, #columns>
      %bs = ttg.local_alloc %b : (tensor<128x64xi8, #columns>) -> !ttg.memdesc<128x64xi8, #b, #smem>
      %d = ttng.warp_group_dot %as, %bs, %c {inputPrecision = 0 : i32} : !ttg.memdesc<64x128xi8, #a, #smem> * !ttg.memdesc<128x64xi8, #b, #smem> -> tensor<64x64xi32, #mma>
      scf.yield %d : tensor<64x64xi32, #mma>
    }
    tt.store %cp, %acc : tensor<64x64x!tt.ptr<i32>, #mma>
  } {tt.flatten}
  tt.return
}

// COM: Triton would not specialize warps of the fused loop either, and its pass fails on some nests.
// CHECK-LABEL: @warp_specialized
// CHECK-NOT:   tt.warp_specialize
// CHECK:       tt.return
// REMARK:      remark: unflatten-loops
tt.func @warp_specialized(%tiles: i32, %depth: i32, %as: !ttg.memdesc<64x128xi8, #a, #smem>, %bp: tensor<128x64x!tt.ptr<i8>, #rows>, %cp: tensor<64x64x!tt.ptr<i32>, #mma>) {
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  scf.for %tile = %0 to %tiles step %1 : i32 {
    %acc = scf.for %k = %0 to %depth step %1 iter_args(%c = %zero) -> (tensor<64x64xi32, #mma>) : i32 {
      %b = tt.load %bp : tensor<128x64x!tt.ptr<i8>, #rows>
      %bs = ttg.local_alloc %b : (tensor<128x64xi8, #rows>) -> !ttg.memdesc<128x64xi8, #b, #smem>
      %d = ttng.warp_group_dot %as, %bs, %c {inputPrecision = 0 : i32} : !ttg.memdesc<64x128xi8, #a, #smem> * !ttg.memdesc<128x64xi8, #b, #smem> -> tensor<64x64xi32, #mma>
      scf.yield %d : tensor<64x64xi32, #mma>
    } {tt.warp_specialize}
    tt.store %cp, %acc : tensor<64x64x!tt.ptr<i32>, #mma>
  } {tt.flatten, tt.warp_specialize}
  tt.return
}

// COM: A dot in the loop itself: there is nothing to flatten.
// CHECK-LABEL: @no_nest
// CHECK:       } {tt.flatten}
tt.func @no_nest(%depth: i32, %as: !ttg.memdesc<64x128xi8, #a, #smem>, %bp: tensor<128x64x!tt.ptr<i8>, #rows>) -> tensor<64x64xi32, #mma> {
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %acc = scf.for %k = %0 to %depth step %1 iter_args(%c = %zero) -> (tensor<64x64xi32, #mma>) : i32 {
    %b = tt.load %bp : tensor<128x64x!tt.ptr<i8>, #rows>
    %bs = ttg.local_alloc %b : (tensor<128x64xi8, #rows>) -> !ttg.memdesc<128x64xi8, #b, #smem>
    %d = ttng.warp_group_dot %as, %bs, %c {inputPrecision = 0 : i32} : !ttg.memdesc<64x128xi8, #a, #smem> * !ttg.memdesc<128x64xi8, #b, #smem> -> tensor<64x64xi32, #mma>
    scf.yield %d : tensor<64x64xi32, #mma>
  } {tt.flatten}
  tt.return %acc : tensor<64x64xi32, #mma>
}
}
