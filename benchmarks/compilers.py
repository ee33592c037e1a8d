"""numba-cuda against numba-cuda-mlir on the kernels of the main job: what each compiles to.

For each kernel the processor's time to PTX, registers, bytes on the stack and instructions: without
a GPU of what a rehearsal launches, for an H100. On a GPU the main job runs on lists of the
reference graphs with the code of either compiler, by turns: device times in all and by kernel, and
whether the labels are the same. A compiler that is not installed is left out.
"""

import struct
import time
from importlib.metadata import version
from importlib.util import find_spec
from unittest import mock

import numpy as np
import records

import cc_rapids
from cc_rapids import backends, generators
from cc_rapids.backends import compile as compiler
from cc_rapids.backends import cuda
from cc_rapids.backends.dry_run import OneLaunchRehearsal, Rehearsal, rehearsed
from cc_rapids.errors import EngineError
from cc_rapids.tuning import tuning

GRAPHS = ("kron21", "social22", "road", "uniform25M")
SHORT = 1000  # edges of a list that is solved in one launch
CAPABILITY = (9, 0)
INSTRUCTION = 16  # bytes
NEEDS = {"numba-cuda": "numba_cuda", "numba-cuda-mlir": "numba_cuda_mlir"}
WORDS_OF_ARRAY = 7  # as the GPU engine packs them, for numba-cuda
MASK = (1 << 64) - 1


def instructions(binary):
    """Return the number of machine instructions of a kernel.

    Up to seven that fill the last line are included.
    """
    data = binary.cubin
    (table,) = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    sections = [struct.unpack_from("<IIQQQQ", data, table + k * size) for k in range(count)]
    text = sections[names][4]
    for name, _, _, _, _, length in sections:
        begin = text + name
        if data[begin : data.index(b"\0", begin)].decode() == f".text.{binary.entry}":
            return length // INSTRUCTION
    raise ValueError(f"the machine code has no section of {binary.entry}")


def compiled(kernel, signature, capability, name):
    """Return a kernel by one compiler, and what it took and takes."""
    started = time.process_time()
    ptx = compiler.to_ptx(kernel, signature, capability, name)
    spent = time.process_time() - started
    binary = compiler.link(ptx, capability)
    return binary, {
        "compile_ms": round(1e3 * spent, 1),
        "registers": binary.registers,
        "stack": binary.spills + binary.local + binary.stack,
        "instructions": instructions(binary),
    }


def here():
    """Return the names of the compilers that are here, and say which are not."""
    found = [name for name in compiler.COMPILERS if find_spec(NEEDS[name])]
    for name in compiler.COMPILERS.keys() - set(found):
        print(f"{name} is not installed")
    return found


def launched():
    """Return what the main job launches for lists long and short, by the names of kernels."""
    found = {}
    for kind, edges in ((OneLaunchRehearsal, 0), (Rehearsal, 1)):
        with (
            rehearsed(kind) as backend,
            tuning.override(frequent_root_vertices=0, sampled_scan_edges=edges),
        ):
            graph = generators.reference(GRAPHS[0], 4, engine="cuda")
            backend.launched.clear()  # the generator's
            cc_rapids.components((graph.src, graph.dst), engine="cuda").labels()
            for (_, _, signature), kernel in backend.launched.items():
                found.setdefault(kernel.part.function.__name__, (kernel, signature))
    return found


def compile_all(out, base):
    """Write a record for each compiler: what each kernel of the main job took and takes."""
    kernels = launched()
    for name in here():
        compiled(*next(iter(kernels.values())), CAPABILITY, name)  # what it begins with
        rows = {
            own: compiled(kernel, signature, CAPABILITY, name)[1]
            for own, (kernel, signature) in kernels.items()
        }
        total = round(sum(row["compile_ms"] for row in rows.values()), 1)
        facts = {"compiler": name, "release": version(name), "compile_ms": total, "kernels": rows}
        records.keep(out, "compilers", base | {"job": "main", "arch": "sm_90"} | facts)


class Packed:
    """The buffers of a thread, which pack arguments as a compiler takes them.

    An array of numba-cuda-mlir is a pointer (twice), the offset, size and step in elements.
    """

    def __init__(self, buffers, engine):
        self.buffers, self.engine = buffers, engine

    def __getattr__(self, name):
        return getattr(self.buffers, name)

    def pack(self, words):
        """Return where the words of a launch lie."""
        return self.buffers.pack(self.engine.own_words(words))


def same(words, signature):
    """Return the words of a launch as they are."""
    return words


