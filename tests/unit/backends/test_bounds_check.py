"""Engines that check every access to an array, compiled and on the simulator."""

import numpy as np
import pytest
from support.machine import SIMULATED

from cc_rapids.backends import threads


def checked():
    """Threads, or the simulator, with every access checked."""
    if SIMULATED:
        from simulation.simulator import Simulator

        return Simulator(checked=True)
    return threads.Threads(checked=True)


ATOMIC = ("atomic_add", "atomic_min", "atomic_max", "atomic_or")


def outside(on, how):
    """A kernel that leaves an array in one way."""
    swap, once = on.atomic_cas, on.load_streaming
    operation = getattr(on, how, on.atomic_add)

    if how == "cas":

        @on.elementwise
        def leave(i, array):
            swap(array, i + np.uint64(3), np.uint32(0), np.uint32(1))

    elif how in ATOMIC:

        @on.elementwise
        def leave(i, array):
            operation(array, i + np.uint64(3), np.uint32(1))

    elif how == "once":

        @on.elementwise
        def leave(i, array):
            array[0] = once(array, i + np.uint64(3))

    elif how == "read":

        @on.elementwise
        def leave(i, array):
            array[0] = array[i + np.uint64(3)]

    elif how == "write":

        @on.elementwise
        def leave(i, array):
            array[i + np.uint64(3)] = 1

    else:

        @on.elementwise
        def leave(i, array):
            array[np.int64(i) - 5] = 1

    return leave


WAYS = [*ATOMIC, "cas", "once", "read", "write"]
WAYS += ["from the end"] if SIMULATED else []  # compiled, only unsigned indices are no such


@pytest.mark.parametrize("how", WAYS)
def test_an_access_outside_is_noticed(how):
    on = checked()
    with pytest.raises((AssertionError, IndexError), match=r"out of bounds|outside its arrays"):
        outside(on, how)(1, on.fill(on.empty(3, np.uint32), 0))


def test_the_environment_says_whether_accesses_are_checked(monkeypatch, own_store):
    def compiled(value):
        monkeypatch.setenv(threads.CHECK, value)
        on = threads.Threads()
        touch = outside(on, "atomic_add")
        touch(1, np.zeros(9, np.uint32))
        return on.checked, {path.name for path in own_store.rglob("*.code")}

    assert [compiled(value)[0] for value in ("0", "", "1")] == [False, False, True]
    assert len(compiled("1")[1]) == 2  # neither is taken for the other
