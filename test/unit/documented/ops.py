import triton
import triton.language as tl


@triton.jit
def add(x, y, out, BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + place, tl.load(x + place) + tl.load(y + place))
