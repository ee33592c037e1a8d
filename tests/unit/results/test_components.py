"""Components, the answer: labels of each kind, sizes, the largest, and what it says of itself."""

import threading
import tracemalloc

import numpy as np
import pandas as pd
import pytest

import cc_rapids
from cc_rapids import backends, components, connected_components
from cc_rapids.results.labels import LABEL_KINDS, check_labels
from cc_rapids.verify.label_rules import LABEL_RULES

# Four components, two of three and two of one, with ids whose order is not that of their sizes
EDGES = np.array([-5, 9, 2, 7, 4, 7]), np.array([-5, 2, 9, 1, 2, 0])
ALONE = [12]
VERTEX = [-5, 0, 1, 2, 4, 7, 9, 12]
LABELS = {
    "min": [-5, 0, 0, 2, 2, 0, 2, 12],
    "max": [-5, 7, 7, 9, 9, 7, 9, 12],
    "dense": [0, 1, 1, 2, 2, 1, 2, 3],
    "size": [2, 0, 0, 1, 1, 0, 1, 3],
}
SIZES = {"min": [0, 2, -5, 12], "max": [7, 9, -5, 12], "dense": [1, 2, 0, 3], "size": [0, 1, 2, 3]}
KINDS = list(LABELS)
DESIGN = "none+async+naive"


def rows(answer):
    """The two columns of an answer of arrays, as lists."""
    return [np.asarray(column).tolist() for column in answer]


@pytest.fixture
def ask(engine):
    """The answer, with labels of one kind."""
    options = {"vertices": ALONE, "engine": engine, "design": DESIGN}
    return lambda labels="min": components(EDGES, labels=labels, **options)


def test_labels_are_the_least_id_of_each_component_unless_told_otherwise(ask):
    found = ask()
    assert isinstance(found, cc_rapids.Components)
    assert len(found) == 4
    assert found.labels()._fields == ("vertex", "labels")
    assert rows(found.labels()) == [VERTEX, LABELS["min"]]


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_labels_can_be_set_at_the_start_or_asked_for(ask, engine, kind):
    expected = [VERTEX, LABELS[kind]]
    assert rows(ask(kind).labels()) == expected
    for other in KINDS:
        assert rows(ask(other).labels(kind)) == expected
    direct = connected_components(EDGES, vertices=ALONE, engine=engine, labels=kind)
    assert rows(direct) == expected


@pytest.mark.parametrize("kind", KINDS)
def test_labels_that_are_no_ids_are_int32_as_those_of_scipy(ask, kind):
    found, expected = ask(kind), np.int64 if kind in ("min", "max") else np.int32
    assert found.labels().vertex.dtype == np.int64
    for answer in (found.labels(), found.sizes(), found.largest()):
        assert answer.labels.dtype == expected


@pytest.mark.parametrize("kind", KINDS)
def test_sizes_come_largest_first_and_equals_by_their_least_ids(ask, kind):
    sizes = ask(kind).sizes()
    assert sizes._fields == ("labels", "size")
    assert rows(sizes) == [SIZES[kind], [3, 3, 1, 1]]
    assert sizes.size.dtype == np.int64


@pytest.mark.parametrize("kind", KINDS)
def test_the_largest_of_equals_is_the_one_with_the_least_id(ask, kind):
    assert rows(ask(kind).largest()) == [[0, 1, 7], [SIZES[kind][0]] * 3]


@pytest.mark.parametrize("kind", KINDS)
def test_so_many_of_the_largest(ask, kind):
    found = ask(kind)
    for count in (0, 1, 2, np.int64(3), 99):
        labels, sizes = rows(found.sizes(count))
        assert [labels, sizes] == [column[:count] for column in rows(found.sizes())]
        vertices, among = rows(found.largest(count))
        every = zip(*rows(found.labels()), strict=True)
        assert list(zip(vertices, among, strict=True)) == [row for row in every if row[1] in labels]


@pytest.mark.parametrize("count", [-1, 1.5, "3", True, [3]])
def test_what_is_no_count_of_components_is_refused(count):
    found = cc_rapids.components(([1], [2]))
    for method in (found.sizes, found.largest):
        with pytest.raises(
            cc_rapids.InputError, match=r"count= must be a count of at least 0, not"
        ):
            method(count)


