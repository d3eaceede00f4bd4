"""When branches between block loads and gathers pay."""

from __future__ import annotations

import pytest

from dotload.layout.xe_costs import OF_DPAS, SPECIALIZED, Costs, may_be_multiple, pays


@pytest.mark.parametrize(("unknown", "expected"), [(1, True), (3, True), (4, False), (9, False)])
def test_a_branch_on_many_numbers_is_seldom_taken(unknown, expected):
    assert pays(OF_DPAS, unknown=unknown) == expected


def test_a_branch_pays_where_it_costs_less_than_it_saves():
    costs = Costs(gathered=2, branch=0.5, chance=0.5)
    assert not pays(costs, unknown=1)  # as much
    assert pays(Costs(gathered=2.1, branch=0.5, chance=0.5), unknown=1)
    assert not pays(Costs(gathered=1, branch=0.01, chance=1), unknown=1)


def test_what_triton_has_looked_at_is_no_multiple():
    assert not may_be_multiple(SPECIALIZED, specialized=True)
    assert may_be_multiple(SPECIALIZED // 2, specialized=True)
    assert may_be_multiple(SPECIALIZED, specialized=False)
