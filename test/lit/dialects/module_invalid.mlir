// RUN: dotload-opt %s --lower-to-2d-block-load --split-input-file --verify-diagnostics

// COM: A part of comments only is an empty module, as for MLIR.

// -----

// expected-error @+1 {{'builtin.module' op ttg.threads-per-warp must be a power of two, got 0 : i32}}
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 0 : i32} {}

// -----

// expected-error @+1 {{'builtin.module' op ttg.num-warps must be a power of two, got -4 : i32}}
module attributes {"ttg.num-warps" = -4 : i32} {}

// -----

// expected-error @+1 {{'builtin.module' op ttg.num-warps must be a power of two, got "4"}}
module attributes {"ttg.num-warps" = "4"} {}

// -----

// expected-error @+1 {{'builtin.module' op ttg.num-ctas must be a power of two, got 3 : i32}}
module attributes {"ttg.num-ctas" = 3 : i32} {}

// -----

// expected-error @+1 {{'builtin.module' op triton_gpu.num-warps must be a power of two, got 6 : i32}}
module attributes {"triton_gpu.num-warps" = 6 : i32} {}

// -----

module {
  // expected-error @+1 {{'tt.func' op empty block: expect at least a terminator}}
  tt.func @no_end(%i: i32) {
  }
}
