"""Which statement of a function is running."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from types import FrameType


def statement(frame: FrameType) -> int:
    """The first line of the statement: an expression may go over several."""
    return _first_lines(frame.f_code.co_filename).get(frame.f_lineno, frame.f_lineno)


@cache
def _first_lines(path: str) -> dict[int, int]:
    lines: dict[int, int] = {}
    for node in ast.walk(ast.parse(Path(path).read_text())):
        whole = node.test if isinstance(node, ast.If | ast.While) else node
        if isinstance(node, ast.stmt) and (whole is not node or not hasattr(node, "body")):
            lines.update(dict.fromkeys(range(whole.lineno, whole.end_lineno + 1), whole.lineno))
    return lines
