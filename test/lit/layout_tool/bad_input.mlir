// COM: One clear line, with the position in the text if there is one; exit status 1; never a traceback.
// RUN: not dotload-layout -l '#ttg.blocked<{sizePerThread = [1, 8] threadsPerWarp = [4, 8]}>' -t 'tensor<64x64xf16>' 2>&1 | FileCheck %s --check-prefix=PARSE --strict-whitespace --match-full-lines
//      PARSE:--layout:1:38: error: '}' expected
// PARSE-NEXT:#ttg.blocked<{sizePerThread = [1, 8] threadsPerWarp = [4, 8]}>
// PARSE-NEXT:                                     ^
//  PARSE-NOT:Traceback

// RUN: not dotload-layout -l '#ttg.blockd<{}>' -t 'tensor<64x64xf16>' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: --layout:1:{{[0-9]+}}: error: {{.*}}ttg.blockd

// RUN: not dotload-layout -l '#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>' -t 'tensor<4x64xf16>' 2>&1 | FileCheck %s --check-prefix=SHAPE
// SHAPE: error: #ttg.nvmma_shared<{{.*}}> cannot lay out 4x64: a 4x64 tile of 16-bit elements has no 128-byte swizzle

// RUN: not dotload-layout -l '#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>' -t 'tensor<48x64xf16>' 2>&1 | FileCheck %s --check-prefix=POWER
// POWER: cannot lay out 48x64: {{.*}}48 is not a power of two

// RUN: not dotload-layout -i %s -t 'tensor<64x64xf16>' 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: bad_input.mlir: error: no layouts: the file defines no encoding alias

// RUN: not dotload-layout -i %s.missing -t 'tensor<64x64xf16>' 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: cannot read '{{.*}}bad_input.mlir.missing': No such file or directory

// RUN: not dotload-layout -t 'tensor<64xx64xf16>' 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: --tensor:1:{{[0-9]+}}: error:

// RUN: not dotload-layout -t 'tensor<64x64xf16>' 2>&1 | FileCheck %s --check-prefix=NOLAYOUT
// NOLAYOUT: error: no layout: give -l LAYOUT, -i FILE, or a tensor type with an encoding

// RUN: not dotload-layout descriptor 0x400000000000 2>&1 | FileCheck %s --check-prefix=RESERVED
// RESERVED: error: descriptor 0x0000400000000000 sets reserved bits

// RUN: not dotload-layout descriptor 0x1ffffffffffffffff 2>&1 | FileCheck %s --check-prefix=WIDE
// WIDE: error: descriptor 0x1ffffffffffffffff does not fit in 64 bits

// RUN: not dotload-layout descriptor -l '#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 8}>' -t 'tensor<128x64xi8>' 2>&1 | FileCheck %s --check-prefix=RULE
// RULE: error: wgmma cannot read MN-major s8 from shared memory: only f16 and bf16 can be

// RUN: not dotload-layout descriptor -l '#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>' -t 'tensor<64x64xf16>' --start 0x80000001 2>&1 | FileCheck %s --check-prefix=FIELD
// FIELD: error: start address {{[0-9]+}} is {{not a multiple of 16 bytes|out of range}}

// RUN: not dotload-layout explain %S/Inputs/nothing.mlir 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: nothing.mlir: error: no layouts: no load, store or shared-memory access of a tensor

// RUN: not dotload-layout fragment mma A m16n8k16 tf32 2>&1 | FileCheck %s --check-prefix=FRAGMENT
// FRAGMENT: error: mma.sync has no m16n8k16 for tf32; it has m16n8k4, m16n8k8

// RUN: not dotload-layout atom K 96 f16 2>&1 | FileCheck %s --check-prefix=CHOICE
// CHOICE: error: argument mode: invalid choice: '96'

// RUN: not dotload-layout block-load -l '#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>' -t 'tensor<64x64xf16>' 2>&1 | FileCheck %s --check-prefix=NOPLAN
// NOPLAN: error: no block load:

// RUN: not dotload-layout -l '#ttg.slice<{dim = 0, parent = #nope}>' -t 'tensor<64xf16>' 2>&1 | FileCheck %s --check-prefix=ALIAS
// ALIAS: --layout:1:{{[0-9]+}}: error: {{.*}}nope

// RUN: not dotload-layout -l '#ttg.slice<{dim = 2, parent = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>}>' -t 'tensor<64xf16>' 2>&1 | FileCheck %s --check-prefix=SLICE
// SLICE: error: #ttg.slice: dim = 2 must be less than the parent's rank 2

// RUN: not dotload-layout -l '#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16]}>' -t 'tensor<64x64xf16>' 2>&1 | FileCheck %s --check-prefix=INSTR
// INSTR: error: nvidia_mma: instrShape is [16], expected [M, N], each at least 1

// RUN: not dotload-layout -l '#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 0, 16]}>' -t 'tensor<64x64xf16>' 2>&1 | FileCheck %s --check-prefix=INSTRZERO
// INSTRZERO: error: nvidia_mma: instrShape is [16, 0, 16], expected [M, N, K], each at least 1

// RUN: not dotload-layout fragment ldmatrix x3 2>&1 | FileCheck %s --check-prefix=MOVE
// MOVE: error: no x3 of 16-bit units; expected x1 and x2 and x4

// RUN: not dotload-layout -l '#ünicode' -t 'tensor<64x64xf16>' 2>&1 | FileCheck %s --check-prefix=UNICODE
// UNICODE: --layout:1:1: error: expected suffix identifier after its mark

// RUN: not dotload-layout descriptor -l '#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>' -t 'tensor<64x64xf16>' --start abc 2>&1 | FileCheck %s --check-prefix=START
// START: error: argument --start: 'abc' is not a number, such as 1024 or 0x400

// RUN: not dotload-layout -l '#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>' -t 'tensor<64x64xf16>' --warp 99 2>&1 | FileCheck %s --check-prefix=WARP
// WARP: error: #ttg.blocked<{{.*}}> has no warp 99

// RUN: not dotload-layout -l '#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>' -t 'tensor<64x64xf16>' --colour foo 2>&1 | FileCheck %s --check-prefix=COLOUR
// COLOUR: error: no field foo; there are {{.*}}lane

// RUN: not dotload-layout explain %S/Inputs/wrong_rank.mlir 2>&1 | FileCheck %s --check-prefix=RANK
// RANK: wrong_rank.mlir:4:10: error: 'tt.load' op Result has an invalid layout: {{.*}} Layout has rank 2, but the tensor it's attached to has rank 1
