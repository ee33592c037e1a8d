"""Measure by how much a call on a file grows a process that ran it once on 1,000 rows."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

PROGRAM = """
import json, re, sys
import pyarrow.dataset, pyarrow.parquet
import cc_rapids

def run(path, words, large=True):
    if words.get("dataset"):
        path = pyarrow.dataset.dataset(path)
    if words.get("filter"):
        path = path.filter(pyarrow.dataset.field(words["filter"]) > 0)
    found = cc_rapids.stream_components(path, **words["options"])
    if "documents" not in words:
        return len(found)
    documents = pyarrow.parquet.read_table(words["documents"][large])
    return len(found.deduplicate(documents, on="id", by="length"))

def now(name):
    return 1024 * int(re.search(name + r":\\s+(\\d+)", open("/proc/self/status").read())[1])

small, large, words = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
limited = words | {"options": words["options"] | {"memory_limit": "4GiB"}}
run(small, limited, large=False)
before = now("VmRSS")
open("/proc/self/clear_refs", "w").write("5")
try:
    answer = run(large, words)
except (cc_rapids.FormatError, cc_rapids.CapacityError) as error:
    answer = f"{type(error).__name__}: {error}"
print(json.dumps([answer, now("VmHWM") - before]))
"""


class Growth(NamedTuple):
    """The number of components or the error of a call, and the bytes that the process grew by."""

    answer: int | str
    bytes: int


def growth(small: Path, large: Path, timeout: float = 300, **words: Any) -> Growth:
    """Return the growth by a call on a large file, after the same one on a small file.

    ``words`` are the ``options`` of the call, whether it gets a ``dataset`` of the file, and the
    column whose positive values a ``filter`` of that keeps. With the paths of two
    tables of ``documents``, with columns ``id`` and ``length``, these are deduplicated, too.
    """
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(small), str(large), json.dumps(words)],
        capture_output=True,
        text=True,
        timeout=timeout,
    )
    if done.returncode:
        raise AssertionError(done.stderr[-3000:])
    return Growth(*json.loads(done.stdout.splitlines()[-1]))
