"""A kernel in Gluon, which triton-xpu does not have."""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def of_gluon(x):
    tile: gl.constexpr = gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])
    rows = gl.arange(0, 32, gl.SliceLayout(1, tile))
    columns = gl.arange(0, 32, gl.SliceLayout(0, tile))
    at = x + rows[:, None] * 32 + columns[None, :]
    gl.store(at, gl.load(at))
