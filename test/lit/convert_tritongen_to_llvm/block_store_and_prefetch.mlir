// RUN: dotload-opt -convert-tritongen-to-llvm -split-input-file %s | FileCheck %s

// COM: The stored vector is passed through private memory of the lane; its pointer comes before the base.
// CHECK: llvm.func spir_funccc @_Z33__spirv_Subgroup2DBlockStoreINTELiiiiPvPU3AS1viiiDv2_i(i32, i32, i32, i32, !llvm.ptr {llvm.nonnull, llvm.readonly}, !llvm.ptr<1> {llvm.nonnull, llvm.writeonly}, i32, i32, i32, vector<2xi32>) attributes {no_unwind, will_return}
// CHECK-LABEL: llvm.func @store
// CHECK:      %[[ROOM:.*]] = llvm.alloca %{{.*}} x i16
// CHECK-NEXT: llvm.store %arg6, %[[ROOM]] : vector<8xi16>, !llvm.ptr
// CHECK:      %[[BASE:.*]] = llvm.inttoptr
// CHECK:      llvm.call spir_funccc @_Z33__spirv_Subgroup2DBlockStoreINTELiiiiPvPU3AS1viiiDv2_i(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[ROOM]], %[[BASE]], %{{.*}}, %arg2, %arg3, %{{.*}}) {{.*}}#triton_gen.store_cache_control<0, WriteBack, 5>, #triton_gen.store_cache_control<1, WriteBack, 5>
llvm.func @store(%ptr: !llvm.ptr<1>, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32, %v: vector<8xi16>) {
  triton_gen.2Dblockstore %ptr, %w, %h, %p, %x, %y, %v {elem_size_in_bits=16, tile_width=16, tile_height=8, v_blocks=1, cache_control=L1WB_L3WB} : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<8xi16>)
  llvm.return
}

// -----

// CHECK: llvm.func spir_funccc @_Z36__spirv_Subgroup2DBlockPrefetchINTELiiiiPU3AS1viiiDv2_i(i32, i32, i32, i32, !llvm.ptr<1> {llvm.nonnull}, i32, i32, i32, vector<2xi32>) attributes {memory_effects = #llvm.memory_effects<other = none, argMem = read, {{.*}}>, no_unwind}
// CHECK-LABEL: llvm.func @prefetch
// CHECK: llvm.and
// CHECK: llvm.call spir_funccc @_Z36__spirv_Subgroup2DBlockPrefetchINTELiiiiPU3AS1viiiDv2_i(
llvm.func @prefetch(%ptr: !llvm.ptr<1>, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32) {
  triton_gen.2Dblockprefetch %ptr, %w, %h, %p, %x, %y {elem_size_in_bits=16, tile_width=16, tile_height=32, v_blocks=2, cache_control=L1C_L3C} : (!llvm.ptr<1>, i32, i32, i32, i32, i32)
  llvm.return
}
