"""Every column of every frame that an answer shows is read by its audit."""

from functools import partial

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from support.choices import each, some

from cc_rapids import VerificationError, bipartition, bridges, components, errors, oracle
from cc_rapids.results import forest_columns

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


def frame_size(frame):
    return len(frame[0]) if isinstance(frame, tuple) else len(frame)


def names(frame):
    if isinstance(frame, tuple):
        return frame._fields
    return frame.column_names if isinstance(frame, pa.Table) else list(frame.columns)


def altered(frame, name, k=0):
    """Return the frame with another value in one place."""
    values = listed(frame, name)
    held = values[k]
    none = held is None or held is pd.NA or held != held
    if isinstance(held, bool):
        values[k] = not held
    else:
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


def planted_change(numbers, name, audit):
    """Return an audit of numbers while one of the frames of their changes is another."""
    right = numbers.changes()

    def run(frame):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(numbers, "changes", lambda: right._replace(**{name: frame}))
            return audit()

    return run


def pairs_of(edges, library):
    """Return the edges of the day before: some parts are joined, others apart or not there."""
    some = [0, 2, 4, 7, 8, 9]
    if library == "arrays":
        return tuple(end[some] for end in edges)
    return (
        edges.iloc[some]
        if library == "pandas"
        else edges[some]
        if library == "polars"
        else (edges.take(some))
    )


