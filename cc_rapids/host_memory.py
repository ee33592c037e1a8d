"""The memory of this machine, or of the container that runs the process.

The files of ``/proc`` do not show the memory limit of a container. The kernel stores it in the
files of the control group (cgroup) and kills a process that exceeds it. The free memory is
therefore the smaller of the machine's free memory and the group's remaining memory.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

GROUPS = Path("/sys/fs/cgroup")
UNLIMITED = 1 << 60  # bytes; cgroup version 1 stores the largest multiple of a page for "no limit"


class Group(NamedTuple):
    """A control group: its limit in bytes, and the files that hold its use and its statistics."""

    limit: int
    usage_file: Path
    statistics_file: Path

    def free_bytes(self) -> int:
        """Return the limit minus the use, in bytes; cached files count as free."""
        used = int(self.usage_file.read_text())
        for line in self.statistics_file.read_text().splitlines():
            name, _, size = line.partition(" ")
            if name in ("inactive_file", "total_inactive_file"):
                used -= int(size)
                break
        return max(0, self.limit - used)


def total_bytes() -> int:
    """Return the bytes of memory of this machine, or the container's limit if that is smaller."""
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return min([total, *(group.limit for group in groups())])


def free_bytes() -> int:
    """Return the bytes that can be allocated without swapping; cached files count as free."""
    try:
        file = os.open("/proc/meminfo", os.O_RDONLY)
        try:
            meminfo = os.read(file, 512)  # MemAvailable is the third line
        finally:
            os.close(file)
        free = 1024 * int(meminfo[meminfo.index(b"MemAvailable:") :].split(None, 2)[1])
    except (OSError, ValueError):
        free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    for group in groups():
        with suppress(OSError, ValueError):
            free = min(free, group.free_bytes())
    return free


@cache
def groups() -> tuple[Group, ...]:
    """Return the control groups of this process that have a limit, innermost first."""
    with suppress(OSError):
        return tuple(groups_in(GROUPS, Path("/proc/self/cgroup").read_text()))
    return ()


def groups_in(root: Path, lines: str) -> list[Group]:
    """Return the groups with a limit among the lines of ``/proc/self/cgroup``.

    All parent folders are searched too, because in a container the group's files may be at the root
    of the cgroup file system, although the lines name another path.
    """
    limited = []
    for line in lines.splitlines():
        _, _, fields = line.partition(":")  # a line is NUMBER:CONTROLLERS:PATH
        controllers, _, path = fields.partition(":")
        if not controllers:  # version 2
            top, limit_name, usage_name = root, "memory.max", "memory.current"
        elif "memory" in controllers.split(","):
            top = root / "memory"
            limit_name, usage_name = "memory.limit_in_bytes", "memory.usage_in_bytes"
        else:
            continue
        group = top / path.strip("/")
        for folder in (group, *group.parents):
            with suppress(OSError, ValueError):  # "max", which means no limit, is no number
                limit = int((folder / limit_name).read_text())
                if limit < UNLIMITED:
                    limited.append(Group(limit, folder / usage_name, folder / "memory.stat"))
            if folder == top:
                break
    return limited
