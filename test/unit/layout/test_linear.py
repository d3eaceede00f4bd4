"""Linear layouts: every law is checked at every point, and results agree with libtriton's LinearLayout."""

import functools
import subprocess
import sys
from operator import xor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dotload.layout.linear import LayoutError, LinearLayout, log2_exact

Theirs = pytest.importorskip("triton._C.libtriton", reason="the oracle is libtriton").linear_layout.LinearLayout

IN_DIMS = ("register", "lane", "warp")
OUT_DIMS = ("dim0", "dim1", "dim2")


@st.composite
def layouts(draw, in_dims=IN_DIMS, max_bits=3, out_dims=OUT_DIMS):
    """Random linear layouts, surjective or not, injective or not."""
    ins = draw(st.permutations(in_dims))[: draw(st.integers(1, len(in_dims)))]
    outs = draw(st.permutations(out_dims))[: draw(st.integers(1, len(out_dims)))]
    sizes = {name: 1 << draw(st.integers(0, max_bits)) for name in outs}
    basis = st.tuples(*[st.integers(0, size - 1) for size in sizes.values()])
    return LinearLayout.from_bases({name: draw(st.lists(basis, max_size=max_bits)) for name in ins}, sizes)


@st.composite
def invertible_layouts(draw):
    """Random bijections: a product of a lower and an upper triangular matrix over GF(2), with bits distributed over
    dims."""
    bits = draw(st.integers(1, 7))
    lower = [1 << at | draw(st.integers(0, (1 << at) - 1)) for at in range(bits)]
    upper = [1 << at | draw(st.integers(0, (1 << bits - at - 1) - 1)) << at + 1 for at in range(bits)]
    columns = [functools.reduce(xor, (lower[at] for at in range(bits) if column >> at & 1)) for column in upper]
    cut = draw(st.integers(0, bits))
    bases = [(column & (1 << cut) - 1, column >> cut) for column in columns]
    dealt = sorted(draw(st.lists(st.integers(0, bits), min_size=2, max_size=2)))
    parts = [bases[: dealt[0]], bases[dealt[0] : dealt[1]], bases[dealt[1] :]]
    return LinearLayout.from_bases(dict(zip(IN_DIMS, parts, strict=True)), {"dim0": 1 << cut, "dim1": 1 << bits - cut})


def to_theirs(layout):
    bases = [(name, [list(basis) for basis in vectors]) for name, vectors in layout.in_items]
    return Theirs.from_bases(bases, list(layout.out_dims), list(layout.out_sizes.values()), False)


def same(ours, theirs):
    """Whether bases and out dims are equal, in the same order."""
    bases = [(name, [list(basis) for basis in vectors]) for name, vectors in ours.in_items]
    return bases == [(n, [list(b) for b in v]) for n, v in theirs.bases] and list(ours.out_items) == list(
        theirs.out_dims
    )


def points(layout):
    """Every in index, as a dict of arrays."""
    grids = np.meshgrid(*[np.arange(size) for size in layout.in_sizes.values()], indexing="ij")
    return {name: grid.ravel() for name, grid in zip(layout.in_dims, grids, strict=True)}


def image(layout):
    """The set of coordinates that the layout reaches."""
    return {tuple(row) for row in layout.table().tolist()}


@given(layouts())
def test_it_is_linear_in_every_point(layout):
    at = points(layout)
    expected = {name: np.zeros_like(next(iter(at.values()))) for name in layout.out_dims}
    for name, bases in layout.in_items:
        for bit, basis in enumerate(bases):
            chosen = (at[name] >> bit & 1).astype(bool)
            for d, out in enumerate(layout.out_dims):
                expected[out] = np.where(chosen, expected[out] ^ basis[d], expected[out])
    actual = layout.apply(at)
    assert all(np.array_equal(actual[name], expected[name]) for name in layout.out_dims)


