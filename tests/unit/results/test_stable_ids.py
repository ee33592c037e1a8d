"""Numbers that stay the same from answer to answer, against a plain model."""

import json
import pickle
import random
import re
from collections import Counter, defaultdict

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.as_lists import columns
from support.choices import some
from support.edge_kinds import EDGES, same
from support.edge_lists import components_of, quick

import cc_rapids
from cc_rapids import StableIds, components, errors
from cc_rapids.analysis import stable_ids as numbering

POLICIES = "majority", "largest", "least"
ENUM = "polars enum"  # which a saved file knows as categories


class Model:
    """The numbers of vertices after each list, by dictionaries."""

    def __init__(self):
        self.number, self.next_id = {}, 0

    def follow(self, groups, policy):
        """Number the groups, sorted by their least ids; return what became of the numbers."""
        former = defaultdict(set)
        for vertex, number in self.number.items():
            former[number].add(vertex)
        inherited = [[] for _ in groups]
        for number, members in sorted(former.items()):
            shared = [len(members & group) for group in groups]
            if any(shared):
                heir = max(range(len(groups)), key=lambda k: (shared[k], -k))
                inherited[heir].append((shared[heir], number))
        first, numbers = self.next_id, []
        for own in inherited:
            if not own:
                numbers.append(self.next_id)
                self.next_id += 1
            elif policy == "majority":
                numbers.append(min(own, key=lambda one: (-one[0], one[1]))[1])
            else:
                pick = {"largest": max, "least": min}[policy]
                numbers.append(pick(number for _, number in own))
        pairs = [
            (number, numbers[k], len(members & group))
            for number, members in sorted(former.items())
            for k, group in enumerate(groups)
            if members & group
        ]
        before, after = Counter(p[0] for p in pairs), Counter(p[1] for p in pairs)
        place = {number: k for k, number in enumerate(numbers)}
        changes = (
            [p for p in pairs if before[p[0]] > 1],
            sorted((p for p in pairs if after[p[1]] > 1), key=lambda p: (place[p[1]], p[0])),
            [(n, len(groups[k])) for k, n in enumerate(numbers) if n >= first],
            [(n, len(members)) for n, members in sorted(former.items()) if n not in place],
            [
                (n, len(old), len(groups[place[n]]))
                for n, old in sorted(former.items())
                if n in place and len(old) != len(groups[place[n]])
            ],
        )
        self.number = {
            vertex: n for n, group in zip(numbers, groups, strict=True) for vertex in group
        }
        return changes


def groups_of(pairs):
    """The components of a list, in the order of their least ids."""
    parts = components_of([a for a, _ in pairs], [b for _, b in pairs])
    return list({min(part): part for part in parts.values()}.values())


def rows(frame):
    """The rows of a frame or tuple of columns."""
    return list(zip(*columns(frame), strict=True))


def sides(pairs):
    both = np.array(pairs, np.int64).reshape(-1, 2)
    return both[:, 0].copy(), both[:, 1].copy()


days = st.lists(
    st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=10), max_size=6
)


@quick
@given(days, st.sampled_from(POLICIES), st.randoms(use_true_random=False))
def test_numbers_and_changes_are_those_of_a_plain_model(lists, policy, shuffled):
    model, held, other = Model(), None, None
    for pairs in lists:
        expected = model.follow(groups_of(pairs), policy)
        held = components(sides(pairs)).stable_ids(held, policy)
        assert dict(rows(held.labels())) == model.number
        assert held.labels().labels.dtype == np.int64
        assert held.next_id == model.next_id
        assert tuple(map(rows, held.changes())) == expected
        turned = [pair[::-1] for pair in pairs]
        shuffled.shuffle(turned)
        other = components(sides(turned)).stable_ids(other, policy)
        same(other.labels(), held.labels())
        for mine, theirs in zip(other.changes(), held.changes(), strict=True):
            same(mine, theirs)


