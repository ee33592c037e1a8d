"""Columns that are lent together: all are taken back, the last first, whatever goes wrong."""

from contextlib import contextmanager
from functools import partial

import pytest

from cc_rapids import CapacityError, backends
from cc_rapids.data.column import Borrowing, Column
from cc_rapids.data.edge_input import EdgeInput
from cc_rapids.graph.edges import BorrowedEdges


def column(name, steps, lend=None, take_back=None):
    """A column that notes when it is lent and taken back, and may fail to be."""

    @contextmanager
    def borrow():
        if lend:
            raise lend
        steps.append(f"lend {name}")
        try:
            yield name
        finally:
            steps.append(f"take {name} back")
            if take_back:
                raise take_back

    return Column(name, "int64", 1, borrow)


def test_columns_are_taken_back_in_reverse_order():
    steps = []
    with Borrowing([column("a", steps), column("b", steps)]) as lent:
        assert lent == ["a", "b"]
        steps.append("read")
    assert steps == ["lend a", "lend b", "read", "take b back", "take a back"]


def test_those_that_are_lent_are_taken_back_if_another_cannot_be():
    steps = []
    columns = [column("a", steps), column("b", steps, lend=OSError("gone"))]
    with pytest.raises(OSError, match="gone"), Borrowing(columns):
        steps.append("read")
    assert steps == ["lend a", "take a back"]


@pytest.mark.parametrize("error", [None, ValueError("read")])
def test_all_are_taken_back_if_one_of_them_fails(error):
    steps, last = [], OSError("stuck")
    columns = [column("a", steps), column("b", steps, take_back=last), column("c", steps)]
    lent = Borrowing(columns)
    lent.__enter__()
    with pytest.raises(OSError, match="stuck") as raised:
        lent.__exit__(type(error) if error else None, error, None)
    assert steps[3:] == ["take c back", "take b back", "take a back"]
    assert raised.value.__context__ is error


def test_memory_that_fails_while_columns_are_lent_is_told_once_all_are_taken_back():
    steps, backend = [], backends.get("threads")
    given = EdgeInput(column("a", steps), column("b", steps), dict, False)
    with BorrowedEdges(backend, given) as columns:
        assert columns == ["a", "b"]
    fail = partial(column, lend=MemoryError())
    failing = EdgeInput(column("a", steps), fail("b", steps), dict, False)
    with pytest.raises(CapacityError, match="engine 'threads' ran out of memory"):
        BorrowedEdges(backend, failing).__enter__()
    with pytest.raises(CapacityError), BorrowedEdges(backend, given):
        raise MemoryError
    lent = ["lend a", "lend b", "take b back", "take a back"]
    assert steps == [*lent, "lend a", "take a back", *lent]
