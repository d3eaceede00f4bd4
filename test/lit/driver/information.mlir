// RUN: dotload-opt --list-passes | FileCheck %s --check-prefix=LIST
// RUN: dotload-opt --list-passes --load-pass %S/Inputs/count_ops.py | FileCheck %s --check-prefix=MINE
// RUN: dotload-opt --help | FileCheck %s --check-prefix=HELP
// RUN: dotload-opt --version | FileCheck %s --check-prefix=VERSION
// RUN: dotload-opt %s -cse --mlir-timing -o /dev/null 2>&1 | FileCheck %s --check-prefix=TIMING
// RUN: dotload-opt %s -cse -canonicalize=top-down=false --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=DUMP

// LIST:      {{^}}flag{{ +}}engine{{ +}}from{{ +}}options
// LIST-DAG:  {{^}}tritonintelgpu-lower-to-2d-block-load{{ +}}Python{{ +}}dotload
// LIST-DAG:  {{^}}stage-dot-operands{{ +}}Python{{ +}}dotload
// LIST-DAG:  {{^}}tritongpu-pipeline{{ +}}C++{{ +}}triton {{[0-9.]+}}{{ +}}num-stages dump-intermediate-steps
// LIST-DAG:  {{^}}nvws-insert-aref{{ +}}C++{{ +}}triton {{[0-9.]+}}{{ +}}(no Python binding)
// MINE:      {{^}}count-ops{{ +}}Python{{.*}}label fail
// HELP:      usage: dotload-opt [FILE|-]
// HELP:      --verify-diagnostics
// VERSION:   {{^}}dotload {{[0-9.]+}}, triton {{[0-9.]+}}
// TIMING:    Total Execution Time: {{[0-9.]+}} seconds, dotload's own share {{[0-9.]+}} seconds
// TIMING:    Python start-up and imports
// TIMING:    passes{{ +}}cse
// DUMP:      Pass Manager with 2 passes:
// DUMP-NEXT: builtin.module(
// DUMP-NEXT:   cse,
// DUMP-NEXT:   canonicalize{{[{].*}}max-iterations=10 {{.*}}top-down=false}
// DUMP-NEXT: )
tt.func @f() {
  tt.return
}
