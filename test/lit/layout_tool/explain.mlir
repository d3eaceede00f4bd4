// COM: Stock's staging of an fp8 operand with n contiguous: coalesced load, one byte per store, 8-way bank conflicts.
// COM: Then the same operand with its accesses in the other direction.
// RUN: dotload-layout explain %s | FileCheck %s
// CHECK-LABEL: explain.mlir: 6 accesses
// CHECK:       explain.mlir:[[# @LINE + 32]]:{{[0-9]+}}: tt.load
// CHECK:       ld.global, 16 B a lane, dim0 stride known at run time, dim1 stride 1: 256 sectors in 16 requests, full sectors
// CHECK:       8192 B used, 8192 B moved
// CHECK:       ttg.local_alloc
// CHECK:       st.shared.b8: 2048 wavefronts (64 x 8 x 4 warps), 8-way bank conflicts
// CHECK:       ttg.local_load
// CHECK:       ld.shared.b8: 2048 wavefronts
// CHECK:       ttg.convert_layout
// CHECK:       between warps: through shared memory
// CHECK:       tt.load
// CHECK:       ld.global, 1 B a lane, dim0 stride 1, dim1 stride known at run time: {{[0-9]+}} sectors in {{[0-9]+}} requests, 12% of each sector used
// CHECK:       ttg.local_alloc
// CHECK:       st.shared.v4.b32: 64 wavefronts (4 x 4 x 4 warps), no conflict

#n = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#other = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [1, 0]}>
#k_major = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#n_major = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @staged(%base: !tt.ptr<f8E4M3FN> {tt.divisibility = 16 : i32}, %pitch: i32 {tt.divisibility = 16 : i32}) {
    %rows = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #n}>>
    %columns = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #n}>>
    %row = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #n}>> -> tensor<64x1xi32, #n>
    %column = tt.expand_dims %columns {axis = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #n}>> -> tensor<1x128xi32, #n>
    %pitches = tt.splat %pitch : i32 -> tensor<64x1xi32, #n>
    %step = arith.muli %row, %pitches : tensor<64x1xi32, #n>
    %steps = tt.broadcast %step : tensor<64x1xi32, #n> -> tensor<64x128xi32, #n>
    %wide = tt.broadcast %column : tensor<1x128xi32, #n> -> tensor<64x128xi32, #n>
    %offset = arith.addi %steps, %wide : tensor<64x128xi32, #n>
    %bases = tt.splat %base : !tt.ptr<f8E4M3FN> -> tensor<64x128x!tt.ptr<f8E4M3FN>, #n>
    %pointers = tt.addptr %bases, %offset : tensor<64x128x!tt.ptr<f8E4M3FN>, #n>, tensor<64x128xi32, #n>
    %value = tt.load %pointers : tensor<64x128x!tt.ptr<f8E4M3FN>, #n>
    %shared = ttg.local_alloc %value : (tensor<64x128xf8E4M3FN, #n>) -> !ttg.memdesc<64x128xf8E4M3FN, #k_major, #smem>
    %again = ttg.local_load %shared : !ttg.memdesc<64x128xf8E4M3FN, #k_major, #smem> -> tensor<64x128xf8E4M3FN, #n>
    %moved = ttg.convert_layout %again : tensor<64x128xf8E4M3FN, #n> -> tensor<64x128xf8E4M3FN, #other>
    %pitches_n = tt.splat %pitch : i32 -> tensor<1x128xi32, #n>
    %step_n = arith.muli %column, %pitches_n : tensor<1x128xi32, #n>
    %steps_n = tt.broadcast %step_n : tensor<1x128xi32, #n> -> tensor<64x128xi32, #n>
    %tall = tt.broadcast %row : tensor<64x1xi32, #n> -> tensor<64x128xi32, #n>
    %offset_n = arith.addi %steps_n, %tall : tensor<64x128xi32, #n>
    %pointers_n = tt.addptr %bases, %offset_n : tensor<64x128x!tt.ptr<f8E4M3FN>, #n>, tensor<64x128xi32, #n>
    %value_n = tt.load %pointers_n : tensor<64x128x!tt.ptr<f8E4M3FN>, #n>
    %shared_n = ttg.local_alloc %value_n : (tensor<64x128xf8E4M3FN, #n>) -> !ttg.memdesc<64x128xf8E4M3FN, #n_major, #smem>
    tt.return
  }
}
