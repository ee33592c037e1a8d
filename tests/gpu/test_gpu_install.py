"""install() under the real cuGraph, those who call it, and cuGraph's own tests."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from gpu_graphs import ran, random_frame, symmetric
from scipy.sparse import csgraph
from support.machine import with_package

import cc_rapids
import cc_rapids.integrations.cugraph
from cc_rapids import oracle

pytestmark = pytest.mark.gpu

ROOT = Path(__file__).parents[2]


def test_install_and_back(cudf, cugraph, make, calls):
    import pylibcugraph
    from cugraph.components import connectivity

    names = [
        (cugraph, "weakly_connected_components"),
        (cugraph, "connected_components"),
        (cugraph.components, "weakly_connected_components"),
        (connectivity, "weakly_connected_components"),
        (connectivity, "connected_components"),
        (connectivity, "pylibcugraph_wcc"),
        (pylibcugraph, "weakly_connected_components"),
        (sys.modules["pylibcugraph.weakly_connected_components"], "weakly_connected_components"),
    ]
    before = [getattr(module, name) for module, name in names]
    graph = make(random_frame(cudf, 400, 300))
    theirs = cugraph.weakly_connected_components(graph)
    assert ran(calls) == 0
    with cc_rapids.installed():
        cc_rapids.install()
        for k, (module, name) in enumerate(names):
            assert getattr(module, name) is not before[k]
        for call in (cugraph.weakly_connected_components, cugraph.connected_components):
            oracle.same_partition(call(graph), theirs)
        assert ran(calls) == 2
    assert [getattr(module, name) for module, name in names] == before
    cugraph.weakly_connected_components(graph)
    assert ran(calls) == 2


def weighted(cudf, spell):
    """A frame without duplicates, loops and equal weights, so that there is one forest."""
    random = np.random.default_rng(6)
    ends = np.unique(np.sort(random.integers(0, 500, (3000, 2)), axis=1), axis=0)
    ends = ends[ends[:, 0] != ends[:, 1]]
    frame = cudf.DataFrame({"src": spell(ends[:, 0]), "dst": spell(ends[:, 1])})
    frame["weight"] = random.permutation(len(ends)).astype(np.float32)
    return frame


def edges_of(tree):
    """The edges of a graph of cuGraph's, each from its lesser end, in their order."""
    return rows_of(tree.view_edge_list().to_pandas(), ["src", "dst"])


def rows_of(frame, ends):
    """Rows of a frame of pandas, each from its lesser end, in their order."""
    weight = next(name for name in frame.columns if name.startswith("weight"))
    pairs = np.sort(frame[ends].to_numpy(), axis=1).tolist()
    return sorted((*map(str, one), value) for one, value in zip(pairs, frame[weight], strict=True))


@pytest.mark.parametrize("name", ["minimum_spanning_tree", "maximum_spanning_tree"])
@pytest.mark.parametrize("dtype", [np.int32, np.int64, str])
def test_spanning_trees_are_those_of_cugraph(cudf, cugraph, make, calls, name, dtype):
    frame = weighted(cudf, lambda ids: ids.astype(dtype))
    try:
        theirs = edges_of(getattr(cugraph, name)(make(frame, edge_attr="weight")))
    except (
        RuntimeError,
        ValueError,
    ):  # it fails for some types, and greatest weights
        rows = getattr(cc_rapids, name.replace("tree", "forest"))(frame, weight="weight")
        theirs = rows_of(rows.to_pandas(), ["source", "destination"])
        calls.clear()
    with cc_rapids.installed():
        ours = getattr(cugraph, name)(make(frame, edge_attr="weight"))
        assert ran(calls) == 1
        assert isinstance(ours, cugraph.Graph)
        assert edges_of(ours) == theirs
        calls.clear()
        getattr(cugraph.tree, name)(make(frame, edge_attr="weight"))
        assert ran(calls) == 1


@pytest.mark.parametrize("name", ["minimum_spanning_tree", "maximum_spanning_tree"])
def test_trees_of_several_columns(cudf, cugraph, make, name):
    """The original loses such columns; the forest is that of the rows."""
    frame = weighted(cudf, lambda ids: ids.astype(np.int64))
    for side in ("src", "dst"):
        frame[f"kind_{side}"] = frame[side] % 2
    sides = ["kind_src", "src"], ["kind_dst", "dst"]
    tree = getattr(cc_rapids.integrations.cugraph, name)(make(frame, *sides, edge_attr="weight"))
    find = getattr(cc_rapids, name.replace("tree", "forest"))
    expected = find(frame, *sides, weight="weight")
    assert sorted(tree.input_df["weight"].to_pandas()) == sorted(expected["weight"].to_pandas())


