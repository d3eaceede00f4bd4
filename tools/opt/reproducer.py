"""Files whose resource `mlir_reproducer` holds the passes to run on them.

`--run-reproducer` runs such a file, `--mlir-generate-reproducer` writes one.
"""

from __future__ import annotations

import dataclasses
import re

from dotload.tools.opt import command_line
from dotload.tools.opt.command_line import Command

_STRING = r'"((?:[^"\\]|\\.)*)"'
_RESOURCE = re.compile(rf'mlir_reproducer\s*:\s*\{{(?:[^{{}}"]|{_STRING})*\}}\s*,?')
_PIPELINE = re.compile(rf"\bpipeline\s*:\s*{_STRING}")
_VERIFY_EACH = re.compile(r"\bverify_each\s*:\s*(true|false)")


def unpack(command: Command, text: str) -> tuple[Command, str]:
    """The command with the passes of the file's resource, and the file without the resource, its lines unmoved."""
    resource = _RESOURCE.search(text)
    if resource is None:
        return command, text
    rest = text[: resource.start()] + "\n" * resource[0].count("\n") + text[resource.end() :]
    if passes := _PIPELINE.search(resource[0]):
        command = dataclasses.replace(command, passes=command_line.passes_of(passes[1].replace('\\"', '"')))
    if verify_each := _VERIFY_EACH.search(resource[0]):
        command = dataclasses.replace(command, verify_each=verify_each[1] == "true")
    return command, rest


_TEMPLATE = """
{{-#
  external_resources: {{
    mlir_reproducer: {{
      pipeline: "{pipeline}",
      disable_threading: true,
      verify_each: {verify_each}
    }}
  }}
#-}}
"""


def pack(command: Command, text: str) -> str:
    """The input with the command's passes as its resource."""
    pipeline = command.pipeline.replace('"', '\\"')
    return text.rstrip("\n") + "\n" + _TEMPLATE.format(pipeline=pipeline, verify_each=str(command.verify_each).lower())
