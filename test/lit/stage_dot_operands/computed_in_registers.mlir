// RUN: dotload-opt %s --stage-dot-operands='num-stages=3' --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

// COM: wgmma takes A from registers, where the kernel converts and scales it: tl.dot_scaled of weights, transposed.

#along_n = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#along_k = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#group = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 16, 16]}>
#wide = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 256, 16]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#bytes = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#wa = #ttg.dot_op<{opIdx = 0, parent = #wide, kWidth = 2}>
#turned = #ttg.linear<{register = [[1, 0], [0, 8], [8, 0], [16, 0], [32, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 16], [0, 32]], block = []}>
#packed = #ttg.linear<{register = [[0, 8], [4, 0], [8, 0], [16, 0]], lane = [[1, 0], [2, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 16], [0, 32]], block = []}>
#groups = #ttg.linear<{register = [[0, 0, 1], [8, 0, 0], [0, 0, 8], [0, 0, 16], [0, 1, 0]], lane = [[0, 0, 2], [0, 0, 4], [1, 0, 0], [2, 0, 0], [4, 0, 0]], warp = [[16, 0, 0], [32, 0, 0]], block = []}>
#scale = #ttg.slice<{dim = 2, parent = #groups}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = true, elementBitWidth = 16}>
#wshared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
!acc = tensor<64x16xf32, #mma>
!b = !ttg.memdesc<64x16xbf16, #shared, #smem>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: M is contiguous in A: ldmatrix delivers rows of A in another order, and the scales of rows are permuted likewise
// COM: before they are converted to the layout of A. Groups of k stay. The result's rows are permuted back after the
// COM: loop.
// CHECK-LABEL: @not_k_major
// CHECK:       scf.for
// CHECK:         %[[RAW:.*]] = ttg.local_alloc %{{.*}} : (tensor<64x64xf8E4M3FN
// CHECK:         %[[READ:.*]] = ttg.local_load %[[RAW]] {dotload.staged = "fragments"}
// CHECK:         %[[BYTES:.*]] = builtin.unrealized_conversion_cast %[[READ]] : {{.*}} to tensor<64x64xf8E4M3FN, #ttg.dot_op<{opIdx = 0, parent = #mma{{.*}}, kWidth = 2}>>
// CHECK:         %[[SCALES:.*]] = tt.load %{{.*}} : tensor<64x2x!tt.ptr<bf16>
// CHECK:         tt.reshape %[[SCALES]] : {{.*}} -> tensor<4x8x2x2xbf16
// CHECK:         tt.trans %{{.*}} {order = array<i32: 0, 2, 1, 3>}
// CHECK:         %[[VIEW:.*]] = tt.reshape %{{.*}} -> tensor<64x2xbf16
// CHECK:         %[[ROWS:.*]] = ttg.convert_layout %[[VIEW]]
// CHECK-NEXT:    %[[E:.*]] = tt.expand_dims %[[ROWS]] {axis = 2 : i32}
// CHECK-NEXT:    %[[G:.*]] = tt.broadcast %[[E]]
// CHECK-NEXT:    %[[S:.*]] = tt.reshape %[[G]]
// CHECK:         %[[W:.*]] = tt.fp_to_fp %[[BYTES]]
// CHECK:         %[[A:.*]] = arith.mulf %[[W]], %[[S]]
// CHECK:         ttng.warp_group_dot %[[A]]
// CHECK:       tt.reshape {{.*}} -> tensor<4x2x8x16xf32
// REMARK-DAG:  remark: stage-dot-operands: column-major A (not K-major, 8 bits, converted to 16, tile 64x64) is staged through shared memory into registers: ldmatrix.m8n8.x4.trans.shared.b16, bank-conflict-free
tt.func @not_k_major(%wp: tensor<64x64x!tt.ptr<f8E4M3FN>, #along_n>, %sp: tensor<64x2x!tt.ptr<bf16>, #group>, %b: !b, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %w = tt.load %wp : tensor<64x64x!tt.ptr<f8E4M3FN>, #along_n>
    %l = ttg.convert_layout %w : tensor<64x64xf8E4M3FN, #along_n> -> tensor<64x64xf8E4M3FN, #turned>
    %f = tt.trans %l {order = array<i32: 1, 0>} : tensor<64x64xf8E4M3FN, #turned> -> tensor<64x64xf8E4M3FN, #a>
    %loaded = tt.load %sp : tensor<64x2x!tt.ptr<bf16>, #group>
    %s0 = ttg.convert_layout %loaded : tensor<64x2xbf16, #group> -> tensor<64x2xbf16, #scale>
    %s1 = tt.expand_dims %s0 {axis = 2 : i32} : tensor<64x2xbf16, #scale> -> tensor<64x2x1xbf16, #groups>
    %s2 = tt.broadcast %s1 : tensor<64x2x1xbf16, #groups> -> tensor<64x2x32xbf16, #groups>
    %s = tt.reshape %s2 : tensor<64x2x32xbf16, #groups> -> tensor<64x64xbf16, #a>
    %h = tt.fp_to_fp %f : tensor<64x64xf8E4M3FN, #a> -> tensor<64x64xbf16, #a>
    %x = arith.mulf %h, %s : tensor<64x64xbf16, #a>
    %d = ttng.warp_group_dot %x, %b, %acc {inputPrecision = 0 : i32} : tensor<64x64xbf16, #a> * !b -> !acc
    scf.yield %d : !acc
  }
  tt.return %r : !acc
}

