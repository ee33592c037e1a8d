"""Every column of every frame that an answer shows is read by its audit."""

from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from cc_rapids import VerificationError, bipartition, bridges, components, oracle

# Two triangles joined by a bridge, an odd cycle with a tail, an even cycle, and a pair.
SRC = [1, 2, 3, 3, 4, 5, 6, 11, 12, 13, 20]
DST = [2, 3, 1, 4, 5, 6, 4, 12, 13, 11, 21]
WEIGHT = [9, 7, 5, 4, 4, 3, 1, 8, 6, 2, 2]


class Arrays:
    """Edges in arrays, whose answers are named tuples."""

    def __init__(self, columns):
        self.columns = {name: np.array(values) for name, values in columns.items()}

    def ends(self):
        return self.columns["src"], self.columns["dst"]

    def weight(self):
        return self.columns["w"]


LIBRARIES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table, "arrays": Arrays}
IDS = {
    "integers": {"src": SRC, "dst": DST},
    "strings": {"src": [f"v{v}" for v in SRC], "dst": [f"v{v}" for v in DST]},
    "several": {
        "src_k": [f"k{v % 3}" for v in SRC],
        "src_id": [v // 3 for v in SRC],
        "dst_k": [f"k{v % 3}" for v in DST],
        "dst_id": [v // 3 for v in DST],
    },
}


def listed(frame, name):
    """Return a column of a frame of any library as a list."""
    column = getattr(frame, name) if isinstance(frame, tuple) else frame[name]
    for method in ("to_pylist", "tolist", "to_list"):
        if hasattr(column, method):
            return getattr(column, method)()
    return list(column)


def names(frame):
    if isinstance(frame, tuple):
        return frame._fields
    return frame.column_names if isinstance(frame, pa.Table) else list(frame.columns)


def altered(frame, name, k=0):
    """Return the frame with another value in one place."""
    values = listed(frame, name)
    held = values[k]
    none = held is None or held is pd.NA
    values[k] = f"{held}x" if isinstance(held, str) else 1 if none else held + 1
    if isinstance(frame, tuple):
        kind = None if isinstance(held, str) else np.asarray(getattr(frame, name)).dtype
        return frame._replace(**{name: np.array(values, kind)})
    if isinstance(frame, pd.DataFrame):
        return frame.assign(**{name: pd.Series(values, frame.index, frame[name].dtype)})
    if isinstance(frame, pl.DataFrame):
        return frame.with_columns(pl.Series(name, values, frame[name].dtype))
    place = frame.column_names.index(name)
    return frame.set_column(place, name, pa.array(values, frame[name].type))


def planted(owner, method, audit):
    """Return an audit of the owner while a method of it returns a frame."""

    def run(frame):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(owner, method, lambda *asked, **options: frame)
            return audit()

    return run


def proved_paths(found, edges, sides, asked, whole, frame):
    """Prove the frame of the paths between the ends of all edges, or that of their rows."""
    answer = found.paths(edges, *sides) if whole else frame
    rows = frame if whole else None
    return found.audit_paths(answer, edges, edges, *sides, columns=sides, rows=rows, **asked)


def shown(library, ids):
    """Yield each frame that an answer shows, and its audit."""
    edges, sides, weight = LIBRARIES[library](IDS[ids] | {"w": WEIGHT}), (None, None), "w"
    if ids == "several":
        sides = ["src_k", "src_id"], ["dst_k", "dst_id"]
    if library == "arrays":
        edges, weight = edges.ends(), edges.weight()
    asked = {"weight": weight}
    for word in ("min", "max"):
        found = components(edges, *sides, **asked, forest=word)
        prove = partial(found.audit, edges, *sides, **asked)
        yield f"{word} forest", found.forest(), lambda f, prove=prove: prove(forest=f)
        own = partial(prove, forest=word)
        yield f"own {word} forest", found.forest(), planted(found, "forest", own)
        certify = partial(oracle.certify_spanning_forest, greatest=word == "max", **asked)
        yield (
            f"certified {word} forest",
            found.forest(),
            lambda f, certify=certify: certify(f, edges, *sides),
        )
        for rows in (False, True):
            yield (
                f"paths along the {word} forest",
                found.paths(edges, *sides, rows=rows),
                partial(proved_paths, found, edges, sides, asked, rows),
            )
    plain = components(edges, *sides, forest=True)
    prove = partial(plain.audit, edges, *sides)
    yield "forest", plain.forest(), lambda f: prove(forest=f)
    yield "own forest", plain.forest(), planted(plain, "forest", partial(prove, forest=True))
    certify = oracle.certify_spanning_forest
    yield "certified forest", plain.forest(), lambda f: certify(f, edges, *sides)
    joins = bridges(edges, *sides)
    yield "bridges", joins, lambda f: prove(bridges=f)
    yield "certified bridges", joins, lambda f: oracle.certify_bridges(f, edges, *sides)
    halves = bipartition(edges, *sides)
    check = partial(halves.audit, edges, *sides)
    for method in ("colors", "odd_cycles"):
        yield method, getattr(halves, method)(), planted(halves, method, check)


@pytest.mark.parametrize("ids", IDS)
@pytest.mark.parametrize("library", LIBRARIES)
def test_a_change_of_any_column_is_refused(library, ids):
    if (library, ids) == ("arrays", "several"):
        pytest.skip("arrays have ids of one column")
    for what, frame, audit in shown(library, ids):
        audit(frame)
        for name in names(frame):
            for k in (0, len(listed(frame, name)) - 1):
                with pytest.raises(VerificationError):
                    pytest.fail(f"{name} of {what}: {audit(altered(frame, name, k))}")