def test_pylibcugraph_graphs_and_arrays(calls):
    cupy = pytest.importorskip("cupy")
    plc = pytest.importorskip("pylibcugraph")
    src, dst = cupy.asarray([5, 2, 9], np.int32), cupy.asarray([2, 7, 9], np.int32)
    handle = plc.ResourceHandle()
    graph = plc.SGGraph(
        handle,
        plc.GraphProperties(is_symmetric=True, is_multigraph=False),
        cupy.concatenate([src, dst]),
        cupy.concatenate([dst, src]),
        store_transposed=False,
        renumber=True,
        do_expensive_check=False,
        vertices_array=cupy.asarray([2, 5, 7, 9, 11], np.int32),
    )
    matrix = symmetric()
    lists = cupy.asarray(matrix.indptr), cupy.asarray(matrix.indices)
    out = cupy.full(300, -1, np.int32)
    with cc_rapids.installed():
        vertices, labels = plc.weakly_connected_components(
            handle, graph, None, None, None, None, False
        )
        assert vertices.get().tolist() == [2, 5, 7, 9, 11]
        assert labels.get().tolist() == [2, 2, 2, 9, 11]
        _, labels = plc.weakly_connected_components(None, None, *lists, None, None, False)
        done = plc.weakly_connected_components(None, None, *lists, None, out, False)
        assert ran(calls) == 3
        with pytest.raises(TypeError, match="Invalid input combination"):
            plc.weakly_connected_components(handle, graph, *lists, None, None, False)
    assert done is None
    _, dense = csgraph.connected_components(matrix, directed=False)
    _, first = np.unique(dense, return_index=True)
    assert labels.get().tolist() == out.get().tolist() == first[dense].tolist()


@pytest.mark.filterwarnings("ignore")  # of nx-cugraph's own
def test_nx_cugraph_is_reached(calls):
    nx = pytest.importorskip("networkx")
    nxcg = pytest.importorskip("nx_cugraph")
    graph = nx.union_all(
        [nx.path_graph(9), nx.cycle_graph(4), nx.complete_graph(3)], ("a", "b", "c")
    )
    graph.add_node("alone")
    held = nxcg.from_networkx(graph)
    expected = {frozenset(part) for part in nx.connected_components(graph)}
    with cc_rapids.installed():
        assert {frozenset(part) for part in nxcg.connected_components(held)} == expected
        assert nxcg.number_connected_components(held) == 4
        assert not nxcg.is_connected(held)
        assert nxcg.node_connected_component(held, "c1") == {"c0", "c1", "c2"}
        assert ran(calls) == 4


@pytest.mark.filterwarnings("ignore")  # of CuPy's own
def test_cupys_csgraph_is_reached(calls):
    pytest.importorskip("pylibcugraph")
    sparse = pytest.importorskip("cupyx.scipy.sparse")
    from cupyx.scipy.sparse.csgraph import connected_components

    matrix = symmetric()
    count, expected = csgraph.connected_components(matrix, directed=False)
    with cc_rapids.installed():
        found, labels = connected_components(sparse.csr_matrix(matrix), directed=False)
    assert ran(calls) == 1
    assert found == count
    assert labels.get().tolist() == expected.tolist()


def suite():
    """CuGraph's own tests: of the folder brought along, or of the installed cugraph."""
    spec = importlib.util.find_spec("cugraph")
    installed = [Path(at, "tests", "components") for at in spec.submodule_search_locations or ()]
    brought = os.environ.get("CC_RAPIDS_PEER_TESTS")
    for folder in [*([Path(brought)] if brought else []), *installed]:
        if (folder / "test_connectivity.py").is_file():
            return folder / "test_connectivity.py"
    return None


def test_cugraphs_own_tests_pass_under_install(cugraph, tmp_path):
    for needed in ("networkx", "yaml", "dask_cudf"):
        pytest.importorskip(needed)
    file = suite()
    if file is None:
        pytest.skip(
            "the installed cugraph comes without its tests: set CC_RAPIDS_PEER_TESTS to a folder"
            " with test_connectivity.py"
        )
    environment = with_package(os.environ) | {
        "RAPIDS_DATASET_ROOT_DIR": str(tmp_path),
    }

    def run(*only):
        """What the suite says, and which of its tests fail."""
        script = str(ROOT / "tests" / "gpu" / "peer_suite.py")
        done = subprocess.run(
            [sys.executable, script, str(file.resolve()), *only],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        assert re.search(r"\d+ passed", done.stdout), done.stdout[-5000:] + done.stderr[-2000:]
        return done, set(re.findall(r"^(?:FAILED|ERROR) \S*::(test_\S+)", done.stdout, re.M))

    done, failed = run()
    if failed:  # strong components are cuGraph's own: what fails there fails without ours too
        assert all("strong" in name for name in failed), done.stdout[-5000:]
        assert failed <= run("strong")[1], done.stdout[-5000:]
    said = re.search(r"cc_rapids ran (\d+) times, and handed on (\d+) calls", done.stdout)
    assert int(said[1]) >= 10, done.stdout[-5000:]
