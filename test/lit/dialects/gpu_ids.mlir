// RUN: dotload-opt %s | FileCheck %s
// RUN: dotload-opt %s --mlir-print-op-generic | dotload-opt - | FileCheck %s

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  tt.func @ids() {
    // CHECK: gpu.lane_id{{$}}
    %0 = gpu.lane_id
    // CHECK: gpu.lane_id upper_bound 16 {note}
    %1 = gpu.lane_id upper_bound 16 {note}
    // CHECK: gpu.subgroup_id : index
    %2 = gpu.subgroup_id : index
    // CHECK: gpu.subgroup_id upper_bound 4 : index
    %3 = gpu.subgroup_id upper_bound 4 : index
    // CHECK: gpu.num_subgroups : index
    %4 = gpu.num_subgroups : index
    // CHECK: gpu.subgroup_size : index
    %5 = gpu.subgroup_size : index
    tt.return
  }
}
