"""MLIR's generic form <-> xDSL, fast: the text that the bridge carries across.

MLIR prints an operation without regions on one line,

    %x = "dialect.op"(%a, %b) <{properties}> {attributes} : (inputs) -> outputs loc(#loc7)

and a kernel repeats the same few types and dictionaries on hundreds of them. So one regular expression splits each such
line, and xDSL parses the text of a dictionary or of a signature once per process. Any other line goes through xDSL's
own parser: the grammar is xDSL's alone.

Attribute aliases are expanded before parsing: an attribute's text is then complete, independently of its module.
Locations become xDSL's location attributes; those that xDSL has no class for keep their text.
"""

from dotload.plugin.generic.locations import OpaqueLoc
from dotload.plugin.generic.memo import Memo
from dotload.plugin.generic.reader import parse
from dotload.plugin.generic.writer import write

__all__ = ["Memo", "OpaqueLoc", "parse", "write"]