def test_one_is_told_in_the_singular():
    found = cc_rapids.components(([1], [1]))
    assert "1 component of 1 vertex; 1 edge, " in repr(found)
    assert str(found.audit(([1], [1]))) == "right: 1 component of 1 vertex, by 1 edge"
    seen = cc_rapids.Connectivity().insert(([1], [1]))
    assert "1 component of 1 vertex; 1 edge in 1 batch, " in repr(seen)


def test_the_largest_need_not_have_the_least_id(engine):
    found = components(([1, 8, 5], [1, 5, 6]), engine=engine, labels="dense")
    assert rows(found.largest()) == [[5, 6, 8], [1, 1, 1]]
    assert rows(found.labels("size")) == [[1, 5, 6, 8], [1, 0, 0, 0]]


def test_the_summary_says_what_ran_and_what_it_found(ask, engine):
    summary = ask().summary()
    seconds, device, peak = (summary.pop(name) for name in ("seconds", "device", "peak_bytes"))
    assert summary == {
        "engine": engine,
        "memory": "device",
        "design": DESIGN,
        "ids": "offset",
        "vertices": 8,
        "edges": 6,
        "components": 4,
        "largest": 3,
        "ledger": "6 rows given = 6 linked",
        "dropped": 0,
    }
    assert device
    assert isinstance(device, str)
    assert (peak is None and engine == "cuda") or peak > 0
    assert seconds["compute"] > 0
    assert seconds["copy"] is None or engine == "cuda"


def test_the_repr_is_one_line_of_what_is_known(ask, engine):
    found, end = ask(), f"6 edges, {DESIGN} on {engine}>"
    assert repr(found) == f"<Components: 4 components of 8 vertices; {end}"
    found.summary()
    assert repr(found) == f"<Components: 4 components of 8 vertices, the largest of 3; {end}"


def test_a_repr_launches_nothing_and_raises_nothing(engine, monkeypatch):
    backend = type(backends.get(engine))
    edges = np.arange(1000) % 400, np.arange(1000)[::-1] % 300
    weight = np.ones(1000)
    answers = [
        components(edges, engine=engine),
        cc_rapids.minimum_spanning_forest(edges, weight=weight, engine=engine),
        components(edges, weight=weight, forest="min", engine=engine).dendrogram(),
        cc_rapids.Connectivity(engine=engine).insert(edges),
        cc_rapids.link_records(pd.DataFrame({"a": [1, 1, 2]}), keys=["a"], engine=engine),
    ]

    def refused(*_, **__):
        raise cc_rapids.CapacityError("no memory is left")

    for name in ("launch", "scope", "read_async", "to_host"):
        monkeypatch.setattr(backend, name, refused)
    for answer in answers:
        assert "largest" not in repr(answer)
        if isinstance(answer, cc_rapids.Components | cc_rapids.Connectivity):
            assert answer._repr_html_() is None


