// RUN: dotload-opt %s | FileCheck %s
// RUN: dotload-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// COM: Whose threads meet, and what they see behind it. The threads of a block are what is not said.

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
