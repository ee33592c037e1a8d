"""The benchmark: what it times, on which inputs, what it checks, and what it counts on paper."""

import numpy as np
import pytest
from scipy import sparse

import cc_rapids
from cc_rapids import Design, backends, generators
from cc_rapids.errors import InputError, VerificationError
from cc_rapids.tools import bench
from cc_rapids.tools.bench import limits
from cc_rapids.tools.bench.inputs import inputs

H100 = "NVIDIA H100 80GB HBM3"


@pytest.fixture
def graph():
    return generators.reference("kron21", 8)


def measured(graph, designs=("auto",), **options):
    options = bench.Options(**{"runs": 2} | options)
    return list(bench.measure(graph, backends.get("threads"), list(designs), options=options))


class TestTiming:
    def test_each_run_has_the_next_input_and_the_first_does_not_count(self):
        seen, threads = [], backends.get("threads")
        times = bench.timed(threads, seen.append, ["a", "b", "c"], 4)
        assert seen == ["a", "b", "c", "a", "b"]
        assert len(times.wall) == 4
        assert times.device is None

    def test_patience_ends(self):
        seen = []
        bench.timed(backends.get("threads"), seen.append, [0], 9, patience=0)
        assert len(seen) == 1 + 3

    def test_small_inputs_have_a_copy_a_run_and_large_ones_exceed_the_cache(self, monkeypatch):
        threads, small = backends.get("threads"), np.arange(10)
        copies = bench.rotated(threads, (small,), 5)
        assert len(copies) == 6
        assert len({copy[0].ctypes.data for copy in copies}) == 6
        assert all(np.array_equal(copy[0], small) for copy in copies)
        monkeypatch.setattr(threads, "cache_bytes", lambda: small.nbytes // 2, raising=False)
        assert len(bench.rotated(threads, (small,), 50)) == 3
        monkeypatch.setattr(type(threads), "free_bytes", lambda self: 0)
        assert len(bench.rotated(threads, (small,), 50)) == 1


def test_rows_are_sorted_and_hold_each_entry_once(graph):
    """As SciPy makes them of both directions; R-MAT graphs list edges again, and loops."""
    n, (src, dst) = graph.num_vertices, graph.edges
    ends = np.concatenate([src, dst]), np.concatenate([dst, src])
    theirs = sparse.coo_array((np.ones(2 * src.size, np.int64), ends), shape=(n, n)).tocsr()
    theirs.sort_indices()
    assert theirs.nnz < 2 * src.size
    for ids in bench.IDS:
        copy = inputs(graph, "csr", ids, backends.get("threads"), 1)[0]
        np.testing.assert_array_equal(copy.rows.offsets, theirs.indptr)
        np.testing.assert_array_equal(copy.rows.indices, theirs.indices)
        assert copy.rows.indices.dtype == ids


class TestPaper:
    def test_a_list_is_read_once_and_both_labels_of_an_edge(self):
        n, m = 1 << 21, 91_000_000
        moved = limits.traffic(Design(), False, n, m, 4)
        assert moved.streamed == 8 * m + 8 * n
        assert moved.reads == ((2 * m, 4 * n),)
        facts = limits.limit_facts(Design(), False, n, m, 4, H100, 2.0)
        assert facts["random_reads_an_edge"] == 2
        assert facts["limit_ms"] == pytest.approx(1e3 * 2 * m / 127e9, rel=1e-3)
        assert facts["of_limit"] == pytest.approx(facts["limit_ms"] / 2, rel=1e-2)

    def test_after_a_sample_bits_are_read(self):
        n, m = 1 << 22, 12_800_000
        moved = limits.traffic(Design.parse("strided+async+halve"), False, n, m, 8)
        assert moved.streamed == 16 * m + 12 * n
        assert moved.reads == ((2 * m // 5, 4 * n), (2 * m * 4 // 5, n // 8))

    def test_bits_in_shared_memory_are_no_reads_of_a_table(self):
        n, m = 1 << 22, 12_800_000
        moved = limits.traffic(Design.parse("strided(bits=shared)+async+halve"), False, n, m, 8)
        assert moved.reads == ((2 * m // 5, 4 * n),)

    def test_a_matrix_is_read_as_a_whole(self):
        moved = limits.traffic(Design.parse("dense"), False, 1000, 5000, 4)
        assert moved.streamed == 8 * 5000 + 2 * 1000**2

    def test_rows_that_a_sample_leaves_are_not_counted(self):
        n, m = 1000, 50_000
        kout = limits.traffic(Design.parse("kout(k=3)+async+halve"), True, n, m, 4)
        assert kout.reads == ((3 * n, 4 * n),)
        assert limits.traffic(Design(), True, n, m, 4).reads == ((m, 4 * n),)

    def test_reads_of_larger_tables_take_longer(self):
        sizes = [1, 1 << 19, 1 << 22, 20 << 20, 50 << 20, 100 << 20, 1 << 29, 1 << 40]
        times = [limits.CARDS[H100].reads_ms(1e9, size) for size in sizes]
        assert times == sorted(times)
        assert times[0] == pytest.approx(1e12 / 205e9)
        assert times[-1] == pytest.approx(1e12 / 31e9)

    def test_an_unknown_card_has_no_limit(self):
        assert "of_limit" not in limits.limit_facts(Design(), False, 10, 0, 4, "2 threads", 1.0)


class TestCases:
    def test_all_forms_and_types(self, graph):
        found = measured(graph, ["auto", "kout+async+halve"])
        assert [(r["form"], r["ids"], r["design"]) for r in found] == [
            (form, ids, design)
            for form in ("coo", "csr")
            for ids in ("int32", "int64")
            for design in ("auto", "kout+async+halve")
        ]
        for record in found:
            assert record["checked"]
            assert record["peer"]["name"] == "scipy"
            assert record["peer"]["same_partition"]
            assert record["inputs"] == 3
            assert record["job_wall_ms"]["runs"] == record["solve_wall_ms"]["runs"] == 2
            assert "job_device_ms" not in record
        assert [r["reads"] for r in found] == ["list", "rows"] * 2 + ["rows"] * 4
        assert found[2]["input_bytes"] == 2 * found[0]["input_bytes"]

    def test_without_checks_and_peers(self, graph):
        for record in measured(graph, check=False, peers=False):
            assert not {"checked", "peer"} & set(record)

    def test_a_list_says_whether_its_memory_was_within_the_bound(self, graph, monkeypatch):
        from cc_rapids.tools.bench import cases

        peaks = {}
        for peak in (1, 1 << 40):
            monkeypatch.setattr(cases, "with_peak", lambda engine, work, peak=peak: (work(), peak))
            designs = ["auto", "none+async+naive"]
            peaks[peak] = measured(graph, designs, check=False, peers=False)
        lists = [r for r in peaks[1] if (r["form"], r["design"]) == ("coo", "auto")]
        assert [r["within_bound"] for r in lists] == [True, True]
        for record, width in zip(lists, (4, 8), strict=True):
            answer = 2 * width * record["vertices"]
            bound = cc_rapids.memory_bound(record["n"], answer, record["m"])
            assert record["bound_bytes"] == bound
        assert [r["within_bound"] for r in peaks[1 << 40] if "within_bound" in r] == [False] * 2
        assert not any("within_bound" in r for r in measured(graph, check=False, peers=False)[2:])

    def test_a_wrong_answer_is_no_record(self, graph, monkeypatch):
        from cc_rapids.tools.bench import cases

        monkeypatch.setattr(cases.oracle, "union_find", lambda src, dst, n: np.arange(n))
        with pytest.raises(VerificationError, match="none\\+async\\+halve on kron21 at scale 8"):
            measured(graph)

    def test_a_peer_that_fails_is_said_to(self, graph, monkeypatch):
        from cc_rapids.tools.bench import peers

        def broken(copy, n):
            raise MemoryError("too much")

        monkeypatch.setattr(peers, "_scipy", broken)
        for record in measured(graph):
            assert record["peer"] == {"name": "scipy", "not_run": "MemoryError: too much"}

    def test_vertices_have_to_fit(self, monkeypatch, graph):
        from dataclasses import replace

        with pytest.raises(InputError, match="do not fit int32"):
            measured(replace(graph, num_vertices=1 << 31 | 1))
        greatest = replace(graph, num_vertices=1 << 31)
        copy = inputs(greatest, "coo", "int32", backends.get("threads"), 1)[0]
        assert copy.edges.src.dtype == np.int32
