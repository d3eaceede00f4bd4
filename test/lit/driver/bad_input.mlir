// RUN: not dotload-opt %s --tritongpu-pipline=num-stages=3 2>&1 | FileCheck %s --check-prefix=FLAG
// FLAG: dotload-opt: error: unknown flag or pass '--tritongpu-pipline'; did you mean --tritongpu-pipeline
// RUN: not dotload-opt %s --tritongpu-pipeline=num-stage=3 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: bad_input.mlir:1:1: error: MLIR does not accept the passes 'tritongpu-pipeline{num-stage=3}' or their options: no such option num-stage
// RUN: not dotload-opt %s --tritongpu-pipeline=num-stages=abc 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER-NOT: failed to add
// NUMBER: bad_input.mlir:1:1: error: MLIR does not accept the passes 'tritongpu-pipeline{num-stages=abc}' or their options: option num-stages: 'abc' value invalid for integer argument
// RUN: not dotload-opt %s --diff 2>&1 | FileCheck %s --check-prefix=DIFF
// DIFF: dotload-opt: error: --diff is for --stage, which is not given
// RUN: not dotload-opt %s --no-dotload -cse 2>&1 | FileCheck %s --check-prefix=NODOTLOAD
// NODOTLOAD: dotload-opt: error: --no-dotload is for --stage, which is not given
// RUN: not dotload-opt %s --stage=ptx --target=sm_90 --num-ctas=3 2>&1 | FileCheck %s --check-prefix=CTAS
// CTAS: dotload-opt: error: --num-ctas=3: expected a power of two
// RUN: not dotload-opt %s --deduplicate-repeated-loads=num-warps=3 2>&1 | FileCheck %s --check-prefix=WARPS
// RUN: not dotload-opt %s --deduplicate-repeated-loads=num-warps=-1 2>&1 | FileCheck %s --check-prefix=WARPS
// WARPS: error: 'deduplicate-repeated-loads' failed: num-warps is {{3|-1}}, expected a power of two, or 0 for unknown
// RUN: not dotload-opt %s --load-pass %S/Inputs/count_ops.py --count-ops=labl=x 2>&1 | FileCheck %s --check-prefix=PYOPTION
// PYOPTION: error: 'count-ops' has no option 'labl'; did you mean label?
// RUN: not dotload-opt %s --load-pass %S/Inputs/count_ops.py --count-ops=fail=7 2>&1 | FileCheck %s --check-prefix=PYTYPE
// PYTYPE: error: 'count-ops': option fail=7: expected true or false
// RUN: not dotload-opt %s --stage-dot-operands=num-stages=abc 2>&1 | FileCheck %s --check-prefix=PYINT
// PYINT: error: 'stage-dot-operands': option num-stages=abc: expected an integer
// RUN: not dotload-opt %s --lower-to-2d-block-load=hints=foo 2>&1 | FileCheck %s --check-prefix=HINTS
// HINTS: error: 'lower-to-2d-block-load{hints=foo}': unknown hints 'foo'; known are derive, required
// RUN: not dotload-opt %s --load-pass %S/Inputs/count_ops.py --count-ops=fail=true 2>&1 | FileCheck %s --check-prefix=PYFAIL
// PYFAIL: bad_input.mlir:{{.*}}: error: 'count-ops' failed: was told to
// PYFAIL-NOT: Traceback
// RUN: not dotload-opt %s --load-pass %S/Inputs/missing.py 2>&1 | FileCheck %s --check-prefix=NOFILE
// NOFILE: error: --load-pass: no file '{{.*}}missing.py'
// RUN: not dotload-opt %S/Inputs/not_mlir.txt 2>&1 | FileCheck %s --check-prefix=MALFORMED
// MALFORMED: not_mlir.txt:1:1: error: custom op 'this' is unknown
// RUN: not dotload-opt %s.missing 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: dotload-opt: error: cannot read '{{.*}}.missing': No such file or directory
// RUN: not dotload-opt %s --triton-nvidia-gpu-plan-cta --tritonintelgpu-coalesce 2>&1 | FileCheck %s --check-prefix=VERSION
// VERSION: is a pass of another Triton version: triton {{.*}} does not have it; --list-passes shows those it has
// RUN: not dotload-opt %s -p 'cse,canonicalize{' 2>&1 | FileCheck %s --check-prefix=PIPELINE
// PIPELINE: dotload-opt: error: malformed pass pipeline: missing '}' in 'cse,canonicalize{'
// RUN: not dotload-opt %s -o 2>&1 | FileCheck %s --check-prefix=VALUE
// VALUE: dotload-opt: error: '-o' needs a value
// RUN: not dotload-opt %s -o /nonexistent/x 2>&1 | FileCheck %s --check-prefix=OUT
// OUT: dotload-opt: error: cannot write '/nonexistent/x': No such file or directory
tt.func @f() { tt.return }
// RUN: not dotload-opt %s --load-pass %S/Inputs/invalid.py --leave-invalid -cse 2>&1 | FileCheck %s --check-prefix=INVALID
// INVALID: 'builtin.module' op can only contain attributes with dialect-prefixed names, found: 'unprefixed'
// INVALID: bad_input.mlir:1:1: error: 'leave-invalid' left a module that MLIR rejects
// RUN: not dotload-opt %S/Inputs/not_mlir.txt --stage=ptx --target=cuda:90 2>&1 | FileCheck %s --check-prefix=STAGE
// STAGE-NOT: loc(
// STAGE: {{^}}{{.*}}not_mlir.txt:1:1: error: custom op 'this' is unknown
// STAGE-NOT: error:
// RUN: not dotload-opt - --stage=ptx --target=cuda:90 < %S/Inputs/not_mlir.txt 2>&1 | FileCheck %s --check-prefix=STDIN
// STDIN: {{^}}<stdin>:1:1: error: custom op 'this' is unknown
// RUN: dotload-opt --example=gemm_xe.ttgir | not dotload-opt - --stage=llir --target=cuda:90 2>&1 | FileCheck %s --check-prefix=INTEL
// INTEL: {{^}}<stdin>:1:1: error: triton {{.*}} does not know this module's Intel dialects: --stage compiles it with the wheel triton-xpu
// INTEL-NOT: {{.}}
// RUN: not dotload-opt %s --stage=ptx --target=cuda 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: dotload-opt: error: unknown target 'cuda': write cuda:90 or sm_90, hip:gfx942 or the like
// RUN: not dotload-opt %s --stage=llir --target=hip:gfx9 2>&1 | FileCheck %s --check-prefix=GFX
// GFX: dotload-opt: error: unknown target 'hip:gfx9': write cuda:90 or sm_90, hip:gfx942 or the like
// RUN: not dotload-opt %s --stage=ptx --target=cuda:hopper 2>&1 | FileCheck %s --check-prefix=HOPPER
// HOPPER: dotload-opt: error: unknown target 'cuda:hopper': write cuda:90
// RUN: not dotload-opt %s --stage=ptx --target=cuda:90 -cse 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: dotload-opt: error: --stage runs Triton's own pipeline: run passes before or after it, through a pipe
// RUN: not dotload-opt %s --no-exported-symbols --tritongpu-pipeline=num-stages=99999999999999999999 2>&1 | FileCheck %s --check-prefix=BITS
// BITS: bad_input.mlir:1:1: error: '99999999999999999999' is not a 32-bit integer
// RUN: not dotload-opt %s --stage=ttgir --target=cuda:90 --verify-diagnostics 2>&1 | FileCheck %s --check-prefix=VERIFY
// VERIFY: dotload-opt: error: --stage runs Triton's own pipeline, which has no --verify-diagnostics
// RUN: not dotload-opt %s --stage=ttgir --target=cuda:90 --split-input-file 2>&1 | FileCheck %s --check-prefix=SPLIT
// SPLIT: dotload-opt: error: --stage runs Triton's own pipeline, which has no --split-input-file
