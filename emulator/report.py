"""The counts of a launch: messages by kind and shape, bytes, matrix multiplies, per kernel and per site."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dotload.emulator.sites import Kind, Site


@dataclass(frozen=True)
class SiteCount:
    """One site with its counts. `bytes_used`: the part of `bytes_asked` that was in bounds."""

    site: Site
    messages: int
    bytes_asked: int
    bytes_used: int


@dataclass(frozen=True)
class Report:
    """The counts of one launch. A message is one execution of a site by a subgroup, all lanes at once."""

    kernel: str
    grid: tuple[int, int, int]
    subgroups: int
    subgroup_size: int
    seconds: float
    lane_instructions: int
    sites: tuple[SiteCount, ...]

    def select(self, *kinds: Kind) -> tuple[SiteCount, ...]:
        return tuple(count for count in self.sites if count.site.kind in kinds and not count.site.local)

    @property
    def dpas(self) -> int:
        """Matrix multiplies executed by all subgroups."""
        return sum(count.messages for count in self.select(Kind.DPAS))

    @property
    def loads(self) -> tuple[SiteCount, ...]:
        """Every site that reads global memory."""
        return self.select(*(kind for kind in Kind if kind.is_load))

    @property
    def load_messages(self) -> int:
        return sum(count.messages for count in self.loads)

    @property
    def load_bytes(self) -> int:
        """Bytes that the loads requested."""
        return sum(count.bytes_asked for count in self.loads)

    @property
    def load_bytes_used(self) -> int:
        """Bytes that memory delivered: the part of `load_bytes` that was in bounds."""
        return sum(count.bytes_used for count in self.loads)

    def by_shape(self) -> dict[str, SiteCount]:
        """Messages and multiplies of all sites with the same label."""
        return _grouped((count.site.label, count) for count in self._shown())

    def by_location(self) -> dict[str, SiteCount]:
        """Messages of all sites with the same source line and label."""
        pairs = ((f"{count.site.location or '?'} {count.site.label}", count) for count in self._shown())
        return _grouped(pairs)

    def _shown(self) -> Iterable[SiteCount]:
        for count in self.sites:
            if not count.site.local and (count.site.kind.is_message or count.site.kind is Kind.DPAS):
                yield count

    def __str__(self) -> str:
        return render([self], ["count"])


def _grouped(pairs: Iterable[tuple[str, SiteCount]]) -> dict[str, SiteCount]:
    groups: dict[str, SiteCount] = {}
    for key, count in pairs:
        before = groups.get(key, SiteCount(count.site, 0, 0, 0))
        groups[key] = SiteCount(
            before.site,
            before.messages + count.messages,
            before.bytes_asked + count.bytes_asked,
            before.bytes_used + count.bytes_used,
        )
    return groups


def render(reports: Sequence[Report], names: Sequence[str]) -> str:
    """A table with one column (messages, bytes asked for, bytes used) per report and a row per message shape, then one
    with a row per source line."""
    head = reports[0]
    grid = " x ".join(str(size) for size in head.grid)
    title = f"{head.kernel}: grid {grid}, {head.subgroups} subgroups of {head.subgroup_size}"
    lines = [title]
    for part, groups in (
        ("by message", [report.by_shape() for report in reports]),
        ("by line", [report.by_location() for report in reports]),
    ):
        lines += ["", *_table(part, groups, names)]
    lines.append("")
    totals = {
        "lane instructions": [f"{report.lane_instructions:,}" for report in reports],
        "dpas": [f"{report.dpas:,}" for report in reports],
        "seconds": [f"{report.seconds:.3f}" for report in reports],
    }
    lines += [f"{name:<20}" + "".join(f"{value:>20}" for value in values) for name, values in totals.items()]
    return "\n".join(lines)


def _table(title: str, groups: Sequence[dict[str, SiteCount]], names: Sequence[str]) -> list[str]:
    keys = list(dict.fromkeys(key for group in groups for key in group))
    width = max([len(title), *(len(key) for key in keys)])
    head = "".join(f"{f'{name}: messages':>22}{'bytes asked':>16}{'bytes used':>16}" for name in names)
    lines = [f"{title:<{width}}{head}"]
    for key in keys:
        cells = ""
        for group in groups:
            if count := group.get(key):
                cells += f"{count.messages:>22,}{count.bytes_asked:>16,}{count.bytes_used:>16,}"
            else:
                cells += f"{'-':>22}{'-':>16}{'-':>16}"
        lines.append(f"{key:<{width}}{cells}")
    return lines
