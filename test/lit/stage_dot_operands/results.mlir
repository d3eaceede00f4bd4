// RUN: dotload-opt %s --stage-dot-operands | FileCheck %s

// COM: How the result of a permuted dot is stored: straight from its registers if these fill sectors of 32 bytes, with
// COM: pointers and mask recomputed; else through Triton's layout conversion.

#halves = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#ones = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#words = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#bytes = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#by_columns = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 32]}>
#mma32 = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 8]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#shared32 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#shared32t = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 32}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: A lane has two neighbouring n, one word of fp16, and eight lanes fill a sector. The store's layout keeps the
// COM: lanes of the dot, and orders registers as vectors.
// CHECK-DAG: #[[$MADE:.*]] = #ttg.linear<{register = {{\[\[}}1, 0], [0, 1], {{.*}}], lane = [[LANES:\[\[2, 0\], \[4, 0\], \[0, 2\], \[0, 4\], \[0, 8\]\]]],
// CHECK-DAG: #[[$STORED:.*]] = #ttg.linear<{register = {{\[\[}}0, 1], {{.*}}], lane = [[LANES]],
// CHECK-LABEL: @words_fill_sectors
// CHECK:       arith.truncf
// CHECK-NEXT:  %[[D:.*]] = builtin.unrealized_conversion_cast %{{.*}} to tensor<128x128xf16, #[[$MADE]]>
// CHECK-DAG:   %[[P:.*]] = ttg.convert_layout %{{.*}} -> tensor<128x128x!tt.ptr<f16>, #[[$STORED]]>
// CHECK-DAG:   %[[R:.*]] = ttg.convert_layout %[[D]] : {{.*}} -> tensor<128x128xf16, #[[$STORED]]>
// CHECK:       tt.store %[[P]], %[[R]] : tensor<128x128x!tt.ptr<f16>, #[[$STORED]]>
tt.func @words_fill_sectors(%as: !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>, %bp: tensor<64x128x!tt.ptr<f8E4M3FN>, #bytes>, %c: !tt.ptr<f16>) {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %b = tt.load %bp : tensor<64x128x!tt.ptr<f8E4M3FN>, #bytes>
  %bs = ttg.local_alloc %b : (tensor<64x128xf8E4M3FN, #bytes>) -> !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>
  %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
  %h = arith.truncf %d : tensor<128x128xf32, #mma> to tensor<128x128xf16, #mma>
  %r = ttg.convert_layout %h : tensor<128x128xf16, #mma> -> tensor<128x128xf16, #halves>
  %n = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #halves}>>
  %row = tt.expand_dims %n {axis = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #halves}>> -> tensor<1x128xi32, #halves>
  %offset = tt.broadcast %row : tensor<1x128xi32, #halves> -> tensor<128x128xi32, #halves>
  %base = tt.splat %c : !tt.ptr<f16> -> tensor<128x128x!tt.ptr<f16>, #halves>
  %cp = tt.addptr %base, %offset : tensor<128x128x!tt.ptr<f16>, #halves>, tensor<128x128xi32, #halves>
  tt.store %cp, %r : tensor<128x128x!tt.ptr<f16>, #halves>
  tt.return
}

// COM: A thread stores to 32 rows, one pair of columns in each. The columns are added to the pointer first, and values
// COM: that are the same for all elements before them. (Triton removes the original sum.)
// CHECK-LABEL: @rows_are_added_last
// CHECK-SAME:    %[[C:[^,]*]]: !tt.ptr<f16>, %[[STRIDE:[^,]*]]: i32, %[[START:[^,]*]]: i32
// CHECK-DAG:   %[[CONSTANT:.*]] = arith.constant dense<64> : tensor<128x1xi32, #blocked{{[0-9]*}}>
// CHECK-DAG:   %[[COLUMNS:.*]] = tt.expand_dims {{.*}} -> tensor<1x128xi32, #[[BLOCKED:blocked[0-9]*]]>
// CHECK-DAG:   %[[ROWS:.*]] = arith.muli {{.*}} : tensor<128x1xi32, #[[BLOCKED]]>
// CHECK-DAG:   %[[STARTS:.*]] = tt.splat %[[START]] : i32 -> tensor<128x1xi32, #[[BLOCKED]]>
// CHECK:       tt.addptr {{.*}} : tensor<128x128x!tt.ptr<f16>
// CHECK-NEXT:  %[[P0:.*]] = tt.splat %[[C]] : !tt.ptr<f16> -> tensor<128x1x!tt.ptr<f16>, #[[BLOCKED]]>
// CHECK-NEXT:  %[[P1:.*]] = tt.addptr %[[P0]], %[[STARTS]]
// CHECK-NEXT:  %[[PC:.*]] = tt.addptr %[[P1]], %[[CONSTANT]]
// CHECK-NEXT:  %[[P2:.*]] = tt.broadcast %[[PC]] : {{.*}} -> tensor<128x128x!tt.ptr<f16>, #[[BLOCKED]]>
// CHECK-NEXT:  %[[O2:.*]] = tt.broadcast %[[COLUMNS]] : tensor<1x128xi32
// CHECK-NEXT:  %[[P3:.*]] = tt.addptr %[[P2]], %[[O2]]
// CHECK-NEXT:  %[[O3:.*]] = tt.broadcast %[[ROWS]] : tensor<128x1xi32
// CHECK-NEXT:  %[[P4:.*]] = tt.addptr %[[P3]], %[[O3]]
// CHECK-NEXT:  %[[P:.*]] = ttg.convert_layout %[[P4]] : {{.*}} -> tensor<128x128x!tt.ptr<f16>, #[[$STORED]]>
// CHECK:       tt.store %[[P]]
tt.func @rows_are_added_last(%c: !tt.ptr<f16>, %stride: i32, %start: i32, %as: !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>, %bp: tensor<64x128x!tt.ptr<f8E4M3FN>, #bytes>) {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %b = tt.load %bp : tensor<64x128x!tt.ptr<f8E4M3FN>, #bytes>
  %bs = ttg.local_alloc %b : (tensor<64x128xf8E4M3FN, #bytes>) -> !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>
  %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
  %h = arith.truncf %d : tensor<128x128xf32, #mma> to tensor<128x128xf16, #mma>
  %r = ttg.convert_layout %h : tensor<128x128xf16, #mma> -> tensor<128x128xf16, #halves>
  %m = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 1, parent = #halves}>>
  %n = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #halves}>>
  %columns = tt.expand_dims %n {axis = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #halves}>> -> tensor<1x128xi32, #halves>
  %numbers = tt.expand_dims %m {axis = 1 : i32} : tensor<128xi32, #ttg.slice<{dim = 1, parent = #halves}>> -> tensor<128x1xi32, #halves>
  %strides = tt.splat %stride : i32 -> tensor<128x1xi32, #halves>
  %rows = arith.muli %numbers, %strides : tensor<128x1xi32, #halves>
  %starts = tt.splat %start : i32 -> tensor<128x1xi32, #halves>
  %p0 = tt.splat %c : !tt.ptr<f16> -> tensor<128x1x!tt.ptr<f16>, #halves>
  %p1 = tt.addptr %p0, %rows : tensor<128x1x!tt.ptr<f16>, #halves>, tensor<128x1xi32, #halves>
  %p2 = tt.addptr %p1, %starts : tensor<128x1x!tt.ptr<f16>, #halves>, tensor<128x1xi32, #halves>
  %sixty_four = arith.constant dense<64> : tensor<128x1xi32, #halves>
  %pc = tt.addptr %p2, %sixty_four : tensor<128x1x!tt.ptr<f16>, #halves>, tensor<128x1xi32, #halves>
  %p3 = tt.broadcast %pc : tensor<128x1x!tt.ptr<f16>, #halves> -> tensor<128x128x!tt.ptr<f16>, #halves>
  %offsets = tt.broadcast %columns : tensor<1x128xi32, #halves> -> tensor<128x128xi32, #halves>
  %p4 = tt.addptr %p3, %offsets : tensor<128x128x!tt.ptr<f16>, #halves>, tensor<128x128xi32, #halves>
  tt.store %p4, %r : tensor<128x128x!tt.ptr<f16>, #halves>
  tt.return
}

// COM: The user's hints (tl.multiple_of) apply to the sum of the pointers, so the sum keeps its order.
// CHECK-LABEL: @hints_are_kept
// CHECK:       %[[P:.*]] = tt.addptr {{.*}} {tt.divisibility = dense<[1, 16]> : tensor<2xi32>} : tensor<128x128x!tt.ptr<f16>
// CHECK-NOT:   tt.addptr
// CHECK:       ttg.convert_layout %[[P]] : {{.*}} -> tensor<128x128x!tt.ptr<f16>, #[[$STORED]]>
tt.func @hints_are_kept(%c: !tt.ptr<f16>, %stride: i32, %start: i32, %as: !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>, %bp: tensor<64x128x!tt.ptr<f8E4M3FN>, #bytes>) {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %b = tt.load %bp : tensor<64x128x!tt.ptr<f8E4M3FN>, #bytes>
  %bs = ttg.local_alloc %b : (tensor<64x128xf8E4M3FN, #bytes>) -> !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>
  %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
  %h = arith.truncf %d : tensor<128x128xf32, #mma> to tensor<128x128xf16, #mma>
  %r = ttg.convert_layout %h : tensor<128x128xf16, #mma> -> tensor<128x128xf16, #halves>
  %m = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 1, parent = #halves}>>
  %n = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #halves}>>
  %columns = tt.expand_dims %n {axis = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #halves}>> -> tensor<1x128xi32, #halves>
  %numbers = tt.expand_dims %m {axis = 1 : i32} : tensor<128xi32, #ttg.slice<{dim = 1, parent = #halves}>> -> tensor<128x1xi32, #halves>
  %strides = tt.splat %stride : i32 -> tensor<128x1xi32, #halves>
  %rows = arith.muli %numbers, %strides : tensor<128x1xi32, #halves>
  %starts = tt.splat %start : i32 -> tensor<128x1xi32, #halves>
  %p0 = tt.splat %c : !tt.ptr<f16> -> tensor<128x1x!tt.ptr<f16>, #halves>
  %p1 = tt.addptr %p0, %rows : tensor<128x1x!tt.ptr<f16>, #halves>, tensor<128x1xi32, #halves>
  %p2 = tt.addptr %p1, %starts : tensor<128x1x!tt.ptr<f16>, #halves>, tensor<128x1xi32, #halves>
  %p3 = tt.broadcast %p2 : tensor<128x1x!tt.ptr<f16>, #halves> -> tensor<128x128x!tt.ptr<f16>, #halves>
  %offsets = tt.broadcast %columns : tensor<1x128xi32, #halves> -> tensor<128x128xi32, #halves>
  %p4 = tt.addptr %p3, %offsets {tt.divisibility = dense<[1, 16]> : tensor<2xi32>} : tensor<128x128x!tt.ptr<f16>, #halves>, tensor<128x128xi32, #halves>
  tt.store %p4, %r : tensor<128x128x!tt.ptr<f16>, #halves>
  tt.return
}

// COM: Pointers that are not based on a single pointer keep their order of additions.
// CHECK-LABEL: @no_one_pointer
// CHECK:       %[[P0:.*]] = arith.select
// CHECK-NEXT:  %[[P1:.*]] = tt.addptr %[[P0]], %{{.*}} : tensor<128x1x!tt.ptr<f16>
// CHECK:       %[[P2:.*]] = tt.broadcast %[[P1]]
// CHECK:       %[[P3:.*]] = tt.addptr %[[P2]]
// CHECK-NOT:   tt.addptr
// CHECK:       ttg.convert_layout %[[P3]] : {{.*}} -> tensor<128x128x!tt.ptr<f16>, #[[$STORED]]>
tt.func @no_one_pointer(%c: !tt.ptr<f16>, %d: !tt.ptr<f16>, %stride: i32, %as: !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>, %bp: tensor<64x128x!tt.ptr<f8E4M3FN>, #bytes>) {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %b = tt.load %bp : tensor<64x128x!tt.ptr<f8E4M3FN>, #bytes>
  %bs = ttg.local_alloc %b : (tensor<64x128xf8E4M3FN, #bytes>) -> !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>
  %acc = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
  %h = arith.truncf %acc : tensor<128x128xf32, #mma> to tensor<128x128xf16, #mma>
  %r = ttg.convert_layout %h : tensor<128x128xf16, #mma> -> tensor<128x128xf16, #halves>
  %m = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 1, parent = #halves}>>
  %n = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #halves}>>
  %columns = tt.expand_dims %n {axis = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #halves}>> -> tensor<1x128xi32, #halves>
  %numbers = tt.expand_dims %m {axis = 1 : i32} : tensor<128xi32, #ttg.slice<{dim = 1, parent = #halves}>> -> tensor<128x1xi32, #halves>
  %strides = tt.splat %stride : i32 -> tensor<128x1xi32, #halves>
  %rows = arith.muli %numbers, %strides : tensor<128x1xi32, #halves>
  %is_first = arith.cmpi slt, %numbers, %strides : tensor<128x1xi32, #halves>
  %cs = tt.splat %c : !tt.ptr<f16> -> tensor<128x1x!tt.ptr<f16>, #halves>
  %ds = tt.splat %d : !tt.ptr<f16> -> tensor<128x1x!tt.ptr<f16>, #halves>
  %p0 = arith.select %is_first, %cs, %ds : tensor<128x1xi1, #halves>, tensor<128x1x!tt.ptr<f16>, #halves>
  %p1 = tt.addptr %p0, %rows : tensor<128x1x!tt.ptr<f16>, #halves>, tensor<128x1xi32, #halves>
  %p2 = tt.broadcast %p1 : tensor<128x1x!tt.ptr<f16>, #halves> -> tensor<128x128x!tt.ptr<f16>, #halves>
  %offsets = tt.broadcast %columns : tensor<1x128xi32, #halves> -> tensor<128x128xi32, #halves>
  %p3 = tt.addptr %p2, %offsets : tensor<128x128x!tt.ptr<f16>, #halves>, tensor<128x128xi32, #halves>
  tt.store %p3, %r : tensor<128x128x!tt.ptr<f16>, #halves>
  tt.return
}

// COM: With a mask, each row that a thread stores to takes a predicate besides its address: 32 rows here, which are too
// COM: many.
// CHECK-LABEL: @masked_rows
// CHECK:       %[[R:.*]] = ttg.convert_layout %{{.*}} -> tensor<128x128xf16, #[[HALVES:blocked[0-9]*]]>
// CHECK:       tt.store %{{.*}}, %[[R]], %{{.*}} : tensor<128x128x!tt.ptr<f16>, #[[HALVES]]>
tt.func @masked_rows(%as: !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>, %bp: tensor<64x128x!tt.ptr<f8E4M3FN>, #bytes>, %c: !tt.ptr<f16>, %columns: i32) {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %b = tt.load %bp : tensor<64x128x!tt.ptr<f8E4M3FN>, #bytes>
  %bs = ttg.local_alloc %b : (tensor<64x128xf8E4M3FN, #bytes>) -> !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>
  %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
  %h = arith.truncf %d : tensor<128x128xf32, #mma> to tensor<128x128xf16, #mma>
  %r = ttg.convert_layout %h : tensor<128x128xf16, #mma> -> tensor<128x128xf16, #halves>
  %n = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #halves}>>
  %row = tt.expand_dims %n {axis = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #halves}>> -> tensor<1x128xi32, #halves>
  %end = tt.splat %columns : i32 -> tensor<1x128xi32, #halves>
  %inside = arith.cmpi slt, %row, %end : tensor<1x128xi32, #halves>
  %mask = tt.broadcast %inside : tensor<1x128xi1, #halves> -> tensor<128x128xi1, #halves>
  %offset = tt.broadcast %row : tensor<1x128xi32, #halves> -> tensor<128x128xi32, #halves>
  %base = tt.splat %c : !tt.ptr<f16> -> tensor<128x128x!tt.ptr<f16>, #halves>
  %cp = tt.addptr %base, %offset : tensor<128x128x!tt.ptr<f16>, #halves>, tensor<128x128xi32, #halves>
  tt.store %cp, %r, %mask : tensor<128x128x!tt.ptr<f16>, #halves>
  tt.return
}

// COM: Pointers that Triton does not know to be aligned are stored to element by element, so no sectors are filled.
// CHECK-LABEL: @unaligned
// CHECK:       tt.store %{{.*}}, %{{.*}} : tensor<128x128x!tt.ptr<f16>, #[[ONES:blocked[0-9]*]]>
tt.func @unaligned(%as: !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>, %bp: tensor<64x128x!tt.ptr<f8E4M3FN>, #bytes>, %c: !tt.ptr<f16>) {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %b = tt.load %bp : tensor<64x128x!tt.ptr<f8E4M3FN>, #bytes>
  %bs = ttg.local_alloc %b : (tensor<64x128xf8E4M3FN, #bytes>) -> !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>
  %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
  %h = arith.truncf %d : tensor<128x128xf32, #mma> to tensor<128x128xf16, #mma>
  %r = ttg.convert_layout %h : tensor<128x128xf16, #mma> -> tensor<128x128xf16, #ones>
  %n = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #ones}>>
  %row = tt.expand_dims %n {axis = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #ones}>> -> tensor<1x128xi32, #ones>
  %offset = tt.broadcast %row : tensor<1x128xi32, #ones> -> tensor<128x128xi32, #ones>
  %base = tt.splat %c : !tt.ptr<f16> -> tensor<128x128x!tt.ptr<f16>, #ones>
  %cp = tt.addptr %base, %offset : tensor<128x128x!tt.ptr<f16>, #ones>, tensor<128x128xi32, #ones>
  tt.store %cp, %r : tensor<128x128x!tt.ptr<f16>, #ones>
  tt.return
}

// COM: Pairs of tf32 are read and stored together: 8 bytes per lane.
// CHECK-LABEL: @pairs_of_words
// CHECK:       tt.store %{{.*}}, %{{.*}} : tensor<128x128x!tt.ptr<f32>, #[[$STORED]]>
tt.func @pairs_of_words(%as: !ttg.memdesc<128x32xf32, #shared32, #smem>, %bp: tensor<32x128x!tt.ptr<f32>, #words>, %c: !tt.ptr<f32>) {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma32>
  %b = tt.load %bp : tensor<32x128x!tt.ptr<f32>, #words>
  %bs = ttg.local_alloc %b : (tensor<32x128xf32, #words>) -> !ttg.memdesc<32x128xf32, #shared32t, #smem>
  %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<128x32xf32, #shared32, #smem> * !ttg.memdesc<32x128xf32, #shared32t, #smem> -> tensor<128x128xf32, #mma32>
  %r = ttg.convert_layout %d : tensor<128x128xf32, #mma32> -> tensor<128x128xf32, #words>
  %cp = tt.splat %c : !tt.ptr<f32> -> tensor<128x128x!tt.ptr<f32>, #words>
  tt.store %cp, %r : tensor<128x128x!tt.ptr<f32>, #words>
  tt.return
}

// COM: The pointers are a function argument: permuting them would move more bytes than the result has.
// CHECK-LABEL: @pointers_that_cannot_be_computed_anew
// CHECK:       %[[R:.*]] = ttg.convert_layout %{{.*}} -> tensor<128x128xf16, #[[HALVES:blocked[0-9]*]]>
// CHECK:       tt.store %{{.*}}, %[[R]] : tensor<128x128x!tt.ptr<f16>, #[[HALVES]]>
tt.func @pointers_that_cannot_be_computed_anew(%as: !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>, %bp: tensor<64x128x!tt.ptr<f8E4M3FN>, #bytes>, %cp: tensor<128x128x!tt.ptr<f16>, #halves>) {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %b = tt.load %bp : tensor<64x128x!tt.ptr<f8E4M3FN>, #bytes>
  %bs = ttg.local_alloc %b : (tensor<64x128xf8E4M3FN, #bytes>) -> !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>
  %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
  %h = arith.truncf %d : tensor<128x128xf32, #mma> to tensor<128x128xf16, #mma>
  %r = ttg.convert_layout %h : tensor<128x128xf16, #mma> -> tensor<128x128xf16, #halves>
  tt.store %cp, %r : tensor<128x128x!tt.ptr<f16>, #halves>
  tt.return
}

// COM: With A permuted, the dot is not transposed: four lanes hold 16 bytes of a row, half a sector.
// CHECK-LABEL: @half_a_sector
// CHECK:       %[[R:.*]] = ttg.convert_layout %{{.*}} -> tensor<128x128xf16, #[[HALVES]]>
// CHECK:       tt.store %{{.*}}, %[[R]] : tensor<128x128x!tt.ptr<f16>, #[[HALVES]]>
tt.func @half_a_sector(%ap: tensor<128x64x!tt.ptr<f8E4M3FN>, #by_columns>, %bs: !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>, %c: !tt.ptr<f16>) {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %a = tt.load %ap : tensor<128x64x!tt.ptr<f8E4M3FN>, #by_columns>
  %as = ttg.local_alloc %a : (tensor<128x64xf8E4M3FN, #by_columns>) -> !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>
  %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
  %h = arith.truncf %d : tensor<128x128xf32, #mma> to tensor<128x128xf16, #mma>
  %r = ttg.convert_layout %h : tensor<128x128xf16, #mma> -> tensor<128x128xf16, #halves>
  %cp = tt.splat %c : !tt.ptr<f16> -> tensor<128x128x!tt.ptr<f16>, #halves>
  tt.store %cp, %r : tensor<128x128x!tt.ptr<f16>, #halves>
  tt.return
}

// COM: Triton propagates layouts through views, but fails on the select that it makes of such a branch: the module does
// COM: not verify. It does not propagate them through a cast, so the result is permuted back by a cast.
// CHECK-LABEL: @yielded_by_a_branch
// CHECK:       %[[D:.*]] = ttng.warp_group_dot
// CHECK-NEXT:  %[[CAST:.*]] = builtin.unrealized_conversion_cast %[[D]]
// CHECK-NEXT:  %[[R:.*]] = ttg.convert_layout %[[CAST]]
// CHECK-NOT:   tt.trans
// CHECK:       scf.yield %[[R]]
tt.func @yielded_by_a_branch(%as: !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>, %bp: tensor<64x128x!tt.ptr<f8E4M3FN>, #bytes>, %restarts: i1) -> tensor<128x128xf32, #mma> {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %b = tt.load %bp : tensor<64x128x!tt.ptr<f8E4M3FN>, #bytes>
  %bs = ttg.local_alloc %b : (tensor<64x128xf8E4M3FN, #bytes>) -> !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>
  %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
  %r = scf.if %restarts -> (tensor<128x128xf32, #mma>) {
    scf.yield %zero : tensor<128x128xf32, #mma>
  } else {
    scf.yield %d : tensor<128x128xf32, #mma>
  }
  tt.return %r : tensor<128x128xf32, #mma>
}

// COM: MLIR may merge the ends of branches, and passes operands that differ as arguments: that of a cast would be a
// COM: tensor.
// CHECK-LABEL: @computed_in_a_branch
// CHECK:       %[[D:.*]] = ttng.warp_group_dot
// CHECK-NOT:   builtin.unrealized_conversion_cast %[[D]]
// CHECK:       tt.trans
// CHECK:       %[[R:.*]] = ttg.convert_layout
// CHECK:       scf.yield %[[R]]
tt.func @computed_in_a_branch(%as: !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>, %bp: tensor<64x128x!tt.ptr<f8E4M3FN>, #bytes>, %restarts: i1) -> tensor<128x128xf32, #bytes> {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %empty = arith.constant dense<0.0> : tensor<128x128xf32, #bytes>
  %r = scf.if %restarts -> (tensor<128x128xf32, #bytes>) {
    scf.yield %empty : tensor<128x128xf32, #bytes>
  } else {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<f8E4M3FN>, #bytes>
    %bs = ttg.local_alloc %b : (tensor<64x128xf8E4M3FN, #bytes>) -> !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
    %c = ttg.convert_layout %d : tensor<128x128xf32, #mma> -> tensor<128x128xf32, #bytes>
    scf.yield %c : tensor<128x128xf32, #bytes>
  }
  tt.return %r : tensor<128x128xf32, #bytes>
}
}
