"""Integer ops on Python's integers agree with NumPy's arrays and with their definitions in MLIR."""

import numpy as np
import pytest

from dotload.passes.ir.integers import COMPARISONS, FUNCTIONS, compared, evaluated

EDGES = {width: [0, 1, 2, 5, -1, -3, (1 << width - 1) - 1, -(1 << width - 1)] for width in (8, 32, 64)}
SHIFTS = ("arith.shli", "arith.shrsi", "arith.shrui")
DIVISIONS = ("arith.divsi", "arith.divui", "arith.remsi", "arith.remui")


def pairs(name, width):
    first = second = EDGES[width]
    if name in SHIFTS:
        second = [0, 1, 5, width - 1]
    if name in DIVISIONS:  # the minimum divided by -1, and any number divided by 0, have no result
        first = second = [number for number in EDGES[width] if number and number != -(1 << width - 1)]
    return [(a, b) for a in first for b in second]


@pytest.mark.parametrize("width", EDGES)
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.filterwarnings("ignore:overflow")
def test_arrays_and_integers_agree(name, width):
    a, b = zip(*pairs(name, width), strict=True)
    alone = [evaluated(name, *pair, width) for pair in zip(a, b, strict=True)]
    assert evaluated(name, np.array(a, np.int64), np.array(b, np.int64), width).tolist() == alone


@pytest.mark.parametrize("predicate", range(len(COMPARISONS)))
@pytest.mark.parametrize("width", EDGES)
def test_comparisons_of_arrays_and_integers_agree(predicate, width):
    a, b = zip(*pairs("arith.cmpi", width), strict=True)
    alone = [compared(predicate, *pair, width) for pair in zip(a, b, strict=True)]
    assert compared(predicate, np.array(a, np.int64), np.array(b, np.int64), width).tolist() == alone


@pytest.mark.parametrize(
    ("name", "a", "b", "width", "result"),
    [
        ("arith.divsi", -7, 2, 32, -3),
        ("arith.remsi", -7, 2, 32, -1),
        ("arith.divui", -1, 2, 8, 127),
        ("arith.shrui", -1, 4, 8, 15),
        ("arith.shrsi", -16, 2, 32, -4),
        ("arith.minui", -1, 3, 64, 3),
        ("arith.maxui", -1, 3, 64, -1),
        ("arith.addi", 127, 1, 8, -128),
        ("arith.addi", 1, 1, 1, 0),
    ],
)
def test_results(name, a, b, width, result):
    assert evaluated(name, a, b, width) == result


def test_a_division_by_zero_has_no_result():
    with pytest.raises(ZeroDivisionError):
        evaluated("arith.remui", 1, 0, 32)


@pytest.mark.parametrize("name", DIVISIONS)
@pytest.mark.filterwarnings("error")
def test_elements_divided_by_zero_are_no_warning(name):
    """Strict mode runs a kernel on NumPy's numbers, with branches that the kernel itself may not take."""
    first, second = evaluated(name, np.array([9, 9]), np.array([4, 0]), 32).tolist()
    assert first == (2 if "div" in name else 1)
    assert isinstance(second, int)
    with pytest.raises(ZeroDivisionError):
        evaluated(name, 9, 0, 32)
