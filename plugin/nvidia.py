"""The NVIDIA passes in Triton's pipeline: a pass pipeline for each place, and what each version of Triton needs.

    make_ttir                                       | TILES   |
    make_ttgir  ... tritongpu-accelerate-matmul ... | NESTS   | tritongpu-fuse-nested-loops ...
                ...                                 | STAGING | tritongpu-assign-latencies, schedule-loops, pipeline ...
                ... the rest of make_ttgir          | LOOPS   | make_llir

Gluon's pipeline is a short one, without make_ttir: what its rewritten loops need is run after the passes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from dotload.passes.analysis.prefilter import Kernel, has_layouts, may_hold_nests, may_hold_tiles
from dotload.passes.registry import Place

Version = tuple[int, int]

TESTED: tuple[Version, Version] = ((3, 6), (3, 9))
"""First and last version of Triton that dotload is tested with, both included."""


@dataclass(frozen=True)
class PlacedPipeline:
    """Passes, in order, at a place in Triton's pipeline: the first of `places` that the pipeline comes by.

    `begins`: whether a kernel that comes to the stage may become one for these passes; if not, the stage runs as stock.
    """

    places: tuple[Place, ...]
    passes: tuple[str, ...]
    begins: Callable[[Kernel], bool]


NOT_IN_STRICT_MODE = (
    "fold-operand-masks",
    "sink-operand-scales",
    "narrow-operand-products",
    "eliminate-transposed-loads",
    "version-scale-loads",
    "multiply-in-f16",
    "hoist-scale-selects",
    "unpack-fp4",
    "reassociate-scales",
)
"""Passes that compute by other operations than stock's, or load less, by which strict mode compares kernels."""

TILES = (
    "hoist-load-bitcasts,deduplicate-repeated-loads,fold-operand-masks,sink-operand-scales,narrow-operand-products,"
    "eliminate-transposed-loads,version-scale-loads"
)
NESTS = "unflatten-loops"
STAGING = (
    "deduplicate-row-loads,hoist-carried-transposes,hoist-load-transposes,sink-operand-transposes,hoist-scale-selects,"
    "multiply-in-f16,narrow-k-width,hoist-fragment-layouts,unpack-operands-in-registers,unpack-in-load-layout,"
    "stage-dot-operands,relayout-converted-operands,widen-wgmma,deduplicate-1d-loads,load-scales-ahead"
)
LOOPS = (
    "sink-wgmma-waits,pipeline-operand-copies,deduplicate-scale-loads,reassociate-scales,hoist-scale-loads,"
    "sink-operand-conversions,lower-staged-reads,single-buffer-operand-copies,split-dot-along-n,split-dot-along-k,"
    "await-register-operands,await-overwritten-tiles,hoist-async-fences,hoist-async-copies,add-load-buffers,"
    "mark-free-buffers,interleave-dots-and-loads,add-wait-barriers,mark-local-waits,pack-operand-conversions,"
    "permute-k-for-ldmatrix,permute-k-for-fragments,convert-staged-operands-to-llvm,convert-async-copies-to-llvm,"
    "unpack-fp4,fold-memdesc-trans,prune-wgmma-waits,rematerialize-descriptors"
)
LOADS = "stage-dot-loads"

PIPELINES = (
    PlacedPipeline((Place("ttir"), Place("ttgir")), tuple(TILES.split(",")), may_hold_tiles),
    PlacedPipeline((Place("ttgir", before="tritongpu-fuse-nested-loops"),), tuple(NESTS.split(",")), may_hold_nests),
    PlacedPipeline((Place("ttgir", before="tritongpu-assign-latencies"),), tuple(STAGING.split(",")), may_hold_tiles),
    PlacedPipeline((Place("ttgir"),), tuple(LOOPS.split(",")), may_hold_tiles),
    PlacedPipeline(
        (
            Place("ttgir", before="tritongpu-accelerate-matmul"),
            Place(
                "ttgir",
                then=(
                    "tritongpu-remove-layout-conversions",
                    "tritongpu-assign-latencies",
                    "tritongpu-schedule-loops",
                    "tritongpu-pipeline",
                    "canonicalize",
                    "cse",
                ),
            ),
        ),
        tuple(LOADS.split(",")),
        has_layouts,
    ),
)


