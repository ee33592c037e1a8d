"""install(): under which names ours comes, what goes to the original, and the way back."""

import logging
import os
import subprocess
import sys
from types import ModuleType

import numpy as np
import pandas as pd
import peers
import pytest
from support.machine import with_package

import cc_rapids
from cc_rapids import errors
from cc_rapids.integrations import cugraph as ours
from cc_rapids.integrations import install as machinery

FRAME = pd.DataFrame({"src": [5, 2, 9], "dst": [2, 7, 9]})
OFFSETS, INDICES = np.array([0, 1, 1], np.int32), np.array([1], np.int32)
COMPONENTS = ("weakly_connected_components", "connected_components")
TREES = ("minimum_spanning_tree", "maximum_spanning_tree")
NAMES = {
    "cugraph": COMPONENTS + TREES,
    "cugraph.components": (
        "weakly_connected_components",
        "connected_components",
        "pylibcugraph_wcc",
    ),
    "cugraph.tree": TREES,
    "pylibcugraph": ("weakly_connected_components",),
    "nx_cugraph.all": ("wcc",),
    "nemo_curator.stages": ("pylibcugraph_wcc",),
    "cugraph.dask": ("weakly_connected_components",),
    "cugraph.dask.components": ("weakly_connected_components",),
}


def functions(modules):
    return {(home, name): getattr(modules[home], name) for home in NAMES for name in NAMES[home]}


def test_every_name_is_reached_and_given_back(peer, graph):
    before = functions(peer)
    cc_rapids.install()
    within = functions(peer)
    assert all(within[place] is not before[place] for place in before)
    cc_rapids.install()
    assert functions(peer) == within
    cc_rapids.uninstall()
    assert functions(peer) == before
    cc_rapids.uninstall()
    assert functions(peer) == before
    assert machinery._finder not in sys.meta_path


def test_ours_runs_under_those_names(peer, graph):
    with cc_rapids.installed():
        for name in COMPONENTS:
            answer = getattr(peer["cugraph"], name)(graph(FRAME))
            assert answer["labels"].tolist() == [2, 2, 2, 9]
        vertices, labels = peer["nx_cugraph.all"].wcc(
            resource_handle=None,
            graph=peers.SGGraph([5], [2]),
            offsets=None,
            indices=None,
            weights=None,
            labels=None,
            do_expensive_check=False,
        )
        assert (vertices.tolist(), labels.tolist()) == ([2, 5], [2, 2])
    assert peer["cugraph"].weakly_connected_components(graph(FRAME))[0] == "cugraph"


def test_names_keep_their_documentation(peer):
    peer["cugraph"].connected_components.__doc__ = "cuGraph's words"
    with cc_rapids.installed():
        assert peer["cugraph"].connected_components.__doc__ == "cuGraph's words"
        assert peer["cugraph"].connected_components.__name__ == "connected_components"


def test_the_context_leaves_what_was_installed_before(peer):
    before = functions(peer)
    with pytest.raises(KeyError), cc_rapids.installed():
        raise KeyError
    assert functions(peer) == before
    cc_rapids.install()
    with cc_rapids.installed():
        pass
    assert functions(peer) != before


def test_names_taken_meanwhile_call_the_original_afterwards(peer, graph):
    with cc_rapids.installed():
        taken = peer["cugraph"].weakly_connected_components
        assert len(taken(graph(FRAME))) == 4
    assert taken(graph(FRAME)) == ("cugraph", (-1, "SGGraph"))
    cc_rapids.install()
    assert len(taken(graph(FRAME))) == 4


def test_what_cannot_be_taken_goes_to_the_original_with_one_line(peer, graph, monkeypatch, caplog):
    caplog.set_level(logging.INFO, logger="cc_rapids.integrations")
    spread = graph(FRAME)
    monkeypatch.setattr(spread, "is_multi_gpu", lambda: True)
    spread._Impl._plc_graph = peers.MGGraph([1], [2])
    cc_rapids.install()
    for name in COMPONENTS:
        caplog.clear()
        assert getattr(peer["cugraph"], name)(spread) == ("cugraph", (-1, "MGGraph"))
        (line,) = caplog.messages
        assert line.startswith(
            f"passed to the original cugraph.{name}: the graph is distributed over"
        )
    caplog.clear()
    handed = peer["cugraph"].connected_components(graph(FRAME), connection="strong")
    assert handed == ("strong", None, "strong", None)
    assert len(caplog.messages) == 1
    caplog.clear()
    del peer["pylibcugraph"].replicate_edgelist  # of a version before it had one
    plc = peer["pylibcugraph"].weakly_connected_components
    assert plc(None, spread._plc_graph, None, None, None, None, False) == (-1, "MGGraph")
    (line,) = caplog.messages
    assert "this pylibcugraph has no replicate_edgelist" in line


