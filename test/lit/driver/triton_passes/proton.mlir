// RUN: dotload-opt %s --convert-proton-to-protongpu="max-shared-mem-size=32768 metric-type=cycle granularity=warp" | FileCheck %s
// RUN: dotload-opt %s --no-exported-symbols --convert-proton-to-protongpu="metric-type=cycle granularity=warp_2 clock-extension=true" | FileCheck %s

// CHECK-LABEL: @measured
// CHECK:       proton_gpu.
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @measured() {
    proton.record start "region"
    proton.record end "region"
    tt.return
  }
}
