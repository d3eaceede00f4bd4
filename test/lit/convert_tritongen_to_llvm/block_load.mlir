// RUN: dotload-opt -convert-tritongen-to-llvm -split-input-file %s | FileCheck %s

// COM: The base is aligned down to 64 bytes; width and x (in 2-byte elements) grow by the difference. The four sizes
// COM: are bytes of an element, columns, rows, blocks.
// CHECK: llvm.func spir_funccc @_Z32__spirv_Subgroup2DBlockLoadINTELiiiiPU3AS1viiiDv2_iPv(i32, i32, i32, i32, !llvm.ptr<1> {llvm.nonnull, llvm.readonly}, i32, i32, i32, vector<2xi32>, !llvm.ptr {llvm.nonnull, llvm.writeonly}) attributes {no_unwind, will_return}
llvm.func @triton_gen.2Dblockload(%ptr: !llvm.ptr<1>, %base_width: i32, %base_height: i32, %base_pitch: i32, %x: i32, %y: i32) {
  // CHECK-LABEL: llvm.func @triton_gen.2Dblockload(%arg0: !llvm.ptr<1>, %arg1: i32, %arg2: i32, %arg3: i32, %arg4: i32, %arg5: i32) {
  // CHECK-NEXT:   %[[LENGTH:.*]] = llvm.mlir.constant(16 : i32) : i32
  // CHECK-NEXT:   %[[ROOM:.*]] = llvm.alloca %[[LENGTH]] x i16 : (i32) -> !llvm.ptr
  // CHECK-NEXT:   %[[ADDRESS:.*]] = llvm.ptrtoint %arg0 : !llvm.ptr<1> to i64
  // CHECK-NEXT:   %[[LOW:.*]] = llvm.mlir.constant(63 : i64) : i64
  // CHECK-NEXT:   %[[SKEW64:.*]] = llvm.and %[[ADDRESS]], %[[LOW]] : i64
  // CHECK-NEXT:   %[[SKEW:.*]] = llvm.trunc %[[SKEW64]] : i64 to i32
  // CHECK-NEXT:   %[[HIGH:.*]] = llvm.mlir.constant(-64 : i64) : i64
  // CHECK-NEXT:   %[[ALIGNED:.*]] = llvm.and %[[ADDRESS]], %[[HIGH]] : i64
  // CHECK-NEXT:   %[[BASE:.*]] = llvm.inttoptr %[[ALIGNED]] : i64 to !llvm.ptr<1>
  // CHECK-NEXT:   %[[WIDTH:.*]] = llvm.add %arg1, %[[SKEW]] : i32
  // CHECK-NEXT:   %[[BYTES:.*]] = llvm.mlir.constant(2 : i32) : i32
  // CHECK-NEXT:   %[[ELEMENTS:.*]] = llvm.udiv %[[SKEW]], %[[BYTES]] : i32
  // CHECK-NEXT:   %[[X:.*]] = llvm.add %arg4, %[[ELEMENTS]] : i32
  // CHECK-NEXT:   %[[UNDEF:.*]] = llvm.mlir.undef : vector<2xi32>
  // CHECK-NEXT:   %[[C0:.*]] = llvm.mlir.constant(0 : i32) : i32
  // CHECK-NEXT:   %[[XY0:.*]] = llvm.insertelement %[[X]], %[[UNDEF]][%[[C0]] : i32] : vector<2xi32>
  // CHECK-NEXT:   %[[C1:.*]] = llvm.mlir.constant(1 : i32) : i32
  // CHECK-NEXT:   %[[XY:.*]] = llvm.insertelement %arg5, %[[XY0]][%[[C1]] : i32] : vector<2xi32>
  // CHECK-NEXT:   %[[SIZE:.*]] = llvm.mlir.constant(2 : i32) : i32
  // CHECK-NEXT:   %[[COLUMNS:.*]] = llvm.mlir.constant(16 : i32) : i32
  // CHECK-NEXT:   %[[ROWS:.*]] = llvm.mlir.constant(8 : i32) : i32
  // CHECK-NEXT:   %[[BLOCKS:.*]] = llvm.mlir.constant(2 : i32) : i32
  // CHECK-NEXT:   llvm.call spir_funccc @_Z32__spirv_Subgroup2DBlockLoadINTELiiiiPU3AS1viiiDv2_iPv(%[[SIZE]], %[[COLUMNS]], %[[ROWS]], %[[BLOCKS]], %[[BASE]], %[[WIDTH]], %arg2, %arg3, %[[XY]], %[[ROOM]]) {{{.*}}no_unwind{{.*}}will_return} : (i32, i32, i32, i32, !llvm.ptr<1> {llvm.nonnull, llvm.readonly}, i32, i32, i32, vector<2xi32>, !llvm.ptr {llvm.nonnull, llvm.writeonly}) -> ()
  // CHECK-NEXT:   llvm.load %[[ROOM]] : !llvm.ptr -> vector<16xi16>
  %0 = triton_gen.2Dblockload %ptr, %base_width, %base_height, %base_pitch, %x, %y {elem_size_in_bits=16, tile_width=16, tile_height=8, v_blocks=2, transpose=false, vnni_transform=false, cache_control=Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<16xi16>
  llvm.return
}

// -----

// COM: A cache control becomes decorations of operand 4, the base.
// CHECK-LABEL: llvm.func @transposed
// CHECK: llvm.call spir_funccc @_Z41__spirv_Subgroup2DBlockLoadTransposeINTELiiiiPU3AS1viiiDv2_iPv({{.*}}triton_gen.DecorationCacheControlINTEL = #triton_gen.decoration_cache_control<#triton_gen.load_cache_control<0, Streaming, 4>, #triton_gen.load_cache_control<1, Uncached, 4>>
llvm.func @transposed(%ptr: !llvm.ptr<1>, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32) {
  %0 = triton_gen.2Dblockload %ptr, %w, %h, %p, %x, %y {elem_size_in_bits=32, tile_width=8, tile_height=32, v_blocks=1, transpose=true, vnni_transform=false, cache_control=L1S_L3UC} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<16xi32>
  llvm.return
}

// -----

// CHECK-LABEL: llvm.func @transformed
// CHECK: llvm.call spir_funccc @_Z41__spirv_Subgroup2DBlockLoadTransformINTELiiiiPU3AS1viiiDv2_iPv(
// CHECK: llvm.load {{.*}} -> vector<32xi32>
llvm.func @transformed(%ptr: !llvm.ptr<1>, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32) {
  %0 = triton_gen.2Dblockload %ptr, %w, %h, %p, %x, %y {elem_size_in_bits=16, tile_width=16, tile_height=32, v_blocks=2, transpose=false, vnni_transform=true, cache_control=Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<32xi32>
  llvm.return
}

// -----

// COM: A target that takes any base at a multiple of 4 bytes: the base is not aligned.
module attributes {"ttig.2d_block_io_base_alignment" = 4 : i32} {
  // CHECK-LABEL: llvm.func @nothing_to_align
  // CHECK-NOT: llvm.ptrtoint
  // CHECK: llvm.call spir_funccc @_Z32__spirv_Subgroup2DBlockLoadINTEL{{.*}}(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %arg0, %arg1, %arg2, %arg3,
  llvm.func @nothing_to_align(%ptr: !llvm.ptr<1>, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32) {
    %0 = triton_gen.2Dblockload %ptr, %w, %h, %p, %x, %y {elem_size_in_bits=16, tile_width=16, tile_height=8, v_blocks=1, transpose=false, vnni_transform=false, cache_control=Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi16>
    llvm.return
  }
}
