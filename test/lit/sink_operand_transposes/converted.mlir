// RUN: dotload-opt %s --sink-operand-transposes --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t --implicit-check-not=remark:

// COM: A tile that the kernel transposes and then converts is converted as it is loaded. wgmma reads its memory through
// COM: a view.

#rows = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#tma = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#a = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// CHECK-DAG:   #[[ROWS:.*]] = #ttg.blocked<{sizePerThread = [1, 16], {{.*}} order = [1, 0]}>
// CHECK-DAG:   #[[STORED:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
// CHECK-DAG:   #[[VIEW:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
// CHECK-LABEL: @weights
// CHECK:       %[[W:.*]] = tt.descriptor_load
// CHECK-NEXT:  %[[F:.*]] = arith.sitofp %[[W]] : tensor<128x64xi8, #[[ROWS]]> to tensor<128x64xf16, #[[ROWS]]>
// CHECK-NEXT:  %[[M:.*]] = ttg.local_alloc %[[F]] : {{.*}} -> !ttg.memdesc<128x64xf16, #[[STORED]], #smem>
// CHECK-NEXT:  %[[V:.*]] = ttg.memdesc_trans %[[M]] {{.*}} -> !ttg.memdesc<64x128xf16, #[[VIEW]], #smem>
// CHECK-NEXT:  ttng.warp_group_dot %{{.*}}, %[[V]]
// REMARK:      remark: sink-operand-transposes: the tile is converted as it is loaded: its memory is transposed by a view
tt.func @weights(%desc: !tt.tensordesc<128x64xi8, #tma>, %i: i32, %as: !ttg.memdesc<128x64xf16, #a, #smem>) -> tensor<128x128xf32, #mma> {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %w = tt.descriptor_load %desc[%i, %i] : !tt.tensordesc<128x64xi8, #tma> -> tensor<128x64xi8, #rows>
  %t = tt.trans %w {order = array<i32: 1, 0>} : tensor<128x64xi8, #rows> -> tensor<64x128xi8, #columns>
  %f = arith.sitofp %t : tensor<64x128xi8, #columns> to tensor<64x128xf16, #columns>
  %bs = ttg.local_alloc %f : (tensor<64x128xf16, #columns>) -> !ttg.memdesc<64x128xf16, #b, #smem>
  %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xf16, #a, #smem> * !ttg.memdesc<64x128xf16, #b, #smem> -> tensor<128x128xf32, #mma>
  tt.return %d : tensor<128x128xf32, #mma>
}

// COM: A zero point is the same in every element.
// CHECK-LABEL: @zero_point
// CHECK:       %[[W:.*]] = tt.load
// CHECK:       %[[F:.*]] = arith.sitofp %[[W]]
// CHECK-NEXT:  %[[Z:.*]] = arith.constant dense<8.000000e+00> : tensor<128x64xf16, #[[ROWS]]>
// CHECK-NEXT:  %[[S:.*]] = arith.subf %[[F]], %[[Z]]
// CHECK-NEXT:  ttg.local_alloc %[[S]]
// REMARK:      remark: sink-operand-transposes
tt.func @zero_point(%p: tensor<128x64x!tt.ptr<i8>, #rows>, %as: !ttg.memdesc<128x64xf16, #a, #smem>) -> tensor<128x128xf32, #mma> {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %point = arith.constant dense<8.0> : tensor<64x128xf16, #columns>
  %w = tt.load %p : tensor<128x64x!tt.ptr<i8>, #rows>
  %t = tt.trans %w {order = array<i32: 1, 0>} : tensor<128x64xi8, #rows> -> tensor<64x128xi8, #columns>
  %f = arith.sitofp %t : tensor<64x128xi8, #columns> to tensor<64x128xf16, #columns>
  %s = arith.subf %f, %point : tensor<64x128xf16, #columns>
  %bs = ttg.local_alloc %s : (tensor<64x128xf16, #columns>) -> !ttg.memdesc<64x128xf16, #b, #smem>
  %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xf16, #a, #smem> * !ttg.memdesc<64x128xf16, #b, #smem> -> tensor<128x128xf32, #mma>
  tt.return %d : tensor<128x128xf32, #mma>
}

// COM: A scale of each element has the layout of the transpose.
// CHECK-LABEL: @scaled
// CHECK:       tt.trans
// CHECK-NOT:   ttg.memdesc_trans
// CHECK:       tt.return
tt.func @scaled(%p: tensor<128x64x!tt.ptr<i8>, #rows>, %scale: tensor<64x128xf16, #columns>, %as: !ttg.memdesc<128x64xf16, #a, #smem>) -> tensor<128x128xf32, #mma> {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %w = tt.load %p : tensor<128x64x!tt.ptr<i8>, #rows>
  %t = tt.trans %w {order = array<i32: 1, 0>} : tensor<128x64xi8, #rows> -> tensor<64x128xi8, #columns>
  %f = arith.sitofp %t : tensor<64x128xi8, #columns> to tensor<64x128xf16, #columns>
  %s = arith.mulf %f, %scale : tensor<64x128xf16, #columns>
  %bs = ttg.local_alloc %s : (tensor<64x128xf16, #columns>) -> !ttg.memdesc<64x128xf16, #b, #smem>
  %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xf16, #a, #smem> * !ttg.memdesc<64x128xf16, #b, #smem> -> tensor<128x128xf32, #mma>
  tt.return %d : tensor<128x128xf32, #mma>
}

// COM: The transpose, or the converted tile, is needed elsewhere too.
// CHECK-LABEL: @stored_too
// CHECK-NOT:   ttg.memdesc_trans
// CHECK:       tt.return
tt.func @stored_too(%p: tensor<128x64x!tt.ptr<i8>, #rows>, %o: tensor<64x128x!tt.ptr<i8>, #columns>, %as: !ttg.memdesc<128x64xf16, #a, #smem>) -> tensor<128x128xf32, #mma> {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %w = tt.load %p : tensor<128x64x!tt.ptr<i8>, #rows>
  %t = tt.trans %w {order = array<i32: 1, 0>} : tensor<128x64xi8, #rows> -> tensor<64x128xi8, #columns>
  tt.store %o, %t : tensor<64x128x!tt.ptr<i8>, #columns>
  %f = arith.sitofp %t : tensor<64x128xi8, #columns> to tensor<64x128xf16, #columns>
  %bs = ttg.local_alloc %f : (tensor<64x128xf16, #columns>) -> !ttg.memdesc<64x128xf16, #b, #smem>
  %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xf16, #a, #smem> * !ttg.memdesc<64x128xf16, #b, #smem> -> tensor<128x128xf32, #mma>
  tt.return %d : tensor<128x128xf32, #mma>
}

// CHECK-LABEL: @converted_stored_too
// CHECK-NOT:   ttg.memdesc_trans
// CHECK:       tt.return
tt.func @converted_stored_too(%p: tensor<128x64x!tt.ptr<i8>, #rows>, %o: tensor<64x128x!tt.ptr<f16>, #columns>, %as: !ttg.memdesc<128x64xf16, #a, #smem>) -> tensor<128x128xf32, #mma> {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %w = tt.load %p : tensor<128x64x!tt.ptr<i8>, #rows>
  %t = tt.trans %w {order = array<i32: 1, 0>} : tensor<128x64xi8, #rows> -> tensor<64x128xi8, #columns>
  %f = arith.sitofp %t : tensor<64x128xi8, #columns> to tensor<64x128xf16, #columns>
  tt.store %o, %f : tensor<64x128x!tt.ptr<f16>, #columns>
  %bs = ttg.local_alloc %f : (tensor<64x128xf16, #columns>) -> !ttg.memdesc<64x128xf16, #b, #smem>
  %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xf16, #a, #smem> * !ttg.memdesc<64x128xf16, #b, #smem> -> tensor<128x128xf32, #mma>
  tt.return %d : tensor<128x128xf32, #mma>
}

// COM: Threads read the memory too, in the order that it has.
// CHECK-LABEL: @read_again
// CHECK-NOT:   ttg.memdesc_trans
// CHECK:       tt.return
tt.func @read_again(%p: tensor<128x64x!tt.ptr<i8>, #rows>, %as: !ttg.memdesc<128x64xf16, #a, #smem>) -> (tensor<128x128xf32, #mma>, tensor<64x128xf16, #columns>) {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %w = tt.load %p : tensor<128x64x!tt.ptr<i8>, #rows>
  %t = tt.trans %w {order = array<i32: 1, 0>} : tensor<128x64xi8, #rows> -> tensor<64x128xi8, #columns>
  %f = arith.sitofp %t : tensor<64x128xi8, #columns> to tensor<64x128xf16, #columns>
  %bs = ttg.local_alloc %f : (tensor<64x128xf16, #columns>) -> !ttg.memdesc<64x128xf16, #b, #smem>
  %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xf16, #a, #smem> * !ttg.memdesc<64x128xf16, #b, #smem> -> tensor<128x128xf32, #mma>
  %again = ttg.local_load %bs : !ttg.memdesc<64x128xf16, #b, #smem> -> tensor<64x128xf16, #columns>
  tt.return %d, %again : tensor<128x128xf32, #mma>, tensor<64x128xf16, #columns>
}

// COM: This transpose exchanges nothing.
// CHECK-LABEL: @in_order
// CHECK-NOT:   ttg.memdesc_trans
// CHECK:       tt.return
tt.func @in_order(%p: tensor<64x128x!tt.ptr<i8>, #columns>, %as: !ttg.memdesc<128x64xf16, #a, #smem>) -> tensor<128x128xf32, #mma> {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %w = tt.load %p : tensor<64x128x!tt.ptr<i8>, #columns>
  %t = tt.trans %w {order = array<i32: 0, 1>} : tensor<64x128xi8, #columns> -> tensor<64x128xi8, #columns>
  %f = arith.sitofp %t : tensor<64x128xi8, #columns> to tensor<64x128xf16, #columns>
  %bs = ttg.local_alloc %f : (tensor<64x128xf16, #columns>) -> !ttg.memdesc<64x128xf16, #b, #smem>
  %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xf16, #a, #smem> * !ttg.memdesc<64x128xf16, #b, #smem> -> tensor<128x128xf32, #mma>
  tt.return %d : tensor<128x128xf32, #mma>
}
}
