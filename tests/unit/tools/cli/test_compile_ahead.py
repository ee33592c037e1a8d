"""``cc-rapids compile``: for which engine and architecture, and what it says."""

import json

import pytest

from cc_rapids.tools import ahead, doctor


@pytest.fixture(autouse=True)
def asked(monkeypatch):
    """What would be compiled."""
    calls = []

    def noted(engine, capability, processes):
        calls.append((engine, capability, processes))
        return ahead.Compiled(engine, capability, 9, 4)

    monkeypatch.setattr(ahead, "compile_ahead", noted)
    return calls


def found(monkeypatch, engine, *gpus):
    """A machine with an engine and GPUs."""
    driver = doctor.Driver("580", (13, 0), gpus) if gpus else None
    facts = doctor.Facts("3.12", {}, driver, 2, engine, "so it is")
    monkeypatch.setattr(doctor, "diagnose", lambda: facts)


H100 = doctor.Gpu("H100", 80 << 30, (9, 0))


@pytest.mark.parametrize(
    ("engine", "gpus", "words", "asks"),
    [
        ("threads", (), (), ("threads", None, None)),
        ("cuda", (H100,), (), ("cuda", (9, 0), None)),
        ("threads", (H100,), ("--engine", "gpu"), ("cuda", (9, 0), None)),
        ("cuda", (H100,), ("--engine", "cpu", "--processes", 3), ("threads", None, 3)),
        ("threads", (), ("--architecture", "sm_90"), ("cuda", (9, 0), None)),
        ("threads", (), ("--architecture", "12.0", "--engine", "cuda"), ("cuda", (12, 0), None)),
    ],
)
def test_what_is_compiled(monkeypatch, run, asked, engine, gpus, words, asks):
    found(monkeypatch, engine, *gpus)
    assert run("compile", *words).exit_code == 0
    assert asked == [asks]


def test_what_it_says(monkeypatch, run):
    found(monkeypatch, "threads")
    assert run("compile").output.startswith(
        "9 kernels for threads: 4 compiled, 5 available already"
    )
    said = run("compile", "--architecture", "8.6").output
    assert said.startswith("9 kernels for cuda, sm_86: 4 compiled, 5 available already, in 0.")
    told = json.loads(run("compile", "--json").output)
    assert (told["engine"], told["kernels"], told["compiled"]) == ("threads", 9, 4)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--engine", "cuda"), "There is no GPU on this machine: pass --architecture"),
        (("--engine", "cpu", "--architecture", "9.0"), "it needs --engine cuda"),
        (("--architecture", "hopper"), "'hopper' is not a compute capability such as 9.0 or sm_90"),
        (("--processes", "0"), "0 is not in the range"),
    ],
)
def test_what_is_refused(monkeypatch, run, words, why):
    found(monkeypatch, "threads")
    done = run("compile", *words)
    assert done.exit_code == 2
    assert why in done.output