// COM: A column of scales is loaded in the permuted order: its addresses are permuted, loop-carried ones before the
// COM: loop.
// CHECK-LABEL: @column_of_scales
// CHECK:       %[[RANGE:.*]] = tt.make_range
// CHECK:       tt.reshape %[[RANGE]] : {{.*}} -> tensor<4x8x2xi32
// CHECK:       tt.trans %{{.*}} {order = array<i32: 0, 2, 1>}
// CHECK:       %[[VIEW:.*]] = tt.reshape
// CHECK-NEXT:  %[[ORDER:.*]] = ttg.convert_layout %[[VIEW]]
// CHECK:       %[[AT:.*]] = tt.addptr %{{.*}}, %[[ORDER]]
// CHECK:       scf.for {{.*}} %[[P:[^ ]*]] = %[[AT]])
// CHECK:         %[[S:.*]] = tt.load %[[P]] : tensor<64x!tt.ptr<bf16>
// CHECK-NOT:     tt.load
// CHECK:         %[[E:.*]] = tt.expand_dims %[[S]] {axis = 1 : i32}
// CHECK:         %[[B:.*]] = tt.broadcast %[[E]]
// CHECK:         arith.mulf %{{.*}}, %[[B]]
// CHECK:         tt.addptr %[[P]]
tt.func @column_of_scales(%wp: tensor<64x64x!tt.ptr<f8E4M3FN>, #along_n>, %sp: !tt.ptr<bf16>, %b: !b, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %next = arith.constant dense<64> : tensor<64xi32, #ttg.slice<{dim = 1, parent = #a}>>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #a}>>
  %base = tt.splat %sp : !tt.ptr<bf16> -> tensor<64x!tt.ptr<bf16>, #ttg.slice<{dim = 1, parent = #a}>>
  %at = tt.addptr %base, %range : tensor<64x!tt.ptr<bf16>, #ttg.slice<{dim = 1, parent = #a}>>, tensor<64xi32, #ttg.slice<{dim = 1, parent = #a}>>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %p = %at) -> (!acc, tensor<64x!tt.ptr<bf16>, #ttg.slice<{dim = 1, parent = #a}>>) : i32 {
    %w = tt.load %wp : tensor<64x64x!tt.ptr<f8E4M3FN>, #along_n>
    %l = ttg.convert_layout %w : tensor<64x64xf8E4M3FN, #along_n> -> tensor<64x64xf8E4M3FN, #turned>
    %f = tt.trans %l {order = array<i32: 1, 0>} : tensor<64x64xf8E4M3FN, #turned> -> tensor<64x64xf8E4M3FN, #a>
    %s0 = tt.load %p : tensor<64x!tt.ptr<bf16>, #ttg.slice<{dim = 1, parent = #a}>>
    %s1 = tt.expand_dims %s0 {axis = 1 : i32} : tensor<64xbf16, #ttg.slice<{dim = 1, parent = #a}>> -> tensor<64x1xbf16, #a>
    %s = tt.broadcast %s1 : tensor<64x1xbf16, #a> -> tensor<64x64xbf16, #a>
    %h = tt.fp_to_fp %f : tensor<64x64xf8E4M3FN, #a> -> tensor<64x64xbf16, #a>
    %x = arith.mulf %h, %s : tensor<64x64xbf16, #a>
    %d = ttng.warp_group_dot %x, %b, %acc {inputPrecision = 0 : i32} : tensor<64x64xbf16, #a> * !b -> !acc
    %q = tt.addptr %p, %next : tensor<64x!tt.ptr<bf16>, #ttg.slice<{dim = 1, parent = #a}>>, tensor<64xi32, #ttg.slice<{dim = 1, parent = #a}>>
    scf.yield %d, %q : !acc, tensor<64x!tt.ptr<bf16>, #ttg.slice<{dim = 1, parent = #a}>>
  }
  tt.return %r#0 : !acc
}

