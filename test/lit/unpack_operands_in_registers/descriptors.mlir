// RUN: dotload-opt %s --unpack-operands-in-registers --stage-dot-operands --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

#rows = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#turned = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#half = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [16, 2], warpsPerCTA = [4, 1], order = [1, 0]}>
#joined = #ttg.blocked<{sizePerThread = [1, 16, 2], threadsPerWarp = [16, 2, 1], warpsPerCTA = [4, 1, 1], order = [2, 1, 0]}>
#wide = #ttg.blocked<{sizePerThread = [1, 32], threadsPerWarp = [16, 2], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#sharedt = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#bytes = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#few = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 8}>
#smem = #ttg.shared_memory
!a = !ttg.memdesc<64x64xf16, #shared, #smem>
!b = !ttg.memdesc<64x128xf16, #sharedt, #smem>
!bt = !ttg.memdesc<128x64xf16, #shared, #smem>
!c = tensor<64x128xf32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Weights as [N, K], loaded through a descriptor, transposed, converted and scaled by column. The tile is read from
// COM: the memory that TMA writes. Remarks name the kernel's operand, though the dot is transposed.
// CHECK-LABEL: @scaled_after_the_transpose
// CHECK:       %[[B:.*]] = tt.descriptor_load
// CHECK-NEXT:  %[[M:.*]] = ttg.local_alloc %[[B]]
// CHECK:       %[[R:.*]] = ttg.local_load %[[M]] {dotload.staged = "fragments"}
// CHECK:       %[[W:.*]] = arith.sitofp %{{.*}} : tensor<128x64xi8, #ttg.dot_op
// CHECK:       %[[H:.*]] = arith.mulf %[[W]], %{{.*}} : tensor<128x64xf16, #ttg.dot_op
// CHECK-NOT:   ttg.local_alloc
// CHECK:       ttng.warp_group_dot {{.*}} -> tensor<128x64xf32,
// REMARK:      unpack-operands-in-registers: operand 64x128 is unpacked in registers
// REMARK:      stage-dot-operands: column-major B (K-major, 8 bits, converted to 16, tile 128x64) is staged
tt.func @scaled_after_the_transpose(%a: !a, %desc: !tt.tensordesc<128x64xi8, #bytes>, %sp: !tt.ptr<f16>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %p = tt.splat %sp : !tt.ptr<f16> -> tensor<1x128x!tt.ptr<f16>, #turned>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %b = tt.descriptor_load %desc[%c0, %i] : !tt.tensordesc<128x64xi8, #bytes> -> tensor<128x64xi8, #rows>
    %s = tt.load %p : tensor<1x128x!tt.ptr<f16>, #turned>
    %t = tt.trans %b {order = array<i32: 1, 0>} : tensor<128x64xi8, #rows> -> tensor<64x128xi8, #turned>
    %w = arith.sitofp %t : tensor<64x128xi8, #turned> to tensor<64x128xf16, #turned>
    %x = tt.broadcast %s : tensor<1x128xf16, #turned> -> tensor<64x128xf16, #turned>
    %h = arith.mulf %w, %x : tensor<64x128xf16, #turned>
    %m = ttg.local_alloc %h : (tensor<64x128xf16, #turned>) -> !b
    %d = ttng.warp_group_dot %a, %m, %acc {inputPrecision = 0 : i32} : !a * !b -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: Assembly takes four bytes of a word, of which a register of A holds two neighbours along k.
// CHECK-LABEL: @computed_by_assembly
// CHECK-NOT:   dotload.staged
// CHECK:       ttng.warp_group_dot {{.*}} -> tensor<64x128xf32,
tt.func @computed_by_assembly(%a: !a, %desc: !tt.tensordesc<128x64xi8, #bytes>, %sp: !tt.ptr<f16>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %p = tt.splat %sp : !tt.ptr<f16> -> tensor<1x128x!tt.ptr<f16>, #turned>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %b = tt.descriptor_load %desc[%c0, %i] : !tt.tensordesc<128x64xi8, #bytes> -> tensor<128x64xi8, #rows>
    %s = tt.load %p : tensor<1x128x!tt.ptr<f16>, #turned>
    %t = tt.trans %b {order = array<i32: 1, 0>} : tensor<128x64xi8, #rows> -> tensor<64x128xi8, #turned>
    %q = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=r,r", packed_element = 4 : i32, pure = true} %t : tensor<64x128xi8, #turned> -> tensor<64x128xi8, #turned>
    %w = arith.sitofp %q : tensor<64x128xi8, #turned> to tensor<64x128xf16, #turned>
    %x = tt.broadcast %s : tensor<1x128xf16, #turned> -> tensor<64x128xf16, #turned>
    %h = arith.mulf %w, %x : tensor<64x128xf16, #turned>
    %m = ttg.local_alloc %h : (tensor<64x128xf16, #turned>) -> !b
    %d = ttng.warp_group_dot %a, %m, %acc {inputPrecision = 0 : i32} : !a * !b -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: Two numbers in a byte, joined along K. Nothing is staged: pairs are read from the memory that TMA writes.
// CHECK-LABEL: @two_in_a_byte
// CHECK:       %[[B:.*]] = tt.descriptor_load
// CHECK-NEXT:  ttg.convert_layout %[[B]] : {{.*}} -> tensor<128x32xi8, #linear
// CHECK-NOT:   ttg.local_alloc
// CHECK:       ttng.warp_group_dot {{.*}} -> tensor<128x64xf32,
tt.func @two_in_a_byte(%a: !a, %desc: !tt.tensordesc<128x32xi8, #few>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %mask = arith.constant dense<15> : tensor<128x32xi8, #half>
  %four = arith.constant dense<4> : tensor<128x32xi8, #half>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %b = tt.descriptor_load %desc[%c0, %i] : !tt.tensordesc<128x32xi8, #few> -> tensor<128x32xi8, #half>
    %l = arith.andi %b, %mask : tensor<128x32xi8, #half>
    %u = arith.shrui %b, %four : tensor<128x32xi8, #half>
    %j = tt.join %l, %u : tensor<128x32xi8, #half> -> tensor<128x32x2xi8, #joined>
    %f = tt.reshape %j : tensor<128x32x2xi8, #joined> -> tensor<128x64xi8, #wide>
    %w = arith.sitofp %f : tensor<128x64xi8, #wide> to tensor<128x64xf16, #wide>
    %mt = ttg.local_alloc %w : (tensor<128x64xf16, #wide>) -> !bt
    %m = ttg.memdesc_trans %mt {order = array<i32: 1, 0>} : !bt -> !b
    %d = ttng.warp_group_dot %a, %m, %acc {inputPrecision = 0 : i32} : !a * !b -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: A row of scales that is loaded through a descriptor cannot be loaded again in the layout of fragments.
// CHECK-LABEL: @row_through_a_descriptor
// CHECK:       arith.mulf %{{.*}} : tensor<64x128xf16, #blocked
// CHECK:       ttng.warp_group_dot {{.*}} -> tensor<64x128xf32,
tt.func @row_through_a_descriptor(%a: !a, %desc: !tt.tensordesc<128x64xi8, #bytes>, %scales: !tt.tensordesc<1x128xf16, #shared>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %b = tt.descriptor_load %desc[%c0, %i] : !tt.tensordesc<128x64xi8, #bytes> -> tensor<128x64xi8, #rows>
    %s = tt.descriptor_load %scales[%i, %c0] : !tt.tensordesc<1x128xf16, #shared> -> tensor<1x128xf16, #turned>
    %t = tt.trans %b {order = array<i32: 1, 0>} : tensor<128x64xi8, #rows> -> tensor<64x128xi8, #turned>
    %w = arith.sitofp %t : tensor<64x128xi8, #turned> to tensor<64x128xf16, #turned>
    %x = tt.broadcast %s : tensor<1x128xf16, #turned> -> tensor<64x128xf16, #turned>
    %h = arith.mulf %w, %x : tensor<64x128xf16, #turned>
    %m = ttg.local_alloc %h : (tensor<64x128xf16, #turned>) -> !b
    %d = ttng.warp_group_dot %a, %m, %acc {inputPrecision = 0 : i32} : !a * !b -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}
}