@pytest.mark.parametrize("error", [errors.CapacityError, errors.EngineError])
def test_too_large_a_graph_goes_to_the_original(peer, graph, monkeypatch, error, caplog):
    def refuse(*arguments, **options):
        raise error("no room")

    monkeypatch.setattr(ours, "find_components", refuse)
    caplog.set_level(logging.INFO, logger="cc_rapids.integrations")
    cc_rapids.install()
    theirs = peer["cugraph"].weakly_connected_components(graph(FRAME))
    assert theirs == ("cugraph", (-1, "SGGraph"))
    assert [line.rpartition(": ")[2] for line in caplog.messages] == ["no room"]


def test_kinds_and_options_of_others_go_to_the_original(peer, graph, caplog):
    caplog.set_level(logging.INFO, logger="cc_rapids.integrations")
    cc_rapids.install()
    found = peer["cugraph"].weakly_connected_components
    assert found([[0, 1], [1, 0]]) == ("cugraph", (-1, "NoneType"))
    with pytest.raises(TypeError, match="unexpected keyword argument 'weight'"):
        found(graph(FRAME), weight="w")
    handed = "passed to the original cugraph.weakly_connected_components: "
    assert [line.removeprefix(handed)[:11] for line in caplog.messages] == [
        "obj of type",
        "weakly_conn",
    ]


def test_errors_of_the_contract_stay_errors(peer, graph):
    cc_rapids.install()
    with pytest.raises(TypeError, match="'directed' cannot be specified"):
        peer["cugraph"].connected_components(graph(FRAME), directed=True)
    with pytest.raises(ValueError, match="input graph must be undirected"):
        peer["cugraph"].connected_components(graph(FRAME, directed=True))


def test_without_either_library_a_line_says_so(monkeypatch, caplog):
    monkeypatch.setattr(machinery, "find_spec", lambda name: None)
    with cc_rapids.installed():
        pass
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert "neither cuGraph nor pylibcugraph is installed" in record.message


PLC = """
def weakly_connected_components(resource_handle, graph, offsets, indices, weights, labels,
                                do_expensive_check):
    return None, [-1]
"""
CUGRAPH = """
from pylibcugraph import weakly_connected_components as pylibcugraph_wcc

def weakly_connected_components(G, directed=None, connection=None, return_labels=None):
    return "original"

connected_components = weakly_connected_components
"""
DASK = """
def weakly_connected_components(input_graph):
    return "original on workers"
"""
SCRIPT = """
import sys, numpy as np, scipy.sparse as sp, cc_rapids
assert "cugraph" not in sys.modules
import helper
import cugraph, pylibcugraph
print(sys.argv[1:], helper.WORD, __name__)
print(cugraph.weakly_connected_components(sp.coo_array((2, 2)), return_labels=False))
lists = np.array([0, 1, 1]), np.array([1])
print(pylibcugraph.weakly_connected_components(None, None, *lists, None, None, False)[1].tolist())
import cugraph.dask as dcg
print(dcg.weakly_connected_components.__wrapped__ is not dcg.weakly_connected_components)
cc_rapids.uninstall()
print(dcg.weakly_connected_components(None))
print(cugraph.weakly_connected_components(None), cugraph.connected_components(None))
print(cugraph.pylibcugraph_wcc is pylibcugraph.weakly_connected_components)
print(pylibcugraph.weakly_connected_components(*[None] * 7))
"""
SAID = [
    "['-x', 'y'] beside __main__",
    "2",
    "[0, 0]",
    "True",
    "original on workers",
    "original original",
    "True",
    "(None, [-1])",
]