// COM: K is contiguous: rows and their scales keep their order. The tile is copied in vectors of 16 bytes.
// CHECK-LABEL: @k_major
// CHECK:       scf.for
// CHECK:         %[[RAW:.*]] = ttg.local_alloc %{{.*}} : (tensor<64x64xi8
// CHECK:         ttg.local_load %[[RAW]] {dotload.staged = "fragments"}
// CHECK-NOT:     tt.reshape
// CHECK:         %[[W:.*]] = arith.sitofp
// CHECK-NEXT:    %[[A:.*]] = arith.mulf %[[W]], %arg1 :
// CHECK-NEXT:    ttng.warp_group_dot %[[A]]
// REMARK-DAG:  remark: stage-dot-operands: row-major A (K-major, 8 bits, converted to 16, tile 64x64) is staged through shared memory into registers: ld.shared.b16, bank-conflict-free
tt.func @k_major(%wp: tensor<64x64x!tt.ptr<i8>, #along_k>, %s: tensor<64x64xbf16, #a>, %b: !b, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %w = tt.load %wp : tensor<64x64x!tt.ptr<i8>, #along_k>
    %l = ttg.convert_layout %w : tensor<64x64xi8, #along_k> -> tensor<64x64xi8, #turned>
    %f = tt.trans %l {order = array<i32: 1, 0>} : tensor<64x64xi8, #turned> -> tensor<64x64xi8, #a>
    %h = arith.sitofp %f : tensor<64x64xi8, #a> to tensor<64x64xbf16, #a>
    %x = arith.mulf %h, %s : tensor<64x64xbf16, #a>
    %d = ttng.warp_group_dot %x, %b, %acc {inputPrecision = 0 : i32} : tensor<64x64xbf16, #a> * !b -> !acc
    scf.yield %d : !acc
  }
  tt.return %r : !acc
}

