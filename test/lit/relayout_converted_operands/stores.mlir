// RUN: dotload-opt %s --relayout-converted-operands='num-stages=3' --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t
// RUN: dotload-opt %s --relayout-converted-operands | FileCheck %s --check-prefix=UNKNOWN

#blocked = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#short = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#deep = #ttg.blocked<{sizePerThread = [1, 16, 1], threadsPerWarp = [1, 8, 4], warpsPerCTA = [1, 1, 4], order = [1, 2, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#q = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#q3 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, rank = 3}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: In the layout of the load, eight lanes hold a row of 128 bytes, and stores of its two halves in 16 bits conflict
// COM: in banks. With four lanes for each of two rows they do not; the raw tile exchanges the halves of odd rows.
// CHECK-DAG:   #[[LINEAR:.*]] = #ttg.linear<{{.*}}lane = {{\[}}[16, 0], [32, 0], [0, 1], [0, 2], [0, 4]]
// CHECK-DAG:   #[[RAW:.*]] = #ttg.swizzled_shared<{vec = 64, perPhase = 1, maxPhase = 2, order = [0, 1]}>
// CHECK-LABEL: @to_two_buffers
// CHECK:       %[[K:.*]] = tt.load {{.*}} {tt.latency = 2 : i32}
// CHECK:       %[[TILE:.*]] = ttg.local_alloc %[[K]] : {{.*}} -> !ttg.memdesc<128x64xf8E4M3FN, #[[RAW]], #smem>
// CHECK:       %[[R:.*]] = ttg.local_load %[[TILE]] : {{.*}} -> tensor<128x64xf8E4M3FN, #[[LINEAR]]>
// CHECK:       %[[W:.*]] = tt.fp_to_fp %[[R]] : {{.*}} -> tensor<128x64xbf16, #[[LINEAR]]>
// CHECK:       ttg.local_store %[[W]]
// REMARK:      remark: relayout-converted-operands: B (8 bits, tile 128x64) is converted in another layout: st.shared.v4.b32, bank-conflict-free
// UNKNOWN-LABEL: @to_two_buffers
// UNKNOWN:       ttg.local_load
tt.func @to_two_buffers(%q: !ttg.memdesc<64x128xbf16, #q, #smem>, %kp: tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %buffers = ttg.local_alloc : () -> !ttg.memdesc<2x128x64xbf16, #shared, #smem, mutable>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %k = tt.load %kp {tt.latency = 2 : i32} : tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked>
    %w = tt.fp_to_fp %k : tensor<128x64xf8E4M3FN, #blocked> -> tensor<128x64xbf16, #blocked>
    %b = ttg.memdesc_index %buffers[%c0] : !ttg.memdesc<2x128x64xbf16, #shared, #smem, mutable> -> !ttg.memdesc<128x64xbf16, #shared, #smem, mutable>
    ttg.local_store %w, %b : tensor<128x64xbf16, #blocked> -> !ttg.memdesc<128x64xbf16, #shared, #smem, mutable>
    %d = ttng.warp_group_dot %q, %b, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x128xbf16, #q, #smem> * !ttg.memdesc<128x64xbf16, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// COM: The scale is the same for all elements, so any layout fits. The pass sets the latency of the load, which
// COM: Triton's pipeliner would not find otherwise.
// CHECK-LABEL: @scaled
// CHECK:       tt.load {{.*}} {tt.latency = 2 : i32}
// CHECK:       %[[R:.*]] = ttg.local_load
// CHECK:       %[[F:.*]] = tt.fp_to_fp %[[R]]
// CHECK:       %[[S:.*]] = tt.splat %{{.*}} : f32 -> tensor<128x64xf32, #[[LINEAR]]>
// CHECK:       %[[M:.*]] = arith.mulf %[[F]], %[[S]]
// CHECK:       %[[W:.*]] = arith.truncf %[[M]]
// CHECK:       ttg.local_alloc %[[W]] : (tensor<128x64xbf16, #[[LINEAR]]>)
// COM: The number of stages is not known: the tile would not be copied ahead.
// UNKNOWN-LABEL: @scaled
// UNKNOWN-NOT:   ttg.local_load
// UNKNOWN:       tt.return
tt.func @scaled(%q: !ttg.memdesc<64x128xbf16, #q, #smem>, %kp: tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32, %s: f32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %buffers = ttg.local_alloc : () -> !ttg.memdesc<2x128x64xbf16, #shared, #smem, mutable>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %k = tt.load %kp : tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked>
    %f = tt.fp_to_fp %k : tensor<128x64xf8E4M3FN, #blocked> -> tensor<128x64xf32, #blocked>
    %scale = tt.splat %s : f32 -> tensor<128x64xf32, #blocked>
    %m = arith.mulf %f, %scale : tensor<128x64xf32, #blocked>
    %w = arith.truncf %m : tensor<128x64xf32, #blocked> to tensor<128x64xbf16, #blocked>
    %b = ttg.local_alloc %w : (tensor<128x64xbf16, #blocked>) -> !ttg.memdesc<128x64xbf16, #shared, #smem>
    %d = ttng.warp_group_dot %q, %b, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x128xbf16, #q, #smem> * !ttg.memdesc<128x64xbf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// COM: Scales that differ would have to be converted to the new layout themselves.
// CHECK-LABEL: @scaled_by_row
// CHECK-NOT:   ttg.local_load
// CHECK:       tt.return
tt.func @scaled_by_row(%q: !ttg.memdesc<64x128xbf16, #q, #smem>, %kp: tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32, %s: tensor<128x64xbf16, #blocked>) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %buffers = ttg.local_alloc : () -> !ttg.memdesc<2x128x64xbf16, #shared, #smem, mutable>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %k = tt.load %kp {tt.latency = 2 : i32} : tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked>
    %g = tt.fp_to_fp %k : tensor<128x64xf8E4M3FN, #blocked> -> tensor<128x64xbf16, #blocked>
    %w = arith.mulf %g, %s : tensor<128x64xbf16, #blocked>
    %b = ttg.memdesc_index %buffers[%c0] : !ttg.memdesc<2x128x64xbf16, #shared, #smem, mutable> -> !ttg.memdesc<128x64xbf16, #shared, #smem, mutable>
    ttg.local_store %w, %b : tensor<128x64xbf16, #blocked> -> !ttg.memdesc<128x64xbf16, #shared, #smem, mutable>
    %d = ttng.warp_group_dot %q, %b, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x128xbf16, #q, #smem> * !ttg.memdesc<128x64xbf16, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// COM: The converted tile has another use in its own layout.
// CHECK-LABEL: @used_twice
// CHECK-NOT:   ttg.local_load
// CHECK:       tt.return
tt.func @used_twice(%q: !ttg.memdesc<64x128xbf16, #q, #smem>, %kp: tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32, %wp: tensor<128x64x!tt.ptr<bf16>, #blocked>) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %buffers = ttg.local_alloc : () -> !ttg.memdesc<2x128x64xbf16, #shared, #smem, mutable>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %k = tt.load %kp {tt.latency = 2 : i32} : tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked>
    %w = tt.fp_to_fp %k : tensor<128x64xf8E4M3FN, #blocked> -> tensor<128x64xbf16, #blocked>
    tt.store %wp, %w : tensor<128x64x!tt.ptr<bf16>, #blocked>
    %b = ttg.memdesc_index %buffers[%c0] : !ttg.memdesc<2x128x64xbf16, #shared, #smem, mutable> -> !ttg.memdesc<128x64xbf16, #shared, #smem, mutable>
    ttg.local_store %w, %b : tensor<128x64xbf16, #blocked> -> !ttg.memdesc<128x64xbf16, #shared, #smem, mutable>
    %d = ttng.warp_group_dot %q, %b, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x128xbf16, #q, #smem> * !ttg.memdesc<128x64xbf16, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// COM: Rows of 64 bytes are stored without conflicts already.
// CHECK-LABEL: @short_rows
// CHECK-NOT:   ttg.local_load
// CHECK:       tt.return
// REMARK-NOT:  tile 64x64
tt.func @short_rows(%q: !ttg.memdesc<64x64xbf16, #q, #smem>, %kp: tensor<64x64x!tt.ptr<f8E4M3FN>, #short>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %buffers = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xbf16, #shared, #smem, mutable>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %k = tt.load %kp {tt.latency = 2 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #short>
    %w = tt.fp_to_fp %k : tensor<64x64xf8E4M3FN, #short> -> tensor<64x64xbf16, #short>
    %b = ttg.memdesc_index %buffers[%c0] : !ttg.memdesc<2x64x64xbf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xbf16, #shared, #smem, mutable>
    ttg.local_store %w, %b : tensor<64x64xbf16, #short> -> !ttg.memdesc<64x64xbf16, #shared, #smem, mutable>
    %d = ttng.warp_group_dot %q, %b, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xbf16, #q, #smem> * !ttg.memdesc<64x64xbf16, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// COM: Triton does not pipeline a loop with an inner loop or a barrier: the tile would only take a detour.
// CHECK-LABEL: @read_by_a_loop
// CHECK-NOT:   ttg.local_load
// CHECK:       tt.return
tt.func @read_by_a_loop(%q: !ttg.memdesc<64x128xbf16, #q, #smem>, %kp: tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %k = tt.load %kp {tt.latency = 2 : i32} : tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked>
    %w = tt.fp_to_fp %k : tensor<128x64xf8E4M3FN, #blocked> -> tensor<128x64xbf16, #blocked>
    %b = ttg.local_alloc %w : (tensor<128x64xbf16, #blocked>) -> !ttg.memdesc<128x64xbf16, #shared, #smem>
    %d = scf.for %j = %c0 to %n step %c1 iter_args(%sum = %acc) -> (tensor<64x64xf32, #mma>) : i32 {
      %e = ttng.warp_group_dot %q, %b, %sum {inputPrecision = 0 : i32} : !ttg.memdesc<64x128xbf16, #q, #smem> * !ttg.memdesc<128x64xbf16, #shared, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %e : tensor<64x64xf32, #mma>
    }
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// CHECK-LABEL: @with_a_barrier
// CHECK-NOT:   ttg.local_load
// CHECK:       tt.return
tt.func @with_a_barrier(%q: !ttg.memdesc<64x128xbf16, #q, #smem>, %kp: tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %k = tt.load %kp {tt.latency = 2 : i32} : tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked>
    %w = tt.fp_to_fp %k : tensor<128x64xf8E4M3FN, #blocked> -> tensor<128x64xbf16, #blocked>
    %b = ttg.local_alloc %w : (tensor<128x64xbf16, #blocked>) -> !ttg.memdesc<128x64xbf16, #shared, #smem>
    gpu.barrier
    %d = ttng.warp_group_dot %q, %b, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x128xbf16, #q, #smem> * !ttg.memdesc<128x64xbf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// COM: Asynchronous copies fill masked elements with zeros. Other values are selected after the copy, so the tile would
// COM: pass through memory again.
// CHECK-LABEL: @filled_with_ones
// CHECK-NOT:   ttg.local_load
// CHECK:       tt.return
tt.func @filled_with_ones(%q: !ttg.memdesc<64x128xbf16, #q, #smem>, %kp: tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32, %m: tensor<128x64xi1, #blocked>) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %ones = arith.constant dense<1.0> : tensor<128x64xf8E4M3FN, #blocked>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %k = tt.load %kp, %m, %ones {tt.latency = 2 : i32} : tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked>
    %w = tt.fp_to_fp %k : tensor<128x64xf8E4M3FN, #blocked> -> tensor<128x64xbf16, #blocked>
    %b = ttg.local_alloc %w : (tensor<128x64xbf16, #blocked>) -> !ttg.memdesc<128x64xbf16, #shared, #smem>
    %d = ttng.warp_group_dot %q, %b, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x128xbf16, #q, #smem> * !ttg.memdesc<128x64xbf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// CHECK-LABEL: @filled_with_zeros
// CHECK:       ttg.local_load
// CHECK:       tt.return
tt.func @filled_with_zeros(%q: !ttg.memdesc<64x128xbf16, #q, #smem>, %kp: tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32, %m: tensor<128x64xi1, #blocked>) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %zeros = arith.constant dense<0.0> : tensor<128x64xf8E4M3FN, #blocked>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %k = tt.load %kp, %m, %zeros {tt.latency = 2 : i32} : tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked>
    %w = tt.fp_to_fp %k : tensor<128x64xf8E4M3FN, #blocked> -> tensor<128x64xbf16, #blocked>
    %b = ttg.local_alloc %w : (tensor<128x64xbf16, #blocked>) -> !ttg.memdesc<128x64xbf16, #shared, #smem>
    %d = ttng.warp_group_dot %q, %b, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x128xbf16, #q, #smem> * !ttg.memdesc<128x64xbf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// COM: Only tiles of two dims have runs along one of them.
// CHECK-LABEL: @three_dims
// CHECK-NOT:   ttg.local_load
// CHECK:       tt.return
tt.func @three_dims(%q: !ttg.memdesc<64x128xbf16, #q, #smem>, %kp: tensor<1x128x64x!tt.ptr<f8E4M3FN>, #deep>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %k = tt.load %kp {tt.latency = 2 : i32} : tensor<1x128x64x!tt.ptr<f8E4M3FN>, #deep>
    %w = tt.fp_to_fp %k : tensor<1x128x64xf8E4M3FN, #deep> -> tensor<1x128x64xbf16, #deep>
    %m = ttg.local_alloc %w : (tensor<1x128x64xbf16, #deep>) -> !ttg.memdesc<1x128x64xbf16, #q3, #smem>
    %b = ttg.memdesc_reshape %m : !ttg.memdesc<1x128x64xbf16, #q3, #smem> -> !ttg.memdesc<128x64xbf16, #q, #smem>
    %d = ttng.warp_group_dot %q, %b, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x128xbf16, #q, #smem> * !ttg.memdesc<128x64xbf16, #q, #smem> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}
}
