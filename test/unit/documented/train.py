"""Launches the kernels of a training step on stand-ins for tensors, so that torch is not needed."""

import sys

import triton.language as tl
from gemm import matmul
from ops import add


class Tensor:
    def __init__(self, dtype):
        self.dtype = dtype

    def data_ptr(self):
        return 0


a, b, c = Tensor(tl.float8e4nv), Tensor(tl.float8e4nv), Tensor(tl.float16)
for _ in range(int(sys.argv[sys.argv.index("--steps") + 1])):
    matmul[(64, 64)](a, b, c, 8192, 8192, 8192, 8192, 128, 128, 128, num_warps=8)
    add[(8192,)](c, c, c, 1024)
