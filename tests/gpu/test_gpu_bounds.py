"""Rows that lie and columns that change, on a GPU: compute-sanitizer runs support/sanitized.py."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from support.lies import LIES, rows
from support.machine import with_package

import cc_rapids
from cc_rapids import Csr, InputError, backends
from cc_rapids.ids import strings
from cc_rapids.integrations import pylibcugraph
from cc_rapids.scipy import connected_components

pytestmark = pytest.mark.gpu

SAID = {
    "far": r"\[150\] is 1,000,000,000,000, where row 149 ends, and there are 560 indices",
    "negative": r"\[150\] is -7, where row 149 ends",
    "all far": r"\[1\] is 1,099,511,627,776, where row 0 ends",
    "unsigned": r"\[1\] is 9,223,372,036,854,775,813, where row 0 ends",
    "falls once": r"\[150\] is 0, where row 149 ends, and begins at ",
    "begins late": r"\[0\] is 3, but must be 0, because row 0 begins",
}


@pytest.mark.parametrize(("lie", "said"), SAID.items())
def test_offsets_are_looked_at_where_they_lie(cudf, lie, said):
    import cupy
    import cupyx.scipy.sparse as sparse

    offsets, indices = rows()
    bent = LIES[lie](offsets)
    given = cupy.asarray(bent), cupy.asarray(indices)
    for symmetric in (True, False):
        for both in (given, tuple(map(cudf.Series, given)), (bent, indices)):
            with pytest.raises(InputError, match=f"^offsets{said}"):
                cc_rapids.components(Csr(*both, symmetric), engine="cuda")
    with pytest.raises(InputError, match=f"^offsets{said}"):
        pylibcugraph.weakly_connected_components(None, None, *given, None, None, False)
    n = offsets.size - 1
    ones = cupy.ones(indices.size, np.float32)
    for kind in (sparse.csr_matrix, sparse.csc_matrix):
        matrix = kind((ones, given[1], cupy.asarray(offsets)), shape=(n, n))
        matrix.indptr = given[0]
        for solve in (cc_rapids.components, connected_components):
            with pytest.raises(InputError, match=f"^indptr{said}"):
                solve(matrix)


@pytest.mark.parametrize("m", [280, 2_000_000])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_entries_are_looked_at_while_they_are_linked(m, dtype):
    """Of long rows most are left out once there is a giant: the last of one is none the less."""
    import cupy

    n = m // 10 + 20
    offsets, indices = map(cupy.asarray, rows(n, m, dtype))
    right = len(cc_rapids.components(Csr(offsets, indices, True)))
    row = int(offsets[n // 2])  # where a row begins whose vertex is in the giant if m is large
    for place in (0, indices.size // 3, row - 1, row, row + 1, -1):
        for value in (-1, n, np.iinfo(dtype).max, np.iinfo(dtype).min):
            kept, indices[place] = int(indices[place]), value
            for design in ("auto", "kout+rem-cas+splice", "bfs-cc"):
                with pytest.raises(InputError, match=f"^'indices' holds {value:,}, but an"):
                    cc_rapids.components(Csr(offsets, indices, True), design=design)
            indices[place] = kept
    assert len(cc_rapids.components(Csr(offsets, indices, True))) == right


def test_rows_of_a_graph_of_cugraph(cudf, cugraph):
    import cupy

    offsets, indices = rows()
    n = offsets.size - 1
    matrix = sp.csr_array((np.ones(indices.size), indices, offsets), shape=(n, n))
    matrix.sum_duplicates()  # cuGraph refuses these
    sides = (cudf.Series(side.astype(np.int32)) for side in (matrix.indptr, matrix.indices))
    graph = cugraph.Graph(directed=True)
    graph.from_cudf_adjlist(*sides, None, renumber=False)
    right = len(cc_rapids.components(graph))
    assert right == len(cc_rapids.components(Csr(*rows())))
    held = cupy.asarray(graph.adjlist.offsets)
    held[150] = 10**6
    with pytest.raises(InputError, match=r"^offsets\[150\] is 1,000,000, where row 149 ends"):
        cc_rapids.components(graph)


def test_strings_that_leave_their_bytes():
    import cupy

    on = backends.get("cuda")
    for at, lie in ((50, 10**9), (50, -1), (100, 2**31 - 1), (0, -(2**31))):
        offsets = np.arange(101, dtype=np.int32) * 8
        offsets[at] = lie
        with on.scope():
            text = strings.Text.of(cupy.full(800, 65, np.uint8), cupy.asarray(offsets), on)
            with pytest.raises(InputError, match="some end before they begin, or beyond"):
                strings.check_offsets(text)
            strings.factorise_text(text)


@pytest.mark.parametrize("share", range(4))
def test_rows_that_lie_and_columns_that_change(share):
    """In a process of its own, which an access outside would end."""
    script = (
        "from support import sanitized; "
        f"sanitized.lies({share}, 40, 'cuda'); "
        f"{share} or sanitized.ids_that_change('cuda'); print('done')"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script],
        env=with_package(os.environ),
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.stdout.endswith("done\n"), done.stderr[-2000:]
