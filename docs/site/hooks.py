"""Configuration of MkDocs beyond mkdocs.yml: pages that are elsewhere or generated, and the targets of their links."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).parent))

import reference  # noqa: E402

ELSEWHERE = {
    "README.md": "index.md",
    "examples/README.md": "examples.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}
"""Pages outside of docs/ -> their place in the site."""

FENCE = re.compile(r"(^```.*?^```)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(\]\()([^)\s#]+)(#[^)\s]*)?(\))")


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are not in docs/."""
    found = {place: (ROOT / source).read_text() for source, place in ELSEWHERE.items()}
    for place, text in (found | reference.pages()).items():
        files.append(File.generated(config, place, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Have links lead to pages of the site, or to the file in the repository."""
    place = page.file.src_uri
    sources = {place: source for source, place in ELSEWHERE.items()}
    source = sources.get(place, f"docs/{place}")

    def rewritten(link: re.Match[str]) -> str:
        opening, target, anchor, closing = link.groups()
        if "://" in target:
            return link[0]
        return f"{opening}{destination(source, target, place, config.repo_url)}{anchor or ''}{closing}"

    parts = FENCE.split(markdown)
    return "".join(part if part.startswith("```") else LINK.sub(rewritten, part) for part in parts)


def destination(source: str, target: str, place: str, repository: str) -> str:
    """Where a link of the file `source` to the file `target` leads, on the page `place`."""
    path = os.path.normpath(os.path.join(os.path.dirname(source), target))
    if path in ELSEWHERE:
        path = f"docs/{ELSEWHERE[path]}"
    if not path.startswith("docs/") or not path.endswith((".md", ".svg", ".png")):
        return f"{repository}/blob/main/{path}" if (ROOT / path).exists() else target
    return os.path.relpath(path.removeprefix("docs/"), os.path.dirname(place) or ".")
