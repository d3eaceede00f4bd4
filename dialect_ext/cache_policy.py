"""Cache policies as Triton 3.9 writes them, on loads, stores and copies."""

from __future__ import annotations

from typing import ClassVar

from xdsl.irdl import irdl_attr_definition

from dotload.dialect_ext.struct_attr import StructAttr


@irdl_attr_definition
class CachePolicy(StructAttr):
    """`#tt.cache_policy<cache_modifier = ca, eviction_policy = evict_last>`"""

    name = "tt.cache_policy"
    braces: ClassVar[bool] = False


@irdl_attr_definition
class NvidiaCachePolicy(StructAttr):
    """`#ttng.cache_policy<l1 = evict_last, l2_primary = evict_first, l2_fraction = 5.0e-01 : f32>`"""

    name = "ttng.cache_policy"
    braces: ClassVar[bool] = False