def descriptors(words, signature):
    """Return the words of a launch with arrays as numba-cuda-mlir takes them."""
    own, at = words[:1], 1
    for word in signature:
        if "[" not in word:
            own.append(words[at])
            at += 1
            continue
        _, _, size, item, data, _, step = words[at : at + WORDS_OF_ARRAY]
        step -= (step >> 63) << 64
        own += (data, data, 0, size, step // item & MASK)
        at += WORDS_OF_ARRAY
    return own


ARGUMENTS = {"numba-cuda": same, "numba-cuda-mlir": descriptors}


class Timed(cuda.Cuda):
    """The GPU engine with the code of one compiler, and each launch between two events."""

    def __init__(self, cupy, name):
        super().__init__(cupy)
        self.compiler, self.marks, self.signature, self.facts = name, [], (), {}
        self._buffers = Packed(self._buffers, self)

    def own_words(self, words):
        """Return the words of a launch as the compiler's code takes them."""
        return ARGUMENTS[self.compiler](words, self.signature)

    def launch(self, kernel, n, arguments):
        """Launch, and note the events."""
        self.signature = compiler.signature_of(arguments)
        first = self.mark()
        super().launch(kernel, n, arguments)
        self.marks.append((kernel.part.function.__name__, first, self.mark()))

    def _load(self, kernel, arguments, device):
        properties = self.xp.cuda.runtime.getDeviceProperties(device)
        capability = properties["major"], properties["minor"]
        name = kernel.part.function.__name__
        binary, self.facts[name] = compiled(kernel, self.signature, capability, self.compiler)
        driver = self.xp.cuda.driver
        function = driver.moduleGetFunction(driver.moduleLoadData(binary.cubin), binary.entry)
        if kernel.shared_words:
            driver.funcSetAttribute(function, cuda._MOST_SHARED, 4 * kernel.shared_words)
        return int(function)

    def taken(self):
        """Return the milliseconds of each kernel since it was last asked."""
        self.synchronize()
        spent = {}
        for name, *pair in self.marks:
            spent[name] = spent.get(name, 0) + self.elapsed(*pair)
        self.marks = []
        return spent


def once(engine, edges):
    """Run the main job on an engine; return its labels, wall time and kernel times."""
    engine.marks = []
    with mock.patch.object(backends, "opened", return_value=engine):
        engine.synchronize()
        started = time.perf_counter()
        frame = cc_rapids.connected_components(edges, engine="cuda")
        engine.synchronize()
        wall = 1e3 * (time.perf_counter() - started)
    return frame, wall, engine.taken()


def lists(scale):
    """Yield the names of lists, and their edges with ids of 32 bits: the longest ones last."""
    for name in GRAPHS:
        graph = generators.reference(name, scale, engine="cuda")
        edges = graph.src.astype(np.int32), graph.dst.astype(np.int32)
        if name == GRAPHS[0]:
            yield f"{SHORT} edges", tuple(end[:SHORT].copy() for end in edges)
        yield name, edges


def run_all(out, base, runs, scale):
    """Write a record for each list and compiler: device times in all and by kernel."""
    xp = backends.get("cuda").xp
    engines = {name: Timed(xp, name) for name in here()}
    for graph, edges in lists(scale):
        walls, kernels, answers = {}, {}, {}
        for turn in range(runs + 1):
            for name, engine in engines.items():
                answers[name], wall, spent = once(engine, edges)
                if turn:  # the first compiles
                    walls.setdefault(name, []).append(wall)
                    kernels.setdefault(name, []).append(spent)
        first, *_ = answers.values()
        for name, engine in engines.items():
            least = {own: min(run[own] for run in kernels[name]) for own in kernels[name][0]}
            facts = {
                "compiler": name,
                "release": version(name),
                "graph": graph,
                "m": int(edges[0].size),
                "right": same_answer(answers[name], first),
                "wall_ms": records.spread(walls[name]),
                "device_ms": records.spread([sum(run.values()) for run in kernels[name]]),
                "kernel_ms": {own: round(ms, 4) for own, ms in least.items()},
                "kernels": {own: engine.facts[own] for own in least if own in engine.facts},
            }
            records.keep(out, "compilers", base | {"job": "main"} | facts)


def same_answer(found, first):
    """Return whether two answers have the same columns."""
    names = ("vertex", "labels")
    return all(bool((getattr(found, name) == getattr(first, name)).all()) for name in names)


def main():
    """Compile, and run where there is a GPU; keep the records."""
    args = records.arguments(__doc__).parse_args()
    base = records.environment(backends.get("threads").device_name, args.commit)
    compile_all(args.out, base)
    try:
        device = backends.get("cuda").device_name
    except EngineError as error:
        print(error)
        return
    run_all(args.out, records.environment(device, args.commit), args.runs, args.scale)


if __name__ == "__main__":
    main()
