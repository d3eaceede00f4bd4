// RUN: dotload-opt %s | FileCheck %s
// RUN: dotload-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// COM: The scope of a barrier, and the memory that it orders. Without a scope, it is a barrier of the thread block.

// CHECK-LABEL: @barriers
// CHECK-NEXT:    gpu.barrier{{$}}
// CHECK-NEXT:    gpu.barrier{{$}}
// CHECK-NEXT:    gpu.barrier memfence [#gpu.address_space<workgroup>]{{$}}
// CHECK-NEXT:    gpu.barrier scope <cluster>
// CHECK-NEXT:    gpu.barrier memfence [#gpu.address_space<workgroup>] scope <subgroup>
// GENERIC:       "gpu.barrier"() <{{.*}}scope = #gpu.barrier_scope<cluster>
tt.func @barriers() {
  gpu.barrier
  "gpu.barrier"() <{scope = #gpu.barrier_scope<workgroup>}> : () -> ()
  gpu.barrier memfence [#gpu.address_space<workgroup>]
  gpu.barrier scope <cluster>
  gpu.barrier memfence [#gpu.address_space<workgroup>] scope <subgroup>
  tt.return
}
