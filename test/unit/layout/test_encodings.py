"""Every encoding agrees with libtriton's linear layout, and DPAS with listings in Intel's documents."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dotload.layout import encodings as enc
from dotload.layout.linear import LayoutError, LinearLayout

ttgl = pytest.importorskip("triton.experimental.gluon.language", reason="the oracle is libtriton")
from triton._C.libtriton import gluon_ir, ir  # noqa: E402


@pytest.fixture(scope="module")
def builder():
    context = ir.context()
    ir.load_dialects(context)
    yield gluon_ir.GluonOpBuilder(context)  # noqa: PT022  (the builder does not keep the context alive)


def libtriton_bases(builder, layout, shape):
    """libtriton's bases, per in dim."""
    linear = builder.to_linear_layout(layout._to_ir(builder), list(shape))
    if hasattr(linear, "offset_bases"):
        return {"offset": linear.offset_bases, "block": linear.block_bases}
    return {
        "register": linear.reg_bases,
        "lane": linear.lane_bases,
        "warp": linear.warp_bases,
        "block": linear.block_bases,
    }


def our_bases(encoding, shape):
    return {name: [list(basis) for basis in bases] for name, bases in encoding.to_linear_layout(shape).in_items}


def powers(low, high):
    return st.integers(low, high).map(lambda bit: 1 << bit)