@pytest.mark.slow
@some("policy", POLICIES, usual=list(POLICIES)[:1])
def test_months_of_daily_lists(engine, policy, tmp_path):
    """Pairs come and go; every fifth day the numbers go through a file."""
    chance, model, held = random.Random(7), Model(), None
    many = 25 if engine == "cuda" else 90
    pairs, ever, path = [], set(), tmp_path / "numbers"
    for day in range(many):
        pairs = [pair for pair in pairs if chance.random() > 0.1]
        pairs += [(chance.randrange(400), chance.randrange(400)) for _ in range(12)]
        births = model.follow(groups_of(pairs), policy)[2]
        frame = pd.DataFrame(pairs, columns=["src", "dst"]).sample(frac=1, random_state=day)
        held = components(frame, engine=engine).stable_ids(held, policy)
        assert dict(rows(held.labels())) == model.number
        assert not ever & {number for number, _ in births}  # none comes back
        ever |= {number for number, _ in births}
        if day % 5 == 0:
            held.save(path)
            held = path if day % 2 else StableIds.load(path, engine=engine)
    assert len(ever) == model.next_id > many


KINDS = {name: edges for name, edges in EDGES.items() if name != ENUM}


@pytest.mark.parametrize("edges", KINDS.values(), ids=KINDS)
def test_ids_and_frames_of_every_kind_are_saved_and_go_on(engine, tmp_path, edges):
    found = components(edges(), engine=engine)
    held = found.stable_ids()
    assert columns(held.labels())[1] == columns(found.labels("dense"))[1]
    held.save(tmp_path / "numbers")
    loaded = StableIds.load(tmp_path / "numbers", engine=engine)
    same(loaded.labels(), held.labels())
    assert (loaded.next_id, len(loaded), repr(loaded)) == (held.next_id, len(held), repr(held))
    for previous in (held, loaded, tmp_path / "numbers", pq.read_table(tmp_path / "numbers")):
        after = found.stable_ids(previous)
        same(after.labels(), held.labels())
        assert not any(len(columns(frame)[0]) for frame in after.changes())
    after = found.stable_ids(held.labels(), next_id=len(found))
    same(after.labels(), held.labels())


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_ids_of_several_columns(engine, make, tmp_path):
    names = ["src_kind", "src_id"], ["dst_kind", "dst_id"]
    frame = {"src_kind": ["u", "u"], "src_id": [7, 5], "dst_kind": ["c", "c"], "dst_id": [3, 4]}
    held = components(make(frame), *names, engine=engine).stable_ids()
    assert rows(held.labels()) == [("c", 3, 0), ("c", 4, 1), ("u", 5, 1), ("u", 7, 0)]
    held.save(tmp_path / "numbers")
    frame |= {"dst_id": [4, 4], "src_id": [7, 6]}
    found = components(make(frame), *names, engine=engine)
    expected = [("c", 4, 0), ("u", 6, 0), ("u", 7, 0)]
    shuffled = make({"labels": [1, 0], "id": [4, 7], "more": [0, 0], "kind": ["c", "u"]})
    ways = (held, None), (tmp_path / "numbers", None), (held.labels(), 2), (shuffled, 2)
    for previous, counter in ways:
        assert rows(found.stable_ids(previous, next_id=counter).labels()) == expected


def test_policies_differ_in_who_goes_on():
    """Components of 4, 2 and 3 vertices become one."""
    held = components(sides([(0, 1), (1, 2), (2, 3), (10, 11), (20, 21), (21, 22)])).stable_ids()
    few = [(2, 3), (3, 20), (20, 21), (21, 22), (11, 22), (11, 10)]  # of the first, two are left
    found = components(sides(few))
    numbers = {policy: found.stable_ids(held, policy).labels().labels[0] for policy in POLICIES}
    assert numbers == {"majority": 2, "largest": 2, "least": 0}
    tied = components(sides([(2, 3), (3, 10), (10, 11)])).stable_ids(held)
    assert set(tied.labels().labels.tolist()) == {0}


@pytest.mark.parametrize("policy", POLICIES)
def test_two_parts_with_as_many_members(policy):
    """The part with the least id goes on, also if a vertex that is new has this id."""
    held = components(sides([(4, 5), (5, 6), (6, 7)])).stable_ids()
    after = components(sides([(6, 7), (5, 4)])).stable_ids(held, policy)
    assert rows(after.labels()) == [(4, 0), (5, 0), (6, 1), (7, 1)]
    assert rows(after.changes().splits) == [(0, 0, 2), (0, 1, 2)]
    after = components(sides([(6, 7), (5, 4), (2, 6)])).stable_ids(held, policy)
    assert rows(after.labels()) == [(2, 0), (4, 1), (5, 1), (6, 0), (7, 0)]
    assert rows(after.changes().splits) == [(0, 0, 2), (0, 1, 2)]
    assert rows(after.changes().births) == [(1, 2)]
    assert len(rows(after.changes().deaths)) == 0
    after.audit(held, policy)


