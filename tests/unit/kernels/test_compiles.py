"""Every CUDA kernel compiles without a GPU, into registers alone.

For each architecture in `make test-kernels`, a part of `make test-all`. In `make test` for the
oldest, without the kernels that only designs have which ``"auto"`` never chooses, and of the others
each once, on the widest ids that it takes.

A rehearsal notes what is launched with which types, by every design of the selection and by all
else that has a kernel. Kernels of the designs that ``"auto"`` may choose are compiled for each, as
they are at run time, where ids are int32 or int64. Of the others the virtual instructions (PTX) of
the oldest architecture are linked for all of them.

Separate processes compile, because compilers do not free their memory. The kernel cache keeps the
results, so only kernels that have changed are compiled again.
"""

import ast
import gc
import json
import multiprocessing
import os
import re
from pathlib import Path

import pytest
from support import launches
from support.machine import SELDOM

import cc_rapids
from cc_rapids.backends import compile as compiler
from cc_rapids.backends import kernel_cache, shipped
from cc_rapids.backends.dry_run import recorded_launches
from cc_rapids.kernels import audit_paths, cluster_selection

PACKAGE = Path(cc_rapids.__file__).parent
CAPABILITIES = [(7, 5), (8, 0), (9, 0), (10, 0), (12, 0)]
FLOATS = re.compile(r"^\s*\w\S*\.f(?:16|32|64)\b.*", re.M)
SHAPES = "on.elementwise", "on.grid_stride", "on.single_block", "on.cooperative", "on.block_kernel"
ON_HOST = audit_paths, cluster_selection  # files of kernels that only CPU threads run
REGISTERS = compiler.REGISTERS  # a thread: four blocks of 256 then share those of a multiprocessor

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        os.environ.get("CC_RAPIDS_SIMULATOR", "0") not in ("", "0"),
        reason="the simulator compiles nothing",
    ),
]


@pytest.fixture(scope="module")
def which(request):
    return request.config.getoption("--designs")


@pytest.fixture(scope="module")
def rehearsed(which):
    return launches.rehearse(which)


def binaries(ptx, kernel, signature, direct, capabilities):
    """How each was made, and for which architecture."""
    for capability in capabilities:
        if direct and capability != CAPABILITIES[0]:
            yield "compiled for", capability, compiler.compile_kernel(kernel, signature, capability)
        else:
            yield "PTX of sm_75 for", capability, compiler.link(ptx, capability)


def faults(kernel, signature, direct, capabilities):
    """What is wrong with a kernel, a line for each architecture.

    Numba compares and adds integers of mixed signs as floats, which nobody means. Floats that a
    kernel is given, as weights and thresholds are, it computes with.
    """
    ptx = compiler.to_ptx(kernel, signature, CAPABILITIES[0])
    floats = [] if any(word.startswith("float") for word in signature) else FLOATS.findall(ptx)
    if floats:
        yield f"computes with floats: {floats[0].strip()}"
    for made, (major, minor), binary in binaries(ptx, kernel, signature, direct, capabilities):
        taken = {name: getattr(binary, name) for name in ("stack", "spills", "local")}
        clean = not any(taken.values()) and 0 < binary.registers <= REGISTERS
        if not clean or binary.cubin[:4] != b"\x7fELF":
            yield f"{made} sm_{major}{minor}: {binary.registers} registers, {taken}"


def few(launched, by, designs):
    """One of each kernel of all but some designs, on the widest ids: they take most registers."""
    wide_first = sorted(launched, key=lambda key: "int64[::1]" not in key[2][:1])
    some = {}
    for key in wide_first:
        if by[key] not in designs:
            some.setdefault(launched[key].part.function.__code__, key)
    return list(some.values())


KERNELS = {}  # of this process of the pool, by their keys


def begin(which):
    """Find the kernels again: they hold functions, which cannot be sent to another process."""
    gc.set_threshold(*SELDOM)
    KERNELS.update(launches.rehearse(which)[0])


