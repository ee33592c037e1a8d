"""Ray on this machine, apart from what else runs there."""

import tempfile
from contextlib import contextmanager

import pytest


@contextmanager
def ray_apart():
    """Let Ray start clusters that nobody else joins, and join no cluster of somebody else.

    Ray joins the cluster of ``RAY_ADDRESS``, or of a file in the folder that all clusters share. A
    cluster with a folder of its own neither reads nor writes that file. Ray also kills tasks when
    the memory of the machine is nearly full, whoever has it.
    """
    with (
        # Sockets are in it, whose paths have a hundred bytes: a folder of pytest is too deep
        tempfile.TemporaryDirectory(prefix="ray", dir="/tmp", ignore_cleanup_errors=True) as own,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.delenv("RAY_ADDRESS", raising=False)
        patch.setenv("RAY_TMPDIR", own)
        patch.setenv("RAY_memory_monitor_refresh_ms", "0")
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        yield