@pytest.mark.parametrize("policy", POLICIES)
def test_a_part_that_is_left_of_a_retired_number_is_born(policy):
    """Two members of 0 are merged into 1, which is larger; the third is left apart."""
    held = components(sides([(1, 2), (2, 3), (4, 5), (5, 6), (6, 7)])).stable_ids()
    found = components(sides([(1, 2), (2, 4), (4, 5), (5, 6), (6, 7), (3, 3)]))
    after = found.stable_ids(held, policy)
    goes_on, retired = (0, 1) if policy == "least" else (1, 0)
    assert after.components.component_of(1) == goes_on
    assert after.components.component_of(3) == 2
    assert rows(after.changes().splits) == [(0, goes_on, 2), (0, 2, 1)]
    assert rows(after.changes().merges) == [(0, goes_on, 2), (1, goes_on, 4)]
    assert rows(after.changes().deaths) == [(retired, {0: 3, 1: 4}[retired])]
    after.audit(held, policy)


def test_largest_and_least_are_of_numbers_and_not_of_sizes():
    """The component with the number 0 has 5 members, that with 1 has 2; both go on with one."""
    held = components(sides([(1, 2), (2, 3), (3, 4), (4, 5), (8, 9)])).stable_ids()
    found = components(sides([(1, 2), (2, 3), (3, 4), (4, 5), (8, 9), (5, 8)]))
    numbers = {policy: found.stable_ids(held, policy).labels().labels[0] for policy in POLICIES}
    assert numbers == {"majority": 0, "largest": 1, "least": 0}
    turned = {"vertex": [1, 2, 3, 4, 5, 8, 9], "labels": [7, 7, 7, 7, 7, 3, 3]}
    numbers = {
        policy: found.stable_ids(turned, policy, next_id=8).labels().labels[0]
        for policy in POLICIES
    }
    assert numbers == {"majority": 7, "largest": 7, "least": 3}


@pytest.mark.parametrize("labels", ["min", "max", "dense", "size", "fingerprint"])
def test_births_are_in_the_order_of_least_ids_whatever_the_labels(labels, engine):
    names = ("dora", "carl"), ("bob", "zoe"), ("ann", "yves"), ("carl", "eve")
    for pairs in (names, names[::-1], [pair[::-1] for pair in names]):
        frame = pd.DataFrame(pairs, columns=["src", "dst"])
        held = components(frame, labels=labels, engine=engine).stable_ids(next_id=5)
        assert rows(held.labels()) == [
            *(("ann", 5), ("bob", 6), ("carl", 7), ("dora", 7), ("eve", 7)),
            *(("yves", 5), ("zoe", 6)),
        ]
        assert rows(held.changes().births) == [(5, 2), (6, 2), (7, 3)]


def test_ids_of_other_widths_and_libraries_go_on(engine):
    narrow = components((np.array([1, 5], "i4"), np.array([2, 6], "i4")), engine=engine)
    wide = components((np.array([5, 2**40]), np.array([7, 9])), engine=engine)
    assert rows(wide.stable_ids(narrow.stable_ids()).labels()) == [
        *((5, 1), (7, 1), (9, 2), (2**40, 2))
    ]
    names = {"src": ["a", "b"], "dst": ["c", "d"]}
    held = components(pd.DataFrame(names), engine=engine).stable_ids()
    names = {"src": ["d", "z"], "dst": ["a", "y"]}
    for frame in (pl.DataFrame(names), pd.DataFrame(names, dtype="category"), pa.table(names)):
        after = components(frame, engine=engine).stable_ids(held)
        assert rows(after.labels()) == [("a", 0), ("d", 0), ("y", 2), ("z", 2)]