def compiled(task):
    key, direct, capabilities = task
    return list(faults(KERNELS[key], key[2], direct, capabilities))


RECIPE = kernel_cache.recipe(*shipped.SOURCES) + Path(__file__).read_text(encoding="utf-8")


def cache_key(kernel, task):
    return f"{kernel.shape} {kernel.part.fingerprint} {task[0][2]} {task[1:]} {RECIPE}"


def faults_of(tasks, kernels, which, processes):
    """The faults of each task, from the kernel cache or by separate processes that compile."""
    keys = [cache_key(kernels[task[0]], task) for task in tasks]
    kept = [kernel_cache.recall(key, ".faults") for key in keys]
    missing = [k for k, content in enumerate(kept) if content is None]
    if missing:
        make = multiprocessing.get_context("spawn").Pool
        with make(min(processes, len(missing)), begin, (which,)) as pool:
            results = pool.imap(compiled, [tasks[k] for k in missing], 16)
            for k, lines in zip(missing, results, strict=True):
                kept[k] = json.dumps(lines).encode()
                kernel_cache.keep(keys[k], ".faults", kept[k])
    return map(json.loads, kept)


def test_kernels_compile_without_spills_or_local_memory(rehearsed, which, request):
    every = request.config.getoption("--architectures") == "all"
    capabilities = CAPABILITIES if every else CAPABILITIES[:1]
    launched, by, chosen = rehearsed
    keys = launched if every else few(launched, by, launches.by_name(which))
    tasks = [(key, key in chosen, capabilities) for key in keys]
    results = faults_of(tasks, launched, which, os.cpu_count() if every else 1)
    assert [
        f"{by[key]}: {launched[key].part.function.__name__}{key[2]} {line}"
        for (key, *_), lines in zip(tasks, results, strict=True)
        for line in lines
    ] == []


def declared():
    """The file, line and name of every kernel in the source, but those that run on hosts alone."""
    for path in set(PACKAGE.rglob("*.py")) - {Path(file.__file__) for file in ON_HOST}:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            marks = getattr(node, "decorator_list", [])
            if any(ast.unparse(mark).startswith(SHAPES) for mark in marks):
                yield str(path), marks[0].lineno, node.name


def test_every_kernel_is_launched(rehearsed):
    codes = [kernel.part.function.__code__ for kernel in rehearsed[0].values()]
    seen = {(code.co_filename, code.co_firstlineno, code.co_name) for code in codes}
    assert {kernel for kernel in declared() if kernel not in seen} == set()


@pytest.fixture(scope="module")
def kernel_and_types():
    """A kernel of a short run, and the types of its arguments."""
    with recorded_launches() as backend:
        cc_rapids.components(launches.edges())
    (_, _, signature), kernel = next(iter(backend.launched.items()))
    return kernel, signature


@pytest.mark.parametrize("collects", [True, False])
def test_no_garbage_is_collected_while_a_kernel_is_compiled(
    kernel_and_types, monkeypatch, collects
):
    kernel, signature = kernel_and_types
    meanwhile = []
    compiled = type(kernel.part).compiled
    monkeypatch.setattr(
        type(kernel.part),
        "compiled",
        lambda *given: (meanwhile.append(gc.isenabled()), compiled(*given))[1],
    )
    (gc.enable if collects else gc.disable)()
    try:
        compiler.to_ptx(kernel, signature, (9, 0))
        with pytest.raises(AttributeError, match="int33"):
            compiler.to_ptx(kernel, ("int33[::1]",), (9, 0))
        assert gc.isenabled() == collects
    finally:
        gc.enable()
    assert set(meanwhile) == {False}


def test_a_binary_survives_its_bytes(kernel_and_types):
    binary = compiler.compile_kernel(*kernel_and_types, (9, 0))
    assert compiler.Binary.from_bytes(binary.to_bytes()) == binary