@st.composite
def blocked(draw, warps=st.sampled_from([(1, 1), (4, 1), (2, 2), (1, 8), (2, 4)])):
    lanes = draw(powers(0, 5))
    parameters = {
        "size_per_thread": (draw(powers(0, 4)), draw(powers(0, 4))),
        "threads_per_warp": (lanes, 32 // lanes),
        "warps_per_cta": draw(warps),
        "order": draw(st.sampled_from([(0, 1), (1, 0)])),
    }
    return enc.Blocked(**parameters), ttgl.BlockedLayout(*[list(value) for value in parameters.values()])


@st.composite
def mma(draw):
    version = draw(st.sampled_from([2, 3]))
    warps = draw(
        st.sampled_from([(4, 1), (8, 1), (4, 2)] if version == 3 else [(1, 1), (2, 2), (4, 1), (1, 4), (8, 1)])
    )
    shape = (16, draw(powers(3, 8)), 32) if version == 3 else (16, 8)
    return (
        enc.NvidiaMma(version, 0, warps, shape),
        ttgl.NVMMADistributedLayout([version, 0], list(warps), list(shape)),
    )


@st.composite
def dot_operand(draw, parents=mma()):
    ours, theirs = draw(parents)
    index, width = draw(st.integers(0, 1)), draw(powers(0, 3))
    if ours.version_major == 3:
        index = 0
    return enc.DotOperand(index, ours, width), ttgl.DotOperandLayout(index, theirs, width)


@st.composite
def fma_operand(draw):
    ours, theirs = draw(blocked())
    index = draw(st.integers(0, 1))
    return enc.DotOperand(index, ours), ttgl.DotOperandLayout(index, theirs, 0)


@st.composite
def swizzled(draw):
    vec, per_phase, max_phase, order = draw(
        st.tuples(powers(0, 5), powers(0, 4), powers(0, 4), st.sampled_from([(0, 1), (1, 0)]))
    )
    return (
        enc.SwizzledShared(vec, per_phase, max_phase, order),
        ttgl.SwizzledSharedLayout(vec, per_phase, max_phase, list(order)),
    )


@st.composite
def nvmma(draw):
    width, bits, transposed = draw(
        st.tuples(st.sampled_from([0, 32, 64, 128]), st.sampled_from([8, 16, 32]), st.booleans())
    )
    return (
        enc.NvmmaShared(width, transposed, bits),
        ttgl.NVMMASharedLayout(width, bits, rank=2, transposed=transposed),
    )


shapes = st.tuples(powers(3, 8), powers(3, 8))
distributed = st.one_of(blocked(), mma(), dot_operand(), fma_operand())


@given(pair=distributed, shape=shapes)
def test_distributed_encodings_are_libtritons(builder, pair, shape):
    ours, theirs = pair
    both = our_bases(ours, shape), libtriton_bases(builder, theirs, shape)
    if isinstance(ours, enc.Blocked):  # among the wheels, only 3.9 drops registers that hold copies
        for bases in both:
            bases["register"] = [basis for basis in bases["register"] if any(basis)]
    assert both[0] == both[1]


@given(pair=st.one_of(blocked(), mma()), dim=st.integers(0, 1), size=powers(3, 8))
def test_slices_are_libtritons(builder, pair, dim, size):
    ours, theirs = pair
    sliced = ttgl.SliceLayout(dim, theirs)
    assert our_bases(enc.Slice(dim, ours), (size,)) == libtriton_bases(builder, sliced, (size,))


@given(pair=swizzled(), shape=shapes)
def test_swizzled_shared_is_libtritons(builder, pair, shape):
    ours, theirs = pair
    expected = libtriton_bases(builder, theirs, shape)
    if LinearLayout.from_bases(expected, {"dim0": shape[0], "dim1": shape[1]}).is_invertible:
        assert our_bases(ours, shape) == expected


@given(pair=nvmma(), shape=shapes)
def test_nvmma_shared_is_libtritons(builder, pair, shape):
    ours, theirs = pair
    contiguous, rows = (shape[0], shape[1]) if ours.transposed else (shape[1], shape[0])
    if contiguous * ours.element_bits // 8 < max(16, ours.swizzle_bytes) or rows < 8:
        return  # libtriton has no such tile
    assert our_bases(ours, shape) == libtriton_bases(builder, theirs, shape)


@given(pair=distributed, shape=shapes)
def test_a_linear_encoding_is_its_bases(pair, shape):
    layout = pair[0].to_linear_layout(shape)
    linear = enc.Linear(layout.bases["register"], layout.bases["lane"], layout.bases["warp"], layout.bases["block"])
    assert linear.to_linear_layout(shape) == layout


@given(pair=distributed, shape=shapes, dim=st.integers(0, 1))
def test_a_linear_encoding_of_a_smaller_tensor_is_libtritons(builder, pair, shape, dim):
    """A row of a tile, in the layout of the tile: registers of other rows are no registers of the row."""
    tile = pair[0].to_linear_layout(shape)
    ours = enc.Linear(*(tile.bases[name] for name in ("register", "lane", "warp", "block")))
    theirs = ttgl.DistributedLinearLayout(
        *([list(basis) for basis in tile.bases[name]] for name in ("register", "lane", "warp", "block")), list(shape)
    )
    row = [1 if each == dim else size for each, size in enumerate(shape)]
    assert our_bases(ours, row) == libtriton_bases(builder, theirs, row)


def dpas(ops_per_channel=2, rep_cluster=(4, 2), threads_per_warp=16, warps=(8, 4)):
    return enc.Dpas(8, 8, 16, ops_per_channel, threads_per_warp, warps, rep_cluster)


def one(values):
    return [(value, 0) for value in values]


def across(values):
    return [(0, value) for value in values]


# The output of Triton's Intel backend for these encodings (8 x 4 warps of 16 lanes): registers, lanes, warps.
DPAS_BASES = {
    "A f16": (dpas(), 0, (256, 32), one([1, 2, 4, 8, 16]) + across([16]), across([1, 2, 4, 8])),
    "B f16": (dpas(), 1, (32, 256), one([1, 2, 4, 8]) + [(0, 16), (16, 0), (0, 128)], across([1, 2, 4, 8])),
    "A i8": (dpas(4), 0, (256, 64), [(0, 1), *one([1, 2, 4, 8, 16]), (0, 32)], across([2, 4, 8, 16])),
    "B i8": (dpas(4), 1, (64, 256), one([1, 2, 4, 8, 16]) + [(0, 16), (32, 0), (0, 128)], across([1, 2, 4, 8])),
    "A tf32": (dpas(1, (4, 1)), 0, (256, 16), one([2, 4, 8, 16]) + across([8]), [*across([1, 2, 4]), (1, 0)]),
    "B tf32": (dpas(1, (4, 1)), 1, (16, 64), one([1, 2, 4, 8]), across([1, 2, 4, 8])),
    "A f16, 32 lanes": (
        dpas(2, (1, 1), 32, (1, 1)),
        0,
        (8, 16),
        one([2, 4]),
        [*across([1, 2, 4, 8]), (1, 0)],
    ),
    "B f16, 32 lanes": (dpas(2, (1, 1), 32, (1, 1)), 1, (16, 16), one([1, 4, 8]), [*across([1, 2, 4, 8]), (2, 0)]),
    "A i8, 32 lanes": (
        dpas(4, (1, 1), 32, (1, 1)),
        0,
        (8, 32),
        [(0, 1), *one([2, 4])],
        [*across([2, 4, 8, 16]), (1, 0)],
    ),
    "B i8, 32 lanes": (dpas(4, (1, 1), 32, (1, 1)), 1, (32, 16), one([1, 2, 8, 16]), [*across([1, 2, 4, 8]), (4, 0)]),
    "A tf32, 32 lanes": (dpas(1, (1, 1), 32, (1, 1)), 0, (8, 8), one([4]), [*across([1, 2, 4]), *one([1, 2])]),
}
DPAS_WARPS = {
    "A": [(0, 0), (0, 0), (32, 0), (64, 0), (128, 0)],
    "B": [(0, 32), (0, 64), (0, 0), (0, 0), (0, 0)],
}


@pytest.mark.parametrize("case", DPAS_BASES)
def test_dpas_operands(case):
    encoding, index, shape, registers, lanes = DPAS_BASES[case]
    layout = enc.DotOperand(index, encoding, 1).to_linear_layout(shape)
    assert layout.bases["register"] == tuple(registers)
    assert layout.bases["lane"] == tuple(lanes)
    if encoding.rep_cluster == (4, 2):
        assert layout.bases["warp"] == tuple(DPAS_WARPS[case[0]])


def test_dpas_accumulator():
    layout = dpas().to_linear_layout((256, 256))
    assert layout.bases["register"] == ((1, 0), (2, 0), (4, 0), (0, 16), (8, 0), (16, 0), (0, 128))
    assert layout.bases["warp"] == ((0, 32), (0, 64), (32, 0), (64, 0), (128, 0))


def listing(rows, columns, row0=0, column0=0):
    """The block-load layout document lists a warp's elements row by row, a row of 16 lanes."""
    return [[(row0 + r, column0 + c) for c in range(columns)] for r in range(rows)]


# The two listings of that document, a warp's registers line by line: for A 32 rows of columns 0 to 15, then of 16 to
# 31; for B, K 0 to 15 of both column blocks, then K 16 to 31, and the same again 128 columns further.
SEED_A = listing(32, 16) + listing(32, 16, 0, 16)
SEED_B = [line for n in (0, 128) for k in (0, 16) for n16 in (0, 16) for line in listing(16, 16, k, n + n16)]


@pytest.mark.parametrize(("index", "shape", "lines"), [(0, (256, 32), SEED_A), (1, (32, 256), SEED_B)])
def test_the_listings_of_the_block_load_document(index, shape, lines):
    layout = enc.DotOperand(index, dpas(), index + 1).to_linear_layout(shape)
    assert layout.in_sizes["register"] == len(lines)
    for register, line in enumerate(lines):
        for lane, element in enumerate(line):
            at = layout.apply({"register": register, "lane": lane, "warp": 0, "block": 0})
            assert (at["dim0"], at["dim1"]) == element


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"repeat_count": 3}, "repeatCount must be 1, 2, 4 or 8, got 3"),
        ({"systolic_depth": 4}, "systolicDepth must be 8, got 4"),
        ({"execution_size": 32}, "executionSize must be 8 or 16, got 32"),
        ({"ops_per_channel": 8}, "opsPerChan must be 1, 2 or 4, got 8"),
        ({"threads_per_warp": 8}, "at least executionSize, got 8"),
        ({"rep_cluster": (1,)}, "must both have rank 2 or 3, got 2 and 1"),
        ({"warps_per_cta": (3, 1)}, "warpsPerCTA 3 is not a power of two"),
        ({"repeat_count": 1, "threads_per_warp": 32}, "leaves lanes of a subgroup of 32 without data"),
    ],
)
def test_a_dpas_encoding_that_cannot_exist(change, message):
    legal = dict(
        repeat_count=8,
        systolic_depth=8,
        execution_size=16,
        ops_per_channel=2,
        threads_per_warp=16,
        warps_per_cta=(1, 1),
        rep_cluster=(1, 1),
    )
    enc.Dpas(**legal)
    with pytest.raises(LayoutError, match=message):
        enc.Dpas(**(legal | change))


def test_the_shape_must_have_the_encodings_rank():
    with pytest.raises(LayoutError, match="Blocked has rank 2, the tensor has shape"):
        enc.Blocked((1, 1), (1, 32), (1, 1), (1, 0)).to_linear_layout((4,))