def test_numbers_of_records_that_no_pair_names():
    """Shown with those of the next births, unless they are vertices."""
    documents = pd.DataFrame({"vertex": [9, 1]})
    held = components(([1], [2])).stable_ids()
    assert held.components.attach(documents, missing="self")["labels"].tolist() == [1, 0]
    assert held.next_id == 1
    held = components(([1], [2]), vertices=documents["vertex"]).stable_ids()
    assert held.components.attach(documents)["labels"].tolist() == [1, 0]
    assert held.next_id == 2


def test_a_number_never_comes_back_even_if_all_members_do():
    both = sides([(1, 2), (3, 4)])
    held = components(both).stable_ids()
    held = components(sides([(1, 2)])).stable_ids(held)
    assert rows(held.changes().deaths) == [(1, 2)]
    held = components(both).stable_ids(held)
    assert rows(held.labels()) == [(1, 0), (2, 0), (3, 2), (4, 2)]


def test_the_answer_speaks_in_numbers():
    held = components(sides([(1, 2), (3, 4), (4, 5)])).stable_ids(next_id=40)
    found = held.components
    assert rows(found.sizes()) == [(41, 3), (40, 2)]
    assert found.subset(41).tolist() == [3, 4, 5]
    assert found.component_of(2) == 40
    frame = pd.DataFrame({"vertex": [9, 5, 8]})
    assert found.attach(frame, missing="self")["labels"].tolist() == [43, 41, 42]
    with pytest.raises(errors.InputError, match="0 is not a label of these 2 components"):
        found.subset(0)
    with pytest.raises(errors.InputError, match=r"call save\(\) of the StableIds"):
        found.save("nowhere")
    assert "next number" in held._repr_html_()
    assert rows(pickle.loads(pickle.dumps(held)).labels()) == rows(held.labels())
    found.audit(sides([(1, 2), (3, 4), (4, 5)]))


def test_no_vertices_at_all(tmp_path):
    none = components(sides([]))
    held = none.stable_ids()
    assert (len(held), held.next_id) == (0, 0)
    held = none.stable_ids(components(sides([(1, 2)])).stable_ids())
    assert (rows(held.labels()), held.next_id) == ([], 1)
    assert rows(held.changes().deaths) == [(0, 2)]
    held.save(tmp_path / "numbers")
    assert rows(components(sides([(1, 2)])).stable_ids(tmp_path / "numbers").labels()) == [
        (1, 1),
        (2, 1),
    ]


def test_records_and_batches_have_them_too():
    people = pd.DataFrame({"email": ["a@x", "b@x", "a@x"]})
    held = cc_rapids.link_records(people, ["email"]).stable_ids()
    assert held.components.attach(people)["labels"].tolist() == [0, 1, 0]
    batches = cc_rapids.Connectivity().insert(sides([(1, 2)]))
    held = batches.components().stable_ids()
    batches.insert(sides([(0, 5), (2, 3)]))
    assert rows(batches.components().stable_ids(held).labels()) == [
        (0, 1),
        (1, 0),
        (2, 0),
        (3, 0),
        (5, 1),
    ]


def nullable(columns):
    """A pandas frame in which integers stay integers beside nulls."""
    return pd.DataFrame(columns).convert_dtypes()


WRONG = {
    "twice": ({"vertex": [1, 1, 2], "labels": [0, 0, 1]}, errors.InputError, "1 row of 3 in"),
    "null": ({"vertex": [1, None], "labels": [0, 1]}, errors.NullsError, "1 of 2 rows has nulls"),
    "null number": (
        {"vertex": [1, 2], "labels": [0, None]},
        errors.NullsError,
        "1 of 2 numbers in column 'labels' of previous is null",
    ),
    "kind": ({"vertex": ["a"], "labels": [0]}, errors.InputError, "'vertex' is .*vertices are"),
    "floats": ({"vertex": [1], "labels": [0.5]}, errors.ColumnTypeError, "are float64 .1 values"),
    "words": ({"vertex": [1], "labels": ["x"]}, errors.ColumnTypeError, "must be numbers"),
    "negative": ({"vertex": [1], "labels": [-3]}, errors.InputError, "from -3 to -3, must be"),
    "column": ({"vertex": [1], "label": [0]}, errors.MissingColumnError, "'labels'"),
    "ids": ({"vertice": [1], "labels": [0]}, errors.MissingColumnError, "'vertex'"),
}