@pytest.fixture
def scripts(tmp_path):
    """A folder with a program, a module beside it, and libraries that nothing has imported."""
    beside = tmp_path / "programs"
    beside.mkdir()
    (beside / "program.py").write_text(SCRIPT)
    (beside / "helper.py").write_text("WORD = 'beside'")
    (tmp_path / "pylibcugraph.py").write_text(PLC)
    (tmp_path / "cugraph").mkdir()
    (tmp_path / "cugraph" / "__init__.py").write_text(CUGRAPH)
    (tmp_path / "cugraph" / "dask.py").write_text(DASK)
    return beside


def run(*arguments, cwd, path):
    environment = with_package(os.environ, path)
    return subprocess.run(
        [sys.executable, "-W", "error", *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
    )


@pytest.mark.extended
def test_a_script_runs_as_python_would_run_it(scripts, tmp_path):
    program = str(scripts / "program.py")
    done = run("-m", "cc_rapids", program, "-x", "y", cwd=tmp_path, path=tmp_path)
    assert done.stderr == ""
    assert done.stdout.splitlines() == SAID


@pytest.mark.slow
def test_a_module_runs_as_python_would_run_it(scripts, tmp_path):
    done = run("-m", "cc_rapids", "-m", "program", "-x", "y", cwd=scripts, path=tmp_path)
    assert done.stderr == ""
    assert done.stdout.splitlines() == SAID


@pytest.mark.extended
def test_python_m_cc_rapids_says_how_to_call_it(tmp_path):
    for arguments, code in ((["--other"], 2), (["--help"], 0)):
        done = run("-m", "cc_rapids", *arguments, cwd=tmp_path, path=tmp_path)
        assert done.returncode == code
        said = done.stderr if code else done.stdout
        assert said.startswith("usage: python -m cc_rapids [-m MODULE | SCRIPT]")


def test_scripts_without_cugraph_run_and_say_so(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("print('ran')")
    done = run("-m", "cc_rapids", str(program), cwd=tmp_path, path=tmp_path)
    if "nothing to replace" not in done.stderr:
        pytest.skip("cuGraph is installed here")
    assert done.stdout == "ran\n"


def test_a_library_that_fails_to_import_fails_as_before(peer, tmp_path, monkeypatch):
    monkeypatch.delitem(sys.modules, "cugraph")
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "cugraph.py").write_text("raise RuntimeError('no driver')")
    with cc_rapids.installed(), pytest.raises(RuntimeError, match="no driver"):
        import cugraph  # noqa: F401


def test_notebooks_load_and_unload_it(peer):
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell()
    before = functions(peer)
    shell.run_line_magic("load_ext", "cc_rapids")
    assert functions(peer) != before
    shell.run_line_magic("unload_ext", "cc_rapids")
    assert functions(peer) == before


def test_other_packages_are_left_alone(peer, monkeypatch):
    taken = ModuleType("someone_elses")
    taken.wcc = peer["pylibcugraph"].weakly_connected_components
    monkeypatch.setitem(sys.modules, "someone_elses", taken)
    before = taken.wcc
    cc_rapids.install()
    assert taken.wcc is before


def test_trees_are_ours_and_what_has_no_weights_goes_to_the_original(peer, graph, caplog):
    caplog.set_level(logging.INFO, logger="cc_rapids.integrations")
    weighted = FRAME.assign(weight=[1.5, 2.5, 3.5])
    cc_rapids.install()
    for name, word in zip(TREES, ("least", "greatest"), strict=True):
        for home in ("cugraph", "cugraph.tree"):
            tree = getattr(peer[home], name)(graph(weighted, edge_attr="weight"))
            assert tree.edgelist.edgelist_df["weights"].tolist() == [1.5, 2.5]
        assert not caplog.messages
        handed = getattr(peer["cugraph"], name)(graph(FRAME), None, "kruskal", ignore_nan=True)
        assert handed == (word, None, "kruskal", True)
        words = "the edges of the graph have no weights"
        assert caplog.messages == [f"passed to the original cugraph.{name}: {words}"]
        caplog.clear()
        with pytest.raises(ValueError, match=r"^input graph must be undirected$"):
            getattr(peer["cugraph"], name)(graph(FRAME, directed=True))
        with pytest.raises(AttributeError):
            getattr(peer["cugraph"], name)([1, 2])
        assert "obj of type" in caplog.messages[0]
        caplog.clear()
