// RUN: dotload-opt %s --stage-dot-operands --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

#rows = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#out = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {

// COM: As in the second dot of LoRA: A stays, the columns of B stream by, and each iteration stores its dot's result,
// COM: which leaves the layout of mma.sync anyway.
// CHECK-LABEL: @stored
// CHECK:       scf.for
// CHECK:         ttg.local_load %{{.*}} {dotload.staged = "fragments"}
// CHECK:         %[[D:.*]] = tt.dot
// CHECK:         tt.store
// REMARK:      row-major B (not K-major, 8 bits, tile 64x64) is staged through shared memory into registers
tt.func @stored(%x: tensor<64x64xf16, #a>, %y: tensor<64x64x!tt.ptr<i8>, #rows>, %op: tensor<64x64x!tt.ptr<f16>, #out>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %nothing = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %tile = tt.load %y : tensor<64x64x!tt.ptr<i8>, #rows>
    %bytes = ttg.convert_layout %tile : tensor<64x64xi8, #rows> -> tensor<64x64xi8, #b>
    %w = arith.sitofp %bytes : tensor<64x64xi8, #b> to tensor<64x64xf16, #b>
    %d = tt.dot %x, %w, %nothing : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
    %h = arith.truncf %d : tensor<64x64xf32, #mma> to tensor<64x64xf16, #mma>
    %r = ttg.convert_layout %h : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #out>
    tt.store %op, %r : tensor<64x64x!tt.ptr<f16>, #out>
  }
  tt.return
}

// COM: Combined with another tile of that layout, the result would have to be permuted back in each iteration.
// CHECK-LABEL: @combined
// CHECK-NOT:   dotload.staged
// CHECK:       tt.return
// REMARK:      kept tt.load: the loop uses the accumulator for more than accumulation
tt.func @combined(%x: tensor<64x64xf16, #a>, %y: tensor<64x64x!tt.ptr<i8>, #rows>, %op: tensor<64x64x!tt.ptr<f32>, #mma>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %nothing = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %before = tt.load %op : tensor<64x64x!tt.ptr<f32>, #mma>
    %tile = tt.load %y : tensor<64x64x!tt.ptr<i8>, #rows>
    %bytes = ttg.convert_layout %tile : tensor<64x64xi8, #rows> -> tensor<64x64xi8, #b>
    %w = arith.sitofp %bytes : tensor<64x64xi8, #b> to tensor<64x64xf16, #b>
    %d = tt.dot %x, %w, %nothing : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
    %r = arith.addf %d, %before : tensor<64x64xf32, #mma>
    tt.store %op, %r : tensor<64x64x!tt.ptr<f32>, #mma>
  }
  tt.return
}

// COM: A dot that starts from a tile of its own would need that tile in the permuted layout, in each iteration.
// CHECK-LABEL: @from_another_tile
// CHECK-NOT:   dotload.staged
// CHECK:       tt.return
// REMARK:      kept tt.load: the loop uses the accumulator for more than accumulation
tt.func @from_another_tile(%x: tensor<64x64xf16, #a>, %y: tensor<64x64x!tt.ptr<i8>, #rows>, %op: tensor<64x64x!tt.ptr<f32>, #mma>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %before = tt.load %op : tensor<64x64x!tt.ptr<f32>, #mma>
    %tile = tt.load %y : tensor<64x64x!tt.ptr<i8>, #rows>
    %bytes = ttg.convert_layout %tile : tensor<64x64xi8, #rows> -> tensor<64x64xi8, #b>
    %w = arith.sitofp %bytes : tensor<64x64xi8, #b> to tensor<64x64xf16, #b>
    %d = tt.dot %x, %w, %before : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
    tt.store %op, %d : tensor<64x64x!tt.ptr<f32>, #mma>
  }
  tt.return
}

// COM: A store by a descriptor is a store.
// CHECK-LABEL: @stored_by_a_descriptor
// CHECK:       dotload.staged
// CHECK:       tt.descriptor_store
tt.func @stored_by_a_descriptor(%x: tensor<64x64xf16, #a>, %y: tensor<64x64x!tt.ptr<i8>, #rows>, %desc: !tt.tensordesc<64x64xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %nothing = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %tile = tt.load %y : tensor<64x64x!tt.ptr<i8>, #rows>
    %bytes = ttg.convert_layout %tile : tensor<64x64xi8, #rows> -> tensor<64x64xi8, #b>
    %w = arith.sitofp %bytes : tensor<64x64xi8, #b> to tensor<64x64xf16, #b>
    %d = tt.dot %x, %w, %nothing : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
    %r = ttg.convert_layout %d : tensor<64x64xf32, #mma> -> tensor<64x64xf32, #out>
    tt.descriptor_store %desc[%i, %i], %r : !tt.tensordesc<64x64xf32>, tensor<64x64xf32, #out>
  }
  tt.return
}

}
