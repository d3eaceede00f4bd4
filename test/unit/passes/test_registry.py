"""File, class, flag and test folder of a pass have the same stem, and name clashes raise errors."""

from pathlib import Path

import pytest

from dotload.passes import registry

ROOT = Path(__file__).parents[3]


def stem(name):
    return name.replace("-", "_")


@pytest.mark.parametrize("entry", registry.BUILTIN_PASSES, ids=lambda entry: entry.name)
def test_file_class_flag_and_tests_share_a_stem(entry):
    assert entry.load().__module__.endswith(f".{stem(entry.name)}")
    assert entry.load().__name__.lower() == stem(entry.name).replace("_", "") + "pass"
    assert entry.load().name == entry.name
    assert list((ROOT / "test" / "lit" / stem(entry.name)).glob("*.mlir"))
    assert is_documented(entry.name)


def is_documented(name):
    """Whether a pass has its own page, or a section in the page about pipelined loops."""
    pages = ROOT / "docs" / "passes"
    return (pages / f"{stem(name)}.md").is_file() or f"## {name}\n" in (pages / "pipelined_loops.md").read_text()


@pytest.mark.parametrize("entry", registry.BUILTIN_PASSES, ids=lambda entry: entry.name)
def test_the_summary_is_the_first_line_of_the_docstring_or_shorter(entry):
    assert entry.summary
    assert not entry.summary.endswith(".")
    assert len(entry.summary) <= 100


def test_an_alias_finds_the_pass():
    assert registry.find("tritonintelgpu-lower-to-2d-block-load").name == "lower-to-2d-block-load"


def test_an_unknown_name_gets_the_nearest_ones():
    with pytest.raises(registry.RegistryError, match="did you mean stage-dot-operands"):
        registry.find("stage-dot-operand")


def test_a_taken_name_is_refused_and_nothing_is_registered():
    taken = registry.PassEntry("fresh-name", "nowhere:Nothing", "", aliases=("stage-dot-operands",))
    with pytest.raises(registry.RegistryError, match="already taken"):
        registry.add(taken)
    with pytest.raises(registry.RegistryError, match="unknown pass"):
        registry.find("fresh-name")