@pytest.mark.parametrize(("frame", "error", "message"), WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("make", [nullable, pl.DataFrame, pa.table])
def test_frames_that_nothing_goes_on_from(make, frame, error, message):
    with pytest.raises(error, match=message):
        components(sides([(1, 2)])).stable_ids(make(frame), next_id=9)


def test_other_arguments_that_are_refused(tmp_path):
    found = components(sides([(1, 2)]))
    held = found.stable_ids()
    with pytest.raises(errors.InputError, match="does not list retired numbers"):
        found.stable_ids(pd.DataFrame({"vertex": [1], "labels": [0]}))
    with pytest.raises(errors.InputError, match="next_id=3 may already be used: pass at least 5"):
        found.stable_ids(pd.DataFrame({"vertex": [1], "labels": [4]}), next_id=3)
    with pytest.raises(errors.InputError, match="next_id=0 may already be used"):
        found.stable_ids(held, next_id=0)
    with pytest.raises(errors.InputError, match="policy 'most'"):
        found.stable_ids(held, "most")
    with pytest.raises(errors.InputError, match="frame cannot be a int"):
        found.stable_ids(3)
    with pytest.raises(errors.InputError, match=r"previous is a Components, .* its stable_ids\(\)"):
        found.stable_ids(found)
    frame = pd.DataFrame({"vertex": [1], "labels": [4], "stable_ids": [0]})
    assert found.stable_ids(frame, next_id=5).labels().labels.tolist() == [4, 4]
    with pytest.raises(
        errors.InputError, match="1 new component, from 9,223,372,036,854,775,807 upwards"
    ):
        found.stable_ids(next_id=2**63 - 1)
    with pytest.raises(errors.InputError, match="2 vertices and 1 numbers"):
        found.stable_ids({"vertex": [1, 2], "labels": [1]}, next_id=4)
    with pytest.raises(errors.FormatError, match="there is no file"):
        StableIds.load(tmp_path / "none")
    (tmp_path / "text").write_text("vertex,labels")
    with pytest.raises(errors.FormatError, match=r"not a file of StableIds.save\(\)"):
        found.stable_ids(tmp_path / "text")
    table = pa.table({"vertex": [2, 1], "labels": [0, 0]})
    pq.write_table(table, tmp_path / "plain")
    with pytest.raises(errors.FormatError, match="its format is 'None'"):
        StableIds.load(tmp_path / "plain")
    held.save(tmp_path / "saved")
    whole = pq.read_table(tmp_path / "saved").schema.metadata
    forged = {
        "ids are not distinct and sorted": table,
        "not below its counter, 1": pa.table({"vertex": [1, 2], "labels": [0, 1]}),
    }
    for said, other in forged.items():
        pq.write_table(other.replace_schema_metadata(whole), tmp_path / "forged")
        with pytest.raises(errors.FormatError, match="the checksum of its ids and numbers"):
            StableIds.load(tmp_path / "forged")
        words = json.loads(whole[numbering.METADATA])["words"]
        sealed = numbering._sealed(words, numbering._table_checksum(other))
        other = other.replace_schema_metadata({numbering.METADATA: sealed})
        pq.write_table(other, tmp_path / "forged")
        with pytest.raises(errors.FormatError, match=said):
            StableIds.load(tmp_path / "forged")
    other = table.replace_schema_metadata(
        {numbering.METADATA: whole[numbering.METADATA].replace(b'"next_id": 1', b'"next_id": 3')}
    )
    with pytest.raises(errors.FormatError, match="the checksum of its metadata"):
        found.stable_ids(other)
    held.save(tmp_path / "saved")
    with pytest.raises(errors.InputError, match="a file stores numbers without"):
        StableIds.load(tmp_path / "saved").changes()


@pytest.mark.parametrize("name", ["attach", "stable_ids", "report"])
def test_methods_of_an_answer_name_the_way_to_it(name):
    state = cc_rapids.Connectivity().insert(([1], [2]))
    for owner, way in ((state, "components()"), (state.components().stable_ids(), "components")):
        with pytest.raises(AttributeError, match=f"call {re.escape(way)}.{name}$"):
            getattr(owner, name)
    assert not hasattr(state, "no_such_method")
