// RUN: dotload-opt %s --stage-dot-operands --remarks 2>&1 >/dev/null | FileCheck %s --implicit-check-not='loaded by'

// COM: B is staged in all kernels; the number of bytes that a thread loads at once depends on the row stride. Of words,
// COM: it is at least one, also at an address that is loaded.
// CHECK: row-major B (not K-major, 8 bits, tile 64x128) is staged
// CHECK: loaded one byte at a time; pass pointers and strides divisible by 16; use `tl.multiple_of` for an index: row-major B{{.*}} [NARROW_LOADS]
// CHECK: loaded 4 bytes at a time; pass pointers and strides divisible by 16; use `tl.multiple_of` for an index: row-major B{{.*}} [NARROW_LOADS]
// CHECK: loaded 4 bytes at a time; {{.*}}: row-major B (not K-major, 32 bits, tile 32x128) [NARROW_LOADS]

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#words = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma32 = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 8]}>
#of_words = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#of_words1 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 32}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 32]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func @stride_unknown(%as: !ttg.memdesc<128x64xi8, #shared, #smem>, %base: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %stride: i32) -> tensor<128x128xi32, #mma> {
  %zero = arith.constant dense<0> : tensor<128x128xi32, #mma>
  %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
  %n = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
  %k2 = tt.expand_dims %k {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64x1xi32, #blocked>
  %n2 = tt.expand_dims %n {axis = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x128xi32, #blocked>
  %strides = tt.splat %stride : i32 -> tensor<64x1xi32, #blocked>
  %starts = arith.muli %k2, %strides : tensor<64x1xi32, #blocked>
  %rows = tt.broadcast %starts : tensor<64x1xi32, #blocked> -> tensor<64x128xi32, #blocked>
  %columns = tt.broadcast %n2 : tensor<1x128xi32, #blocked> -> tensor<64x128xi32, #blocked>
  %offsets = arith.addi %rows, %columns : tensor<64x128xi32, #blocked>
  %bases = tt.splat %base : !tt.ptr<i8> -> tensor<64x128x!tt.ptr<i8>, #blocked>
  %bp = tt.addptr %bases, %offsets : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
  %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
  %bs = ttg.local_alloc %b : (tensor<64x128xi8, #blocked>) -> !ttg.memdesc<64x128xi8, #shared1, #smem>
  %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xi8, #shared, #smem> * !ttg.memdesc<64x128xi8, #shared1, #smem> -> tensor<128x128xi32, #mma>
  tt.return %d : tensor<128x128xi32, #mma>
}

tt.func @stride_of_four(%as: !ttg.memdesc<128x64xi8, #shared, #smem>, %base: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %stride: i32 {tt.divisibility = 4 : i32}) -> tensor<128x128xi32, #mma> {
  %zero = arith.constant dense<0> : tensor<128x128xi32, #mma>
  %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
  %n = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
  %k2 = tt.expand_dims %k {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64x1xi32, #blocked>
  %n2 = tt.expand_dims %n {axis = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x128xi32, #blocked>
  %strides = tt.splat %stride : i32 -> tensor<64x1xi32, #blocked>
  %starts = arith.muli %k2, %strides : tensor<64x1xi32, #blocked>
  %rows = tt.broadcast %starts : tensor<64x1xi32, #blocked> -> tensor<64x128xi32, #blocked>
  %columns = tt.broadcast %n2 : tensor<1x128xi32, #blocked> -> tensor<64x128xi32, #blocked>
  %offsets = arith.addi %rows, %columns : tensor<64x128xi32, #blocked>
  %bases = tt.splat %base : !tt.ptr<i8> -> tensor<64x128x!tt.ptr<i8>, #blocked>
  %bp = tt.addptr %bases, %offsets : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
  %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
  %bs = ttg.local_alloc %b : (tensor<64x128xi8, #blocked>) -> !ttg.memdesc<64x128xi8, #shared1, #smem>
  %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xi8, #shared, #smem> * !ttg.memdesc<64x128xi8, #shared1, #smem> -> tensor<128x128xi32, #mma>
  tt.return %d : tensor<128x128xi32, #mma>
}

tt.func @stride_of_sixteen(%as: !ttg.memdesc<128x64xi8, #shared, #smem>, %base: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %stride: i32 {tt.divisibility = 16 : i32}) -> tensor<128x128xi32, #mma> {
  %zero = arith.constant dense<0> : tensor<128x128xi32, #mma>
  %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
  %n = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
  %k2 = tt.expand_dims %k {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64x1xi32, #blocked>
  %n2 = tt.expand_dims %n {axis = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x128xi32, #blocked>
  %strides = tt.splat %stride : i32 -> tensor<64x1xi32, #blocked>
  %starts = arith.muli %k2, %strides : tensor<64x1xi32, #blocked>
  %rows = tt.broadcast %starts : tensor<64x1xi32, #blocked> -> tensor<64x128xi32, #blocked>
  %columns = tt.broadcast %n2 : tensor<1x128xi32, #blocked> -> tensor<64x128xi32, #blocked>
  %offsets = arith.addi %rows, %columns : tensor<64x128xi32, #blocked>
  %bases = tt.splat %base : !tt.ptr<i8> -> tensor<64x128x!tt.ptr<i8>, #blocked>
  %bp = tt.addptr %bases, %offsets : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
  %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
  %bs = ttg.local_alloc %b : (tensor<64x128xi8, #blocked>) -> !ttg.memdesc<64x128xi8, #shared1, #smem>
  %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xi8, #shared, #smem> * !ttg.memdesc<64x128xi8, #shared1, #smem> -> tensor<128x128xi32, #mma>
  tt.return %d : tensor<128x128xi32, #mma>
}
// COM: Rows of pages: the kernel is given the page of each row; strides of rows and of pages are multiples of 16.
tt.func @rows_of_pages(%as: !ttg.memdesc<128x64xi8, #shared, #smem>, %base: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %stride: i32 {tt.divisibility = 16 : i32}, %pages: tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>) -> tensor<128x128xi32, #mma> {
  %zero = arith.constant dense<0> : tensor<128x128xi32, #mma>
  %c16 = arith.constant dense<16> : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
  %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
  %n = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
  %place = arith.remsi %k, %c16 : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
  %place2 = tt.expand_dims %place {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64x1xi32, #blocked>
  %pages2 = tt.expand_dims %pages {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64x1xi32, #blocked>
  %n2 = tt.expand_dims %n {axis = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x128xi32, #blocked>
  %strides = tt.splat %stride : i32 -> tensor<64x1xi32, #blocked>
  %in_page = arith.muli %place2, %strides : tensor<64x1xi32, #blocked>
  %page = arith.muli %pages2, %strides : tensor<64x1xi32, #blocked>
  %starts = arith.addi %page, %in_page : tensor<64x1xi32, #blocked>
  %rows = tt.broadcast %starts : tensor<64x1xi32, #blocked> -> tensor<64x128xi32, #blocked>
  %columns = tt.broadcast %n2 : tensor<1x128xi32, #blocked> -> tensor<64x128xi32, #blocked>
  %offsets = arith.addi %rows, %columns : tensor<64x128xi32, #blocked>
  %bases = tt.splat %base : !tt.ptr<i8> -> tensor<64x128x!tt.ptr<i8>, #blocked>
  %bp = tt.addptr %bases, %offsets : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
  %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
  %bs = ttg.local_alloc %b : (tensor<64x128xi8, #blocked>) -> !ttg.memdesc<64x128xi8, #shared1, #smem>
  %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xi8, #shared, #smem> * !ttg.memdesc<64x128xi8, #shared1, #smem> -> tensor<128x128xi32, #mma>
  tt.return %d : tensor<128x128xi32, #mma>
}

tt.func @loaded_address(%as: !ttg.memdesc<128x32xf32, #of_words, #smem>, %addresses: !tt.ptr<i64>, %stride: i32 {tt.divisibility = 16 : i32}) -> tensor<128x128xf32, #mma32> {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma32>
  %address = tt.load %addresses : !tt.ptr<i64>
  %base = tt.int_to_ptr %address : i64 -> !tt.ptr<f32>
  %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #words}>>
  %n = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #words}>>
  %k2 = tt.expand_dims %k {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #words}>> -> tensor<32x1xi32, #words>
  %n2 = tt.expand_dims %n {axis = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #words}>> -> tensor<1x128xi32, #words>
  %strides = tt.splat %stride : i32 -> tensor<32x1xi32, #words>
  %starts = arith.muli %k2, %strides : tensor<32x1xi32, #words>
  %rows = tt.broadcast %starts : tensor<32x1xi32, #words> -> tensor<32x128xi32, #words>
  %columns = tt.broadcast %n2 : tensor<1x128xi32, #words> -> tensor<32x128xi32, #words>
  %offsets = arith.addi %rows, %columns : tensor<32x128xi32, #words>
  %bases = tt.splat %base : !tt.ptr<f32> -> tensor<32x128x!tt.ptr<f32>, #words>
  %bp = tt.addptr %bases, %offsets : tensor<32x128x!tt.ptr<f32>, #words>, tensor<32x128xi32, #words>
  %b = tt.load %bp : tensor<32x128x!tt.ptr<f32>, #words>
  %bs = ttg.local_alloc %b : (tensor<32x128xf32, #words>) -> !ttg.memdesc<32x128xf32, #of_words1, #smem>
  %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<128x32xf32, #of_words, #smem> * !ttg.memdesc<32x128xf32, #of_words1, #smem> -> tensor<128x128xf32, #mma32>
  tt.return %d : tensor<128x128xf32, #mma32>
}
}