@given(layouts())
def test_table_lists_every_point_minor_first(layout):
    for flat, row in enumerate(layout.table().tolist()):
        index = {}
        for name, size in layout.in_sizes.items():
            index[name], flat = flat % size, flat // size
        assert list(layout.apply(index).values()) == row


@given(layouts())
def test_surjective_and_injective_mean_what_they_say(layout):
    reached = image(layout)
    assert layout.is_surjective == (len(reached) == 1 << layout.out_bits)
    assert layout.is_injective == (len(reached) == 1 << layout.in_bits)
    theirs = to_theirs(layout)
    assert layout.is_surjective == theirs.is_surjective()
    assert layout.is_injective == theirs.is_injective()
    assert layout.is_invertible == theirs.is_invertible()


@given(layouts(), layouts())
def test_product(a, b):
    theirs = to_theirs(a) * to_theirs(b)  # which merges the names in an order of its own
    ours = (a * b).transpose_ins(theirs.get_in_dim_names()).transpose_outs(theirs.get_out_dim_names())
    assert same(ours, theirs)
    assert (a * b).out_dims[: len(a.out_dims)] == a.out_dims


@given(layouts(), st.data())
def test_compose(inner, data):
    outer = data.draw(layouts(in_dims=("x", "y"), out_dims=("u", "v")))
    inner = LinearLayout.from_bases(
        {n: [tuple(0 for _ in outer.in_dims) for _ in v] for n, v in inner.in_items}, dict(outer.in_sizes)
    )
    bases = {
        name: [tuple(data.draw(st.integers(0, size - 1)) for size in outer.in_sizes.values()) for _ in vectors]
        for name, vectors in inner.in_items
    }
    inner = LinearLayout.from_bases(bases, outer.in_sizes)
    composed = inner.compose(outer)
    assert same(composed, to_theirs(inner).compose(to_theirs(outer)))
    at = points(inner)
    assert all(np.array_equal(composed.apply(at)[n], outer.apply(inner.apply(at))[n]) for n in outer.out_dims)


@given(layouts())
def test_invert(layout):
    if not layout.is_invertible:
        with pytest.raises(LayoutError, match="not invertible"):
            layout.invert()
        return
    assert same(layout.invert(), to_theirs(layout).invert())
    assert layout.compose(layout.invert()).equivalent(identity_on(layout.in_sizes))


def identity_on(sizes):
    layout = LinearLayout.empty()
    for name, size in sizes.items():
        layout *= LinearLayout.identity(size, name, name)
    return layout


@given(layouts())
def test_right_inverse(layout):
    if not layout.is_surjective:
        with pytest.raises(LayoutError, match="no right inverse"):
            layout.right_inverse()
        return
    inverse = layout.right_inverse()
    assert inverse.compose(layout) == identity_on(layout.out_sizes)
    theirs = to_theirs(layout).pseudoinvert()
    assert same(inverse, theirs)


@given(layouts(), st.data())
def test_invert_and_compose(target, data):
    """Layouts that are not surjective convert too, if the source holds what the target needs."""
    basis = st.tuples(*[st.integers(0, size - 1) for size in target.out_sizes.values()])
    source = LinearLayout.from_bases({"offset": data.draw(st.lists(basis, max_size=6))}, target.out_sizes)
    if not image(target) <= image(source):
        with pytest.raises(LayoutError, match="nothing maps to"):
            target.invert_and_compose(source)
        return
    conversion = target.invert_and_compose(source)
    assert conversion.compose(source) == target


@given(invertible_layouts())  # where elements have copies, libtriton keeps each copy in place instead
def test_invert_and_compose_is_libtritons(layout):
    assert layout.is_invertible
    inverse = layout.invert_and_compose(layout)
    assert same(inverse, to_theirs(layout).invert_and_compose(to_theirs(layout)))


