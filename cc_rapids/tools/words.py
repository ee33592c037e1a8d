"""``python -m cc_rapids.tools.words FILE...``: rename former operations in your kernels.

Each attribute of a name ``on`` that was renamed is changed in place; nothing else is touched.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Collection
from pathlib import Path

RENAMED = {
    "each": "elementwise",
    "sweep": "grid_stride",
    "block": "single_block",
    "grid": "cooperative",
    "tile": "block_kernel",
    "everyone": "grid_sync",
    "barrier": "block_sync",
    "meet": "warp_sync",
    "lanes": "warp_size",
    "width": "max_block_size",
    "group": "threads_per_row",
    "count": "warp_ballot_rank",
    "swap_pairs": "warp_shuffle_xor",
    "once": "load_streaming",
    "all_add": "block_reduce_add",
    "all_min": "block_reduce_min",
    "all_max": "block_reduce_max",
    "fence": "memory_fence",
    "cas": "atomic_cas",
    "add": "atomic_add",
    "min": "atomic_min",
    "max": "atomic_max",
    "bit_or": "atomic_or",
    "largest_tiles": "shared_memory_limits",
}


def renamed(source: str, names: Collection[str] = ("on",)) -> str:
    """Return a program with the given attributes renamed.

    Examples
    --------
    >>> renamed("cas, low = on.cas, on.min")
    'cas, low = on.atomic_cas, on.atomic_min'
    """
    lines = source.encode().splitlines(keepends=True)
    found = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Attribute)
        and node.attr in RENAMED
        and ast.unparse(node.value) in names
    ]
    for node in sorted(
        found, key=lambda n: (n.end_lineno or 0, n.end_col_offset or 0), reverse=True
    ):
        row, end = (node.end_lineno or 0) - 1, node.end_col_offset or 0
        line = lines[row]
        start = end - len(node.attr)
        lines[row] = line[:start] + RENAMED[node.attr].encode() + line[end:]
    return b"".join(lines).decode()


def main(paths: list[str]) -> None:
    """Rename the operations in each file."""
    for path in map(Path, paths):
        before = path.read_text(encoding="utf-8")
        after = renamed(before)
        if after != before:
            path.write_text(after, encoding="utf-8")
            print(path)


if __name__ == "__main__":
    main(sys.argv[1:])
