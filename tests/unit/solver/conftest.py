"""What tests of single launches share."""

import pytest

from cc_rapids.backends.base import Kernel
from cc_rapids.backends.threads import Threads


@pytest.fixture
def launched(monkeypatch):
    """The names of the kernels that run, on an engine that gains by fewer."""
    monkeypatch.setattr(Threads, "in_one_launch", True)
    monkeypatch.setattr(Threads, "few_by_library", False)
    names, call = [], Kernel.__call__

    def noted(kernel, n, *arguments):
        names.append(kernel.part.function.__name__)
        call(kernel, n, *arguments)

    monkeypatch.setattr(Kernel, "__call__", noted)
    return names