def planted_at(tree, method, at, audit):
    """Return an audit of a dendrogram while a method of it returns a frame at a threshold."""
    right = getattr(tree, method)

    def run(frame):
        def wrong(threshold=at):
            if threshold != at:
                return right(threshold)
            return right(at)._replace(cuts=frame) if method == "split" else frame

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(tree, method, wrong)
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
        found = components(edges, *sides, **asked, forest=word, labels="min")
        prove = partial(found.audit, edges, *sides, **asked)
        yield f"{word} forest", found.forest(), lambda f, prove=prove: prove(forest=f)
        own = partial(prove, forest=word)
        yield f"own {word} forest", found.forest(), planted(found.answer, "forest_frame", own)
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
        tree = found.dendrogram()
        check = partial(tree.audit, edges, *sides, **asked)
        middle = tree._weights[len(tree) // 2]
        for method, frame in {
            "merges": tree.merges(),
            "labels": tree.labels(middle),
            "sizes": tree.sizes(middle),
            "split": tree.split(3).cuts,
        }.items():
            at = 3 if method == "split" else middle
            yield f"{method} of {word}", frame, planted_at(tree, method, at, check)
    plain = components(edges, *sides, forest=True)
    prove = partial(plain.audit, edges, *sides)
    yield "forest", plain.forest(), lambda f: prove(forest=f)
    yield (
        "own forest",
        plain.forest(),
        planted(plain.answer, "forest_frame", partial(prove, forest=True)),
    )
    certify = oracle.certify_spanning_forest
    yield "certified forest", plain.forest(), lambda f: certify(f, edges, *sides)
    joins = bridges(edges, *sides)
    yield "bridges", joins, lambda f: prove(bridges=f)
    yield "certified bridges", joins, lambda f: oracle.certify_bridges(f, edges, *sides)
    halves = bipartition(edges, *sides)
    check = partial(halves.audit, edges, *sides)
    for method in ("colors", "odd_cycles"):
        yield method, getattr(halves, method)(), planted(halves, method, check)
    before = components(pairs_of(edges, library), *sides).stable_ids()
    numbers = components(edges, *sides).stable_ids(before)
    yield "numbers", numbers.labels(), planted(numbers, "labels", partial(numbers.audit, before))
    changes = numbers.changes()
    for name, frame in changes._asdict().items():
        if frame_size(frame):
            yield name, frame, planted_change(numbers, name, partial(numbers.audit, before))


@pytest.mark.slow
@each(ids=IDS, library=LIBRARIES)
def test_a_change_of_any_column_is_refused(library, ids):
    if (library, ids) == ("arrays", "several"):
        pytest.skip("arrays have ids of one column")
    for what, frame, audit in shown(library, ids):
        audit(frame)
        for k, name in enumerate(names(frame)):
            wrong = altered(frame, name, k % frame_size(frame))
            with pytest.raises(VerificationError):
                pytest.fail(f"{name} of {what}: {audit(wrong)}")


@pytest.mark.slow
@some("kind", ["min", "max", "dense", "size", "fingerprint"], usual=["min", "fingerprint"])
def test_a_change_of_any_label_is_refused(kind):
    edges = pd.DataFrame(IDS["integers"] | {"w": WEIGHT})
    found = components(edges, weight="w", forest="max", labels=kind)
    tree = found.dendrogram()
    prove = partial(found.audit, edges)
    frames = [("labels", found.labels(), planted(found.answer, "label_frame", prove))]
    at, prove = tree._weights[len(tree) - 1], partial(tree.audit, edges, weight="w")
    for method in ("labels", "sizes"):
        frames.append((method, getattr(tree, method)(at), planted_at(tree, method, at, prove)))
    for what, frame, audit in frames:
        audit(frame)
        for name in frame:
            for k in range(len(frame)):
                with pytest.raises(VerificationError):
                    pytest.fail(f"{name} of {what}: {audit(altered(frame, name, k))}")


FRAMES = {
    "lazy": lambda frame: pl.from_pandas(frame).lazy(),
    "relation": duckdb.from_df,
    "lists": lambda frame: frame.to_dict("list"),
    "arrays": lambda frame: {name: frame[name].to_numpy() for name in frame},
}


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_a_forest_in_any_frame_is_proved(make):
    edges = pd.DataFrame(IDS["integers"] | {"w": WEIGHT})
    found = components(edges, weight="w", forest="min")
    certify = partial(oracle.certify_spanning_forest, edges=edges, weight="w")
    right, wrong = found.forest(), altered(found.forest(), "source")
    for audit in (partial(found.audit, edges, weight="w"), lambda forest: certify(forest)):
        audit(forest=make(right))
        with pytest.raises(VerificationError, match="edge 1 has different ends in the edges"):
            audit(forest=make(wrong))


@pytest.mark.parametrize("prove", ["forest", "bridges", "oracle"])
def test_an_index_beside_the_rows_is_compared(prove):
    edges = pd.DataFrame(IDS["integers"] | {"w": WEIGHT}, index=[f"row {k}" for k in range(11)])
    found = components(edges, weight="w", forest="min")
    frame, options = {
        "bridges": (bridges(edges), {}),
    }.get(prove, (found.forest(), {"weight": "w"}))
    frame = frame.assign(index=edges.index.take(frame["row"]))

    def audit(shown):
        if prove == "oracle":
            return oracle.certify_spanning_forest(shown, edges, **options)
        return found.audit(edges, **{prove: shown}, **options)

    audit(frame)
    with pytest.raises(VerificationError, match="has the index 'row"):
        audit(altered(frame, "index", 1))


REFUSED = {
    "a number": (7, errors.InputError, "forest=7 cannot be proved"),
    "an array": (np.array([1, 2]), errors.InputError, "forest=a ndarray cannot be proved"),
    "no row": (pd.DataFrame({"source": [1]}), errors.MissingColumnError, "no column 'row'"),
    "no ends": (pd.DataFrame({"row": [1]}), errors.MissingColumnError, "no column 'source'"),
    "text": (
        pd.DataFrame({"row": ["1"], "source": [1], "destination": [2], "weight": [1]}),
        errors.ColumnTypeError,
        "column 'row' must be numbers",
    ),
}


@pytest.mark.parametrize(("forest", "error", "said"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_forest_is_refused_in_our_words(forest, error, said):
    edges = pd.DataFrame(IDS["integers"] | {"w": WEIGHT})
    found = components(edges, weight="w", forest="min")
    with pytest.raises(error, match=said):
        found.audit(edges, weight="w", forest=forest)
    with pytest.raises(errors.InputError, match="found with forest=True: find it again"):
        components(edges).audit(edges, forest=True)
    with pytest.raises(errors.InputError, match="this answer has no forest by weight"):
        components(edges).audit(edges, weight="w", forest=found.forest())


def test_ends_that_a_run_takes_from_the_wrong_side_are_refused(monkeypatch):
    """Planted where the rows of a forest become columns."""
    right = forest_columns._rows_and_ends

    def reversed_ends(given, rows):
        row, source, destination = right(given, rows).items()
        return dict([row, ("source", destination[1]), ("destination", source[1])])

    monkeypatch.setattr(forest_columns, "_rows_and_ends", reversed_ends)
    edges = pd.DataFrame(IDS["integers"] | {"w": WEIGHT})
    found = components(edges, weight="w", forest="max")
    pairs = ([1], [3])
    for audit in (
        lambda: found.audit(edges, weight="w", forest="max"),
        lambda: found.dendrogram().audit(edges, weight="w"),
        lambda: found.audit_paths(found.paths(pairs), pairs, edges, weight="w"),
        lambda: components(edges, forest=True).audit(edges, forest=True),
    ):
        with pytest.raises(VerificationError, match="different ends in the edges and in the for"):
            audit()
