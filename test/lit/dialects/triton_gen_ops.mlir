// RUN: dotload-opt %s | FileCheck %s

module attributes {"ttg.threads-per-warp" = 16 : i32} {
  // CHECK-LABEL: llvm.func @block_messages
  llvm.func @block_messages(%p: !llvm.ptr<1>, %w: i32, %h: i32, %pitch: i32, %x: i32, %y: i32, %v: vector<8xi16>) {
    // COM: 2 tiles x 8 rows x 16 columns of 16 bits over 16 lanes: 16 elements of 16 bits per lane.
    // CHECK: triton_gen.2Dblockload %{{.*}} {elem_size_in_bits = 16, tile_width = 16, tile_height = 8, v_blocks = 2, transpose = false, vnni_transform = false, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<16xi16>
    %0 = triton_gen.2Dblockload %p, %w, %h, %pitch, %x, %y {elem_size_in_bits = 16, tile_width = 16, tile_height = 8, v_blocks = 2, transpose = false, vnni_transform = false, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<16xi16>
    // CHECK: vnni_transform = true, cache_control = L1C_L3C} : {{.*}} -> vector<8xi32>
    %1 = triton_gen.2Dblockload %p, %w, %h, %pitch, %x, %y {elem_size_in_bits=16, tile_width=16, tile_height=16, v_blocks=1, transpose=false, vnni_transform=true, cache_control=L1C_L3C} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi32>
    // CHECK: triton_gen.2Dblockstore %{{.*}} {elem_size_in_bits = 16, tile_width = 16, tile_height = 8, v_blocks = 1, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<8xi16>)
    triton_gen.2Dblockstore %p, %w, %h, %pitch, %x, %y, %v {elem_size_in_bits = 16, tile_width = 16, tile_height = 8, v_blocks = 1, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<8xi16>)
    // CHECK: triton_gen.2Dblockprefetch %{{.*}} {elem_size_in_bits = 8, tile_width = 32, tile_height = 8, v_blocks = 1, cache_control = L1C_L3UC} : (!llvm.ptr<1>, i32, i32, i32, i32, i32)
    triton_gen.2Dblockprefetch %p, %w, %h, %pitch, %x, %y {elem_size_in_bits = 8, tile_width = 32, tile_height = 8, v_blocks = 1, cache_control = L1C_L3UC} : (!llvm.ptr<1>, i32, i32, i32, i32, i32)
    // COM: A prefetch returns nothing, so it may have more blocks of 32 bits than a load.
    // CHECK: triton_gen.2Dblockprefetch %{{.*}} {elem_size_in_bits = 32, tile_width = 4, tile_height = 8, v_blocks = 4, cache_control = Default}
    triton_gen.2Dblockprefetch %p, %w, %h, %pitch, %x, %y {elem_size_in_bits = 32, tile_width = 4, tile_height = 8, v_blocks = 4, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32)
    llvm.return
  }

  // CHECK-LABEL: llvm.func @dpas
  llvm.func @dpas(%c: vector<8xf32>, %a: vector<8xi16>, %b: vector<8xi32>) -> vector<8xf32> {
    // CHECK: triton_gen.dpas %{{.*}}, %{{.*}}, %{{.*}} {pa = f16, pb = f16, rc = 8} : (vector<8xf32>, vector<8xi16>, vector<8xi32>) -> vector<8xf32>
    %0 = triton_gen.dpas %c, %a, %b {pa = f16, pb = f16, rc = 8} : (vector<8xf32>, vector<8xi16>, vector<8xi32>) -> vector<8xf32>
    llvm.return %0 : vector<8xf32>
  }

  // CHECK-LABEL: llvm.func @scaled(%arg0: vector<8xf32>, %arg1: vector<8xi16>, %arg2: vector<8xi32>, %arg3: i8) {
  llvm.func @scaled(%c: vector<8xf32>, %a: vector<8xi16>, %b: vector<8xi32>, %s: i8) {
    // CHECK-NEXT: %0 = triton_gen.bdpas %arg0, %arg1, %arg2, %arg3, %arg3 {pa = hf8, pb = bf8, rc = 8} : (vector<8xf32>, vector<8xi16>, vector<8xi32>, i8, i8) -> vector<8xf32>
    %d = triton_gen.bdpas %c, %a, %b, %s, %s {pa=hf8, pb=bf8, rc=8} : (vector<8xf32>, vector<8xi16>, vector<8xi32>, i8, i8) -> vector<8xf32>
    llvm.return
  }

  // CHECK-LABEL: llvm.func @accesses
  llvm.func @accesses(%local: !llvm.ptr<3>, %global: !llvm.ptr<1>, %alignment: i64, %predicate: i1, %value: i32) {
    // CHECK-NEXT: %0 = triton_gen.sub_group_block_read %arg0 : !llvm.ptr<3> -> vector<8xi16>
    %0 = triton_gen.sub_group_block_read %local : !llvm.ptr<3> -> vector<8xi16>
    // CHECK-NEXT: triton_gen.sub_group_block_write %arg0, %0 : !llvm.ptr<3>, vector<8xi16>
    triton_gen.sub_group_block_write %local, %0 : !llvm.ptr<3>, vector<8xi16>
    // CHECK-NEXT: %1 = triton_gen.predicated_load %arg1, %arg2, %arg3, %arg4 {cache_control = Default} : (!llvm.ptr<1>, i64, i1, i32) -> i32
    %1 = triton_gen.predicated_load %global, %alignment, %predicate, %value {cache_control=Default} : (!llvm.ptr<1>, i64, i1, i32) -> i32
    // CHECK-NEXT: triton_gen.predicated_store %arg1, %1, %arg2, %arg3 {cache_control = L1WB_L3WB} : (!llvm.ptr<1>, i32, i64, i1)
    triton_gen.predicated_store %global, %1, %alignment, %predicate {cache_control=L1WB_L3WB} : (!llvm.ptr<1>, i32, i64, i1)
    llvm.return
  }

  // CHECK-LABEL: llvm.func @barriers
  llvm.func @barriers(%x: f32) attributes {triton_gen.max_work_group_size = array<i32: 128, 1, 1>} {
    // CHECK: triton_gen.barrier {mem_fence = Local}
    triton_gen.barrier {mem_fence=Local}
    // CHECK: triton_gen.split_barrier_signal {mem_fence = None, mem_scope = WorkGroup}
    triton_gen.split_barrier_signal {mem_fence=None, mem_scope=WorkGroup}
    // CHECK: triton_gen.split_barrier_wait {mem_fence = None, mem_scope = WorkGroup}
    triton_gen.split_barrier_wait {mem_fence=None, mem_scope=WorkGroup}
    // CHECK: triton_gen.f_to_tf32 %arg0 : f32
    %0 = triton_gen.f_to_tf32 %x : f32
    llvm.return
  }
}
