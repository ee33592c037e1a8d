"""``cc-rapids bench``: which cases are measured, as a table and as JSON lines."""

import importlib.util
import json

import pytest

NO_GPU_PACKAGES = importlib.util.find_spec("cupy") is None
ONE = "--form", "coo", "--ids", "int32", "--rounds", 1, "--engine", "threads"


def records(done):
    assert (done.exit_code, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_case_a_line(run):
    words = "--nodes", 20, "--nodes", 30, "--density", 0, "--density", 1, "--json"
    found = records(run("bench", *words, *ONE))
    assert [(r["n"], r["m"]) for r in found] == [(20, 0), (20, 190), (30, 0), (30, 435)]
    assert {r["engine"] for r in found} == {"threads"}
    assert all(r["checked"] and r["device"] and r["versions"] for r in found)


def test_designs_and_forms(run):
    designs = "--design", "none+async+halve", "--design", "kout+async+halve"
    found = records(run("bench", "--generate", "path(nodes=50)", *designs, "--rounds", 1, "--json"))
    assert [(r["form"], r["ids"], r["design"]) for r in found] == [
        (form, ids, design)
        for form in ("coo", "csr")
        for ids in ("int32", "int64")
        for design in ("none+async+halve", "kout+async+halve")
    ]


@pytest.mark.parametrize("words", [("--weights", 1, 9), ()])
def test_weights_change_nothing(run, words):
    text = "gnm(nodes=40, edges=90, weights=(3, 4))"
    (found,) = records(run("bench", "--generate", text, *words, *ONE, "--json"))
    assert (found["n"], found["m"]) == (40, 90)


def test_a_table_for_people(run):
    done = run("bench", "--nodes", 30, *ONE, "--no-check", "--no-peers")
    assert (done.exit_code, done.stderr) == (0, "")
    assert "gnm(30, 4)" in done.stdout
    assert "threads: " in done.stdout
    assert run("bench", "--nodes", 30, *ONE, "--quiet").output == ""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--density", 0.5), "--density needs --nodes"),
        (("--generate", "tree(nodes=3)"), "No generator 'tree'"),
        (("--design", "asynk", *ONE), "unknown"),
    ],
)
def test_errors(run, words, message):
    done = run("bench", *words)
    assert done.exit_code == 2
    assert message in done.stderr


@pytest.mark.skipif(not NO_GPU_PACKAGES, reason="the GPU packages are installed")
def test_a_gpu_that_is_asked_for_has_to_be_there(run):
    done = run("bench", "--nodes", 9, "--engine", "cuda")
    assert done.exit_code == 2
    assert "engine 'cuda' needs a package" in done.stderr
    assert "no GPU" in run("bench", "--nodes", 9, "--rounds", 1).stdout