@dataclass(frozen=True)
class VersionRule:
    """What a pass needs from version `since` on, up to and not with `until`: options; or the pass itself (`runs`)."""

    pass_name: str
    options: Mapping[str, object] = field(default_factory=dict[str, object])
    since: Version = TESTED[0]
    until: Version = (1000, 0)

    def holds(self, version: Version) -> bool:
        """Whether the rule is for this version."""
        return self.since <= version < self.until


OPTIONS = (
    # Lowering of wgmma with A in registers asserts if a tile has more k than columns, and the pipeliner crashes on a
    # dot in flight whose result only branches use (Triton 3.6).
    VersionRule("stage-dot-operands", {"k_within_columns": True, "await_for_branches": True}, until=(3, 7)),
    # convert-staged-operands-to-llvm takes all other reads: its loops have fewer CTA barriers than membar places.
    VersionRule("lower-staged-reads", {"partitions_only": True}),
    # Between cp.async and wgmma, Triton 3.6 places no fence, and 3.7 and 3.8 place it after TTGIR.
    VersionRule("check-shared-memory-hazards", {"fence_copies": False}, until=(3, 9)),
    # From 3.9 on, one cvt of compute capability 10 converts a pair of e4m3 to bf16.
    VersionRule("pack-operand-conversions", {"pairs_to_bf16": False}, until=(3, 9)),
    # Until 3.7, membar places a CTA barrier between loads of TMA and the next wait, if there is none.
    VersionRule("pipeline-operand-copies", {"barrier_at_end": True}, until=(3, 8)),
    # ptxas 13.4, of Triton 3.9, starts a piece before it adds the previous one.
    VersionRule("split-dot-along-n", {"in_flight": 2}, since=(3, 9)),
    # That of 3.6 makes parts of unpacked numbers slower than the whole, for dots that are limited by memory.
    VersionRule("sink-operand-conversions", {"whole_columns": 64}, until=(3, 9)),
    # From 3.7 on, copies that a dot may read are fenced, by allocation: even before a dot that reads other buffers.
    VersionRule("interleave-dots-and-loads", {"operands_stay": True}, since=(3, 7)),
    VersionRule("hoist-async-copies", {"operands_behind": True}, since=(3, 7)),
    # Triton 3.6 places no fence between cp.async and wgmma.
    VersionRule("mark-free-buffers", {"fenced": False}, until=(3, 7)),
    # Triton 3.9 walks through all addresses of each alias of shared memory, twice.
    VersionRule("prune-wgmma-waits", {"memory": True}, since=(3, 9)),
)

RUNS = (
    # From 3.7 on, data from asynchronous copies are fenced before wgmma.
    VersionRule("hoist-async-fences", since=(3, 7)),
    # From 3.9 on, a wait for wgmma has a CTA barrier, unless it is local to the warpgroup.
    VersionRule("mark-local-waits", since=(3, 9)),
    VersionRule("fold-memdesc-trans", since=(3, 9)),
    # In the output of 3.6 and 3.7, ptxas recomputes them by itself.
    VersionRule("rematerialize-descriptors", since=(3, 8)),
    # ptxas spills hundreds of bytes in the loops of 3.6 and 3.7 with K-major operands.
    VersionRule("version-scale-loads", since=(3, 8)),
)
"""Passes that only some versions need."""


def known_version(version: Version) -> Version:
    """The version whose rules hold: of one that is newer than those tested, the newest of these."""
    return min(version, TESTED[1])


def options_for(pass_name: str, version: Version) -> dict[str, object]:
    """The options of a pass that this version of Triton needs."""
    options: dict[str, object] = {}
    for rule in OPTIONS:
        if rule.pass_name == pass_name and rule.holds(known_version(version)):
            options |= rule.options
    return options


def runs_with(pass_name: str, version: Version) -> bool:
    """Whether this version of Triton needs the pass."""
    rules = [rule for rule in RUNS if rule.pass_name == pass_name]
    return not rules or any(rule.holds(known_version(version)) for rule in rules)


def pipeline_of(pass_name: str) -> PlacedPipeline | None:
    """The pipeline that has the pass."""
    return next((pipeline for pipeline in PIPELINES if pass_name in pipeline.passes), None)