@given(layouts(), st.data())
def test_restrict_and_transpose(layout, data):
    ins = data.draw(st.permutations(layout.in_dims))
    outs = data.draw(st.permutations(layout.out_dims))
    moved = layout.transpose_ins(ins).transpose_outs(outs)
    assert moved.equivalent(layout)
    assert moved.in_dims == tuple(ins)
    assert moved.out_dims == tuple(outs)
    part = moved.restrict(ins[:1], outs[:1])
    at = {ins[0]: np.arange(part.in_sizes[ins[0]])}
    whole = layout.apply({name: at.get(name, np.zeros_like(at[ins[0]])) for name in layout.in_dims})
    assert np.array_equal(part.apply(at)[outs[0]], whole[outs[0]])


@given(layouts())
def test_reshape_keeps_the_flattened_map(layout):
    flat = layout.reshape_outs({"out": 1 << layout.out_bits})
    assert flat.columns == layout.columns
    assert flat.reshape_outs(layout.out_sizes) == layout


@given(layouts())
def test_rename(layout):
    outs = {n: f"{n}'" for n in layout.out_dims}
    renamed = layout.rename_outs(outs)
    assert renamed.in_dims == layout.in_dims
    assert renamed.out_dims == tuple(outs.values())
    assert renamed.columns == layout.columns


def test_equality_up_to_the_order_of_dims():
    a = LinearLayout.from_bases({"lane": [(0, 1)], "warp": [(1, 0)]}, {"dim0": 2, "dim1": 2})
    b = LinearLayout.from_bases({"warp": [(0, 1)], "lane": [(1, 0)], "block": []}, {"dim1": 2, "dim0": 2})
    assert a != b
    assert a.equivalent(b)
    assert not a.equivalent(b.rename_outs({"dim0": "dim1", "dim1": "dim0"}))


def test_printing():
    """The text has the form of the block-load layout document."""
    tile = LinearLayout.from_bases(
        {"offset": [(0, 1), (1, 0)], "iteration": [(2, 0)], "load": []}, {"dim0": 4, "dim1": 2}
    )
    assert str(tile).splitlines() == [
        " - offset=1 -> (0, 1)",
        "   offset=2 -> (1, 0)",
        " - iteration=1 -> (2, 0)",
        " - load is a size 1 dimension",
        "where out dims are: [dim0 (size 4), dim1 (size 2)]",
    ]


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: LinearLayout.from_bases({"lane": [(4,)]}, {"dim0": 4}), r"lane=1 -> \(4,\) is outside"),
        (lambda: LinearLayout.from_bases({"lane": [(1, 0)]}, {"dim0": 4}), "has 2 coordinates, expected 1"),
        (lambda: LinearLayout.from_bases({}, {"dim0": 6}), "dim0: 6 is not a power of two"),
        (lambda: LinearLayout((("a", ()), ("a", ())), ()), "appears twice"),
        (lambda: LinearLayout.identity(4, "a", "b").apply({"c": 0}), "apply wants the in dims"),
        (lambda: LinearLayout.identity(4, "a", "b").restrict(["c"], []), "no dim c"),
        (lambda: LinearLayout.identity(4, "a", "b").transpose_ins(["c"]), "not an order"),
        (lambda: LinearLayout.identity(4, "a", "b").reshape_outs({"c": 8}), "does not have 4 coordinates"),
        (lambda: LinearLayout.identity(4, "a", "b").compose(LinearLayout.identity(2, "b", "c")), "b has size 4"),
        (lambda: LinearLayout.identity(4, "a", "b").compose(LinearLayout.identity(4, "c", "d")), "are not the in dims"),
        (lambda: log2_exact(0), "0 is not a power of two"),
    ],
)
def test_errors_say_what_was_given(build, message):
    with pytest.raises(LayoutError, match=message):
        build()


def test_layout_is_mathematics_and_imports_no_ir():
    modules = "linear, encodings"
    program = f"import sys; sys.modules['xdsl'] = None; from dotload.layout import {modules}"
    subprocess.run([sys.executable, "-c", program], check=True)