def test_a_frame_that_was_made_ahead_is_given_away_once(engine):
    found = components(([5, 2], [2, 7]), engine=engine)
    found.answer.prefetched_frame = made = found.labels()
    ready, frames = threading.Barrier(8), []

    def take():
        ready.wait()
        frames.append(found.labels())

    threads = [threading.Thread(target=take) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(frame is made for frame in frames) == 1
    found.answer.prefetched_frame = made
    found.audit(([5, 2], [2, 7]))  # which reads a frame that nobody else changes meanwhile
    assert found.labels() is not made


@pytest.mark.parametrize("true", [True, np.True_])
def test_true_is_no_number(engine, true):
    for kind in ("dense", "size"):
        found = components(([1, 8, 5], [1, 5, 6]), engine=engine, labels=kind)
        with pytest.raises(cc_rapids.InputError, match="label"):
            found.subset(true)
    for name in ("min_size", "max_size"):
        with pytest.raises(cc_rapids.InputError, match=f"{name} must be a number of vertices"):
            found.filter(**{name: true})


@pytest.mark.parametrize("kind", ["min", "max"])
def test_a_label_is_found_without_the_labels_of_all(engine, kind, monkeypatch):
    ends = np.random.default_rng(3).integers(-40, 40, (2, 50))
    found = components((ends[0], ends[1]), engine=engine, labels=kind)
    vertex, labels = rows(found.labels())
    monkeypatch.setattr(LABEL_KINDS[kind], "vertices_and_labels", None)
    for label in vertex:
        if label in labels:
            members = [v for v, own in zip(vertex, labels, strict=True) if own == label]
            assert found.subset(label).tolist() == members
        else:
            with pytest.raises(cc_rapids.InputError, match="label"):
                found.subset(label)


def test_large_counts_are_grouped():
    found = components(([0], [1]), num_vertices=1_234_567)
    assert "1,234,566 components of 1,234,567 vertices" in repr(found)


@pytest.mark.parametrize("options", [{}, {"num_vertices": 0}, {"vertices": []}])
@pytest.mark.parametrize("kind", KINDS)
def test_no_edges_are_an_empty_answer(engine, kind, options):
    found = components(([], []), labels=kind, engine=engine, **options)
    assert len(found) == 0
    for answer in (found.labels(), found.sizes(), found.largest()):
        assert rows(answer) == [[], []]
        assert answer.labels.dtype == (np.int64 if kind in ("min", "max") else np.int32)
    assert found.summary()["largest"] == 0
    assert "0 components of 0 vertices, the largest of 0; 0 edges" in repr(found)  # by summary()


@pytest.mark.parametrize("method", ["labels", "sizes", "largest"])
@pytest.mark.parametrize("kind", KINDS)
def test_writing_into_an_answer_changes_no_later_one(ask, kind, method):
    found = ask(kind)

    def answers():
        return [rows(answer) for answer in (found.labels(), found.sizes(), found.largest())]

    before = answers()
    for column in getattr(found, method)():
        column[:] = 77
    assert answers() == before
    assert rows(found.labels("min")) == [VERTEX, LABELS["min"]]


def test_a_component_may_be_asked_for_again_after_another_run(ask, engine):
    found = ask()
    components(([1], [2]), engine=engine)
    assert rows(found.labels("size")) == [VERTEX, LABELS["size"]]


def test_a_label_frame_takes_no_more_than_was_planned():
    ids = np.random.default_rng(2).integers(0, 1 << 19, (2, 1 << 19))
    edges = pd.DataFrame({"src": ids[0], "dst": ids[1]})
    components(edges).labels()  # what is compiled takes memory too
    planned = components(edges, explain=True).bytes
    tracemalloc.start()
    try:
        components(edges).labels()
        assert tracemalloc.get_traced_memory()[1] <= planned
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kind", ["min", "max", "dense", "size"])
def test_frames_are_the_callers_to_change(kind):
    found = components(pd.DataFrame({"src": [5, 2, 9], "dst": [2, 7, 9]}), labels=kind)
    asked = (found.labels, found.sizes, found.largest, found.size_histogram)
    before = [ask().to_dict() for ask in asked]
    for ask in asked:
        frame = ask()
        for name in frame.columns:
            frame.loc[:, name] = -1
    assert [ask().to_dict() for ask in asked] == before


@pytest.mark.parametrize("name", LABEL_KINDS)
def test_each_kind_of_labels_has_its_place_in_the_answer(ask, name):
    found, kind = ask(name), LABEL_KINDS[name]
    assert check_labels(name) is kind
    assert kind.audited_as in LABEL_RULES
    vertex, label = kind.vertices_and_labels(found.answer)
    assert rows([vertex, label]) == rows([found.labels().vertex, kind.labels_of_rows(found.answer)])
    named = kind.of_component(found.answer, np.arange(len(found)))
    for number, one in enumerate(named.tolist()):
        assert kind.find(found.answer, one) == number
        assert set(label[vertex == found.subset(one)[0]].tolist()) == {one}
    assert kind.find(found.answer, 3.5) is None
    assert kind.find(found.answer, 10**6) is None


def test_unknown_kinds_of_labels_name_the_known_ones(ask):
    with pytest.raises(cc_rapids.InputError, match=r"unknown labels 'mim': did you mean 'min'\?"):
        ask("mim")
