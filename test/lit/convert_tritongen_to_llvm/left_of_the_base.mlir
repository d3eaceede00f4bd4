// RUN: dotload-opt -convert-tritongen-to-llvm -split-input-file %s | FileCheck %s
// RUN: dotload-opt -convert-tritongen-to-llvm='asserts=true' -split-input-file %s | FileCheck %s --check-prefix=ASSERTS

// COM: The base is aligned down to 64 bytes. Elements of columns below 0 are set to zero, in the first block and in the
// COM: second one, 16 columns further.
// CHECK-LABEL: llvm.func @any_x
// CHECK: %[[V:.*]] = llvm.load %{{.*}} : !llvm.ptr -> vector<4xi16>
// CHECK: %[[LANE:.*]] = llvm.call spir_funccc @_Z22get_sub_group_local_id()
// CHECK: %[[BITS:.*]] = llvm.and %[[LANE]], %{{.*}} : i32
// CHECK: %[[X:.*]] = llvm.add %arg4, %[[BITS]] : i32
// CHECK: %[[THERE:.*]] = llvm.icmp "sge" %[[X]], %{{.*}} : i32
// CHECK: %[[M0:.*]] = llvm.sext %[[THERE]] : i1 to i16
// CHECK: %[[C16:.*]] = llvm.mlir.constant(16 : i32) : i32
// CHECK: %[[X16:.*]] = llvm.add %[[X]], %[[C16]] : i32
// CHECK: %[[THERE16:.*]] = llvm.icmp "sge" %[[X16]], %{{.*}} : i32
// CHECK: %[[M16:.*]] = llvm.sext %[[THERE16]] : i1 to i16
// CHECK: %[[PAIR:.*]] = llvm.insertelement %[[M16]]
// CHECK: %[[MASK:.*]] = llvm.shufflevector %[[PAIR]], %[[PAIR]] [0, 0, 1, 1] : vector<2xi16>
// CHECK: %[[KEPT:.*]] = llvm.and %[[V]], %[[MASK]] : vector<4xi16>
// CHECK: llvm.return %[[KEPT]]
llvm.func @any_x(%ptr: !llvm.ptr<1>, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32) -> vector<4xi16> {
  %0 = triton_gen.2Dblockload %ptr, %w, %h, %p, %x, %y {elem_size_in_bits=16, tile_width=16, tile_height=2, v_blocks=2, transpose=false, vnni_transform=false, cache_control=Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<4xi16>
  llvm.return %0 : vector<4xi16>
}

// -----

// CHECK-LABEL: llvm.func @not_negative
// CHECK: %[[V:.*]] = llvm.load
// CHECK-NEXT: llvm.return %[[V]]
llvm.func @not_negative(%ptr: !llvm.ptr<1>, %w: i32, %h: i32, %p: i32, %y: i32) -> vector<4xi16> {
  %x = llvm.mlir.constant(32 : i32) : i32
  %0 = triton_gen.2Dblockload %ptr, %w, %h, %p, %x, %y {elem_size_in_bits=16, tile_width=16, tile_height=2, v_blocks=2, transpose=false, vnni_transform=false, cache_control=Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<4xi16>
  llvm.return %0 : vector<4xi16>
}

// -----

// COM: The base is a multiple of 64 bytes: base and x stay as they are.
// CHECK-LABEL: llvm.func @aligned
// CHECK: %[[BASE:.*]] = llvm.inttoptr
// CHECK-NOT: llvm.ptrtoint
// CHECK: llvm.insertelement %arg4
// CHECK: llvm.call {{.*}}2DBlockLoad{{.*}}(%{{.*}}, %[[BASE]], %arg1, %arg2, %arg3,
// CHECK: %[[V:.*]] = llvm.load
// CHECK-NEXT: llvm.return %[[V]]
llvm.func @aligned(%address: i64, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32) -> vector<4xi16> {
  %high = llvm.mlir.constant(-64 : i64) : i64
  %down = llvm.and %address, %high : i64
  %ptr = llvm.inttoptr %down : i64 to !llvm.ptr<1>
  %0 = triton_gen.2Dblockload %ptr, %w, %h, %p, %x, %y {elem_size_in_bits=16, tile_width=16, tile_height=2, v_blocks=2, transpose=false, vnni_transform=false, cache_control=Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<4xi16>
  llvm.return %0 : vector<4xi16>
}

// -----

// COM: A store writes left of the base; only the asserts check that it does not.
// ASSERTS: @assertMessage_{{.*}}("2Dblockstore: x should be >= 0\00")
// ASSERTS-LABEL: llvm.func @store
// ASSERTS: llvm.icmp "sge" %arg4
// CHECK-LABEL: llvm.func @store
// CHECK-NOT: llvm.icmp
llvm.func @store(%ptr: !llvm.ptr<1>, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32, %v: vector<2xi16>) {
  triton_gen.2Dblockstore %ptr, %w, %h, %p, %x, %y, %v {elem_size_in_bits=16, tile_width=16, tile_height=2, v_blocks=1, cache_control=Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<2xi16>)
  llvm.return
}
