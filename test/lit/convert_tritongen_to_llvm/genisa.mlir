// RUN: dotload-opt -convert-tritongen-to-llvm -split-input-file %s | FileCheck %s
// RUN: dotload-opt -convert-tritongen-to-llvm=emit=genisa -split-input-file %s | FileCheck %s --check-prefixes=CHECK,FORCED

// COM: SPV_INTEL_2d_block_io has no 32b_4r4x1c, so the intrinsic of GenISA is called. It takes the extents minus one.
// CHECK-LABEL: llvm.func @no_such_builtin
// CHECK:      %[[ALIGNED:.*]] = llvm.inttoptr
// CHECK:      %[[BASE:.*]] = llvm.ptrtoint %[[ALIGNED]] : !llvm.ptr<1> to i64
// CHECK-NEXT: %[[ONE:.*]] = llvm.mlir.constant(1 : i32) : i32
// CHECK-NEXT: %[[W:.*]] = llvm.sub %{{.*}}, %[[ONE]] : i32
// CHECK-NEXT: %[[H:.*]] = llvm.sub %arg2, %[[ONE]] : i32
// CHECK-NEXT: %[[P:.*]] = llvm.sub %arg3, %[[ONE]] : i32
// CHECK:      llvm.call spir_funccc @llvm.genx.GenISA.LSC2DBlockRead.v1i32(%[[BASE]], %[[W]], %[[H]], %[[P]], %{{.*}}, %arg5,
llvm.func @no_such_builtin(%ptr: !llvm.ptr<1>, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32) {
  %0 = triton_gen.2Dblockload %ptr, %w, %h, %p, %x, %y {elem_size_in_bits=32, tile_width=4, tile_height=4, v_blocks=1, transpose=false, vnni_transform=false, cache_control=Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<1xi32>
  llvm.return
}

// -----

// COM: The SPIR-V builtins exist for 16 lanes only.
module attributes {"ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: llvm.func @subgroup_of_32
  // CHECK: llvm.call spir_funccc @llvm.genx.GenISA.LSC2DBlockRead.v4i16(
  // CHECK: llvm.call spir_funccc @llvm.genx.GenISA.LSC2DBlockWrite.v4i16({{.*}}, %arg6)
  llvm.func @subgroup_of_32(%ptr: !llvm.ptr<1>, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32, %v: vector<4xi16>) {
    %0 = triton_gen.2Dblockload %ptr, %w, %h, %p, %x, %y {elem_size_in_bits=16, tile_width=16, tile_height=8, v_blocks=1, transpose=false, vnni_transform=false, cache_control=Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<4xi16>
    triton_gen.2Dblockstore %ptr, %w, %h, %p, %x, %y, %v {elem_size_in_bits=16, tile_width=16, tile_height=8, v_blocks=1, cache_control=Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<4xi16>)
    llvm.return
  }
}

// -----

// COM: An LTS driver has none of the builtins, neither for blocks nor for the matrix unit.
module attributes {ttig.is_lts} {
  // CHECK-LABEL: llvm.func @long_term_support
  // CHECK: llvm.call spir_funccc @llvm.genx.GenISA.LSC2DBlockPrefetch.isVoid(
  // CHECK: llvm.call spir_funccc @llvm.genx.GenISA.sub.group.dpas.v8f32.v8f32.v8i16.v8i32(%arg6, %arg7, %arg8,
  llvm.func @long_term_support(%ptr: !llvm.ptr<1>, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32, %c: vector<8xf32>, %a: vector<8xi16>, %b: vector<8xi32>) {
    triton_gen.2Dblockprefetch %ptr, %w, %h, %p, %x, %y {elem_size_in_bits=16, tile_width=16, tile_height=32, v_blocks=2, cache_control=L1C_L3C} : (!llvm.ptr<1>, i32, i32, i32, i32, i32)
    %0 = triton_gen.dpas %c, %a, %b {pa = f16, pb = f16, rc = 8} : (vector<8xf32>, vector<8xi16>, vector<8xi32>) -> vector<8xf32>
    llvm.return
  }
}

// -----

// COM: An option selects GenISA where SPIR-V would do. The first of the two flags says: transposed.
// FORCED-LABEL: llvm.func @on_request
// FORCED: %[[TRANSPOSE:.*]] = llvm.mlir.constant(true) : i1
// FORCED: %[[VNNI:.*]] = llvm.mlir.constant(false) : i1
// FORCED: llvm.call spir_funccc @llvm.genx.GenISA.LSC2DBlockRead.v16i32({{.*}}, %[[TRANSPOSE]], %[[VNNI]], %{{.*}})
llvm.func @on_request(%ptr: !llvm.ptr<1>, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32) {
  %0 = triton_gen.2Dblockload %ptr, %w, %h, %p, %x, %y {elem_size_in_bits=32, tile_width=8, tile_height=32, v_blocks=1, transpose=true, vnni_transform=false, cache_control=Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<16xi32>
  llvm.return
}
