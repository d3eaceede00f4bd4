// RUN: dotload-opt %s --stage-dot-operands --remarks 2>&1 >/dev/null | FileCheck %s --implicit-check-not='loaded by'

// COM: B is staged in all three kernels; the number of bytes that a thread loads at once depends on the row stride.
// CHECK: row-major B (not K-major, 8 bits, tile 64x128) is staged
// CHECK: loaded one byte at a time; pass pointers and strides divisible by 16; use `tl.multiple_of` for an index: row-major B{{.*}} [NARROW_LOADS]
// CHECK: loaded 4 bytes at a time; pass pointers and strides divisible by 16; use `tl.multiple_of` for an index: row-major B{{.*}} [NARROW_LOADS]

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
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
}