// COM: A byte packs two numbers along k: the bytes are staged, and unpacked where the kernel unpacks them.
// CHECK-LABEL: @two_numbers_a_byte
// CHECK:       scf.for
// CHECK:         %[[RAW:.*]] = ttg.local_alloc %{{.*}} : (tensor<32x64xi8
// CHECK:         ttg.local_load %[[RAW]] {dotload.staged = "fragments"}
// CHECK:         %[[BYTES:.*]] = builtin.unrealized_conversion_cast %{{.*}} to tensor<64x32xi8, #ttg.dot_op<{opIdx = 0, parent = #mma{{.*}}, kWidth = 1}>>
// CHECK-NEXT:    %[[A:.*]] = ttg.fp4_to_fp %[[BYTES]] {axis = 1 : i32}
// CHECK-NEXT:    ttng.warp_group_dot %[[A]]
// REMARK-DAG:  remark: stage-dot-operands: column-major A (not K-major, 8 bits, converted to 16, tile 32x64) is staged through shared memory into registers: ldmatrix.m8n8.x4.trans.shared.b16, bank-conflict-free
tt.func @two_numbers_a_byte(%wp: tensor<32x64x!tt.ptr<i8>, #along_n>, %b: !b, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %w = tt.load %wp : tensor<32x64x!tt.ptr<i8>, #along_n>
    %l = ttg.convert_layout %w : tensor<32x64xi8, #along_n> -> tensor<32x64xi8, #packed>
    %f = tt.trans %l {order = array<i32: 1, 0>} : tensor<32x64xi8, #packed> -> tensor<64x32xi8, #bytes>
    %x = ttg.fp4_to_fp %f {axis = 1 : i32} : tensor<64x32xi8, #bytes> -> tensor<64x64xbf16, #a>
    %d = ttng.warp_group_dot %x, %b, %acc {inputPrecision = 0 : i32} : tensor<64x64xbf16, #a> * !b -> !acc
    scf.yield %d : !acc
  }
  tt.return %r : !acc
}

// COM: Likewise with K contiguous: lanes read single bytes whatever the tile and the warps are, and no remark advises to
// COM: change these.
// CHECK-LABEL: @two_numbers_a_byte_along_k
// CHECK:         ttg.local_load %{{.*}} {dotload.staged = "fragments"}
// REMARK-DAG:  remark: stage-dot-operands: row-major A (K-major, 8 bits, converted to 16, tile 32x64) is staged through shared memory into registers: ld.shared.b8, bank-conflict-free{{$}}
tt.func @two_numbers_a_byte_along_k(%wp: tensor<32x64x!tt.ptr<i8>, #along_k>, %b: !b, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %w = tt.load %wp : tensor<32x64x!tt.ptr<i8>, #along_k>
    %l = ttg.convert_layout %w : tensor<32x64xi8, #along_k> -> tensor<32x64xi8, #packed>
    %f = tt.trans %l {order = array<i32: 1, 0>} : tensor<32x64xi8, #packed> -> tensor<64x32xi8, #bytes>
    %x = ttg.fp4_to_fp %f {axis = 1 : i32} : tensor<64x32xi8, #bytes> -> tensor<64x64xbf16, #a>
    %d = ttng.warp_group_dot %x, %b, %acc {inputPrecision = 0 : i32} : tensor<64x64xbf16, #a> * !b -> !acc
    scf.yield %d : !acc
  }
  tt.return %r : !acc
}

// COM: The values computed from the tile have a use other than the dot.
// CHECK-LABEL: @summed_too
// CHECK-NOT:   dotload.staged
// CHECK:       tt.return
// REMARK-DAG:  remark: stage-dot-operands: kept tt.load: {{.*}} A (not K-major, 8 bits, tile 64x64)
tt.func @summed_too(%wp: tensor<64x64x!tt.ptr<i8>, #along_n>, %s: tensor<64x64xbf16, #a>, %b: !b, %n: i32) -> (!acc, tensor<64x64xbf16, #a>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %none = arith.constant dense<0.0> : tensor<64x64xbf16, #a>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %sum = %none) -> (!acc, tensor<64x64xbf16, #a>) : i32 {
    %w = tt.load %wp : tensor<64x64x!tt.ptr<i8>, #along_n>
    %l = ttg.convert_layout %w : tensor<64x64xi8, #along_n> -> tensor<64x64xi8, #turned>
    %f = tt.trans %l {order = array<i32: 1, 0>} : tensor<64x64xi8, #turned> -> tensor<64x64xi8, #a>
    %h = arith.sitofp %f : tensor<64x64xi8, #a> to tensor<64x64xbf16, #a>
    %x = arith.mulf %h, %s : tensor<64x64xbf16, #a>
    %more = arith.addf %sum, %x : tensor<64x64xbf16, #a>
    %d = ttng.warp_group_dot %x, %b, %acc {inputPrecision = 0 : i32} : tensor<64x64xbf16, #a> * !b -> !acc
    scf.yield %d, %more : !acc, tensor<64x64xbf16, #a>
  }
  tt.return %r#0, %r#1 : !acc, tensor<64x64xbf16, #a>
}

