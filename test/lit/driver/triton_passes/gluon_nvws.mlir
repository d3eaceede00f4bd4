// RUN: dotload-opt %s -split-input-file --gluon-resolve-auto-encodings | FileCheck %s --check-prefix=AUTO
// RUN: dotload-opt %s -split-input-file --gluon-inline --gluon-canonicalize | FileCheck %s --check-prefix=INLINE
// RUN: dotload-opt %s -split-input-file -allow-unregistered-dialect --nvws-insert-aref --nvws-lower-aref=num-stages=2 | FileCheck %s --check-prefix=PASS
// RUN: dotload-opt %s -split-input-file --tritongpu-automatic-warp-specialization=num-stages=3 --tritongpu-allocate-warp-groups | FileCheck %s --check-prefix=PASS

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // AUTO-LABEL: @auto
  // AUTO:       tt.make_range {{.*}} : tensor<128xi32, #blocked>
  // AUTO-NOT:   auto_encoding
  // PASS-LABEL: @auto
  tt.func @auto() -> tensor<128xi32, #blocked> {
    %0 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #gluon.auto_encoding>
    %1 = gluon.set_auto_layout %0 : tensor<128xi32, #gluon.auto_encoding> -> tensor<128xi32, #blocked>
    tt.return %1 : tensor<128xi32, #blocked>
  }
}

// -----

// INLINE-LABEL: tt.func public @caller
// INLINE-NOT:   tt.call
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func private @callee(%a: i32) -> i32 {
    tt.return %a : i32
  }
  tt.func public @caller(%a: i32) -> i32 {
    %0 = tt.call @callee(%a) : (i32) -> i32
    tt.return %0 : i32
  }
}
