"""A look at a module's text that says whether an operand of a product can lie in the wrong order: half a millisecond.

It may say yes where there is nothing to do, never no where there is: what it does not recognize counts as a yes.
"""

from __future__ import annotations

import re

_ELEMENT = r"(?:f8\w+|i8|f32)"
_PRODUCT = re.compile(rf"(?:ttng\.warp_group_dot|tt\.dot) .*: (?:!ttg\.memdesc|tensor)<\w*x{_ELEMENT},")
_NARROW_LOAD = re.compile(r"tt\.load .*x!tt\.ptr<(?:f8\w+|i8)>")
_STAGED = re.compile(
    rf"(?:ttg\.local_alloc|ttg\.convert_layout) %\S+ .*?: \(?tensor<(?:\d+x){{2}}{_ELEMENT}, (?P<source>#\w+)>\)? -> "
    r"(?:!ttg\.memdesc<[^,]*, (?P<shared>#\w+), |tensor<[^,]*, #ttg\.dot_op<\{opIdx = (?P<operand>\d))"
)
_BLOCKED = re.compile(r"^(#\w+) = #ttg\.blocked<\{.*order = \[(\d), (\d)\]", re.MULTILINE)
_SHARED = re.compile(r"^(#\w+) = #ttg\.nvmma_shared<\{.*transposed = (true|false)", re.MULTILINE)


def may_hold_wrong_order(text: str) -> bool:
    """Whether TTGIR `text` may hold a product with an 8- or 32-bit operand that is loaded with M or N contiguous, or a
    product of wider elements that are converted from 8-bit ones.

    The layout that such an operand is loaded in names the axis that is contiguous in memory first in its order; the
    product wants K there, the last axis of its first operand and the first of its second, and an nvmma_shared that is
    not `transposed` has its last axis contiguous.
    """
    if _PRODUCT.search(text) is None:
        return "ttng.warp_group_dot" in text and _NARROW_LOAD.search(text) is not None
    if "tt.descriptor_load" in text:  # contiguous in its last axis, whatever layout it is loaded in
        return True
    memory_axis = {name: int(first) for name, first, _ in _BLOCKED.findall(text)}
    shared_axis = {name: 0 if transposed == "true" else 1 for name, transposed in _SHARED.findall(text)}
    found = False
    for staged in _STAGED.finditer(text):
        found = True
        k_axis = shared_axis.get(staged["shared"]) if staged["shared"] else 1 - int(staged["operand"])
        axis = memory_axis.get(staged["source"])
        if axis is None or k_axis is None or axis != k_axis:
            return True
    return not found