// COM: Two dots use the values computed from the tile: the rows of both results would be permuted.
// CHECK-LABEL: @two_dots
// CHECK-NOT:   dotload.staged
// CHECK:       tt.return
// REMARK-DAG:  remark: stage-dot-operands: kept tt.load: {{.*}}column-major A (not K-major, 8 bits, converted to 16, tile 64x64) [OTHER_USES]
tt.func @two_dots(%wp: tensor<64x64x!tt.ptr<i8>, #along_n>, %s: tensor<64x64xbf16, #a>, %b: !b, %n: i32) -> (!acc, !acc) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%one = %zero, %two = %zero) -> (!acc, !acc) : i32 {
    %w = tt.load %wp : tensor<64x64x!tt.ptr<i8>, #along_n>
    %f = ttg.convert_layout %w : tensor<64x64xi8, #along_n> -> tensor<64x64xi8, #a>
    %t = arith.sitofp %f : tensor<64x64xi8, #a> to tensor<64x64xbf16, #a>
    %l = ttg.convert_layout %w : tensor<64x64xi8, #along_n> -> tensor<64x64xi8, #turned>
    %g = tt.trans %l {order = array<i32: 1, 0>} : tensor<64x64xi8, #turned> -> tensor<64x64xi8, #a>
    %h = arith.sitofp %g : tensor<64x64xi8, #a> to tensor<64x64xbf16, #a>
    %x = arith.mulf %h, %s : tensor<64x64xbf16, #a>
    %d = ttng.warp_group_dot %x, %b, %one {inputPrecision = 0 : i32} : tensor<64x64xbf16, #a> * !b -> !acc
    %e = ttng.warp_group_dot %x, %b, %two {inputPrecision = 0 : i32} : tensor<64x64xbf16, #a> * !b -> !acc
    scf.yield %d, %e : !acc, !acc
  }
  tt.return %r#0, %r#1 : !acc, !acc
}

// COM: 256 registers of accumulators and 128 of A do not fit.
// CHECK-LABEL: @many_registers
// CHECK-NOT:   dotload.staged
// CHECK:       tt.return
// REMARK-DAG:  remark: stage-dot-operands: kept tt.load: {{.*}} would take 384 registers per thread; {{.*}} tile 256x128) [MANY_REGISTERS]
tt.func @many_registers(%wp: tensor<256x128x!tt.ptr<i8>, #along_k>, %s: tensor<128x256xbf16, #wa>, %b: !ttg.memdesc<256x256xbf16, #wshared, #smem>, %n: i32) -> tensor<128x256xf32, #wide> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x256xf32, #wide>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x256xf32, #wide>) : i32 {
    %w = tt.load %wp : tensor<256x128x!tt.ptr<i8>, #along_k>
    %t = tt.trans %w {order = array<i32: 1, 0>} : tensor<256x128xi8, #along_k> -> tensor<128x256xi8, #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>>
    %f = ttg.convert_layout %t : tensor<128x256xi8, #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>> -> tensor<128x256xi8, #wa>
    %h = arith.sitofp %f : tensor<128x256xi8, #wa> to tensor<128x256xbf16, #wa>
    %x = arith.mulf %h, %s : tensor<128x256xbf16, #wa>
    %d = ttng.warp_group_dot %x, %b, %acc {inputPrecision = 0 : i32} : tensor<128x256xbf16, #wa> * !ttg.memdesc<256x256xbf16, #wshared, #smem> -> tensor<128x256xf32, #wide>
    scf.yield %d : tensor<128x256xf32, #wide>
  }
  tt.return %r : tensor<128x256xf32, #wide>
}
}
