// RUN: dotload-layout atom K 64 f16 | FileCheck %s --check-prefix=ATOM
// ATOM: Swizzle<2,4,3> o ((8,m),(T,2k)):((4T,SBO),(1,T))
// ATOM: 27 26 25 24 31 30 29 28

// RUN: dotload-layout descriptor 0x4000004000010040 | FileCheck %s --check-prefix=DECODE
// DECODE: bits 32-45  stride byte offset       64  1024 B
// DECODE: 128B swizzle

// COM: The descriptor is built from Triton's encoding, at address 0x400: the same bits.
// RUN: dotload-layout descriptor -l '#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>' -t 'tensor<64x64xf16>' --start 0x400 --operand A | FileCheck %s --check-prefix=BUILD
// BUILD: descriptor 0x4000004000010040

// RUN: dotload-layout fragment mma A m16n8k8 bf16 | FileCheck %s --check-prefix=FRAGMENT
// FRAGMENT: {{^\[\[}} T0:0,  T0:1,  T1:0,  T1:1,  T2:0,  T2:1,  T3:0,  T3:1]

// RUN: dotload-layout fragment ldmatrix x1 trans | FileCheck %s --check-prefix=TRANS
// TRANS: - byte=1 -> (1, 0, 0)
// TRANS: - lane=1 -> (2, 0, 0)
