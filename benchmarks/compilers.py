"""numba-cuda against numba-cuda-mlir 0.6.0 on the kernels of three designs: what each compiles to.

Compile time (of the processor, so that others' work does not count), registers and instructions
need no GPU. On one, the designs then run with the code of either compiler, and so they do where
only the code was brought, in the folder CC_RAPIDS_CACHE.
"""

import contextlib
import copy
import importlib.util
import re
import struct
import sys
import time
from types import SimpleNamespace

import numba
import records
from design_runs import Prepared

from cc_rapids import Design, backends, generators
from cc_rapids.backends import compile as compiler
from cc_rapids.backends import cuda, cuda_intrinsics, kernel_cache
from cc_rapids.backends.dry_run import rehearsed
from cc_rapids.errors import EngineError
from cc_rapids.tuning import tuning

DESIGNS = (
    ("none+async+halve", "list"),
    ("strided+rem-cas+splice", "list"),
    ("kout+rem-cas+splice", "rows"),
)
GRAPHS = ("kron21", "road")
CAPABILITY, OTHER = (9, 0), (8, 0)
INSTRUCTION = 16  # bytes
KEPT = "numba-cuda-mlir 0.6.0"


class NumbaCuda:
    """The compiler of the GPU engine."""

    name = "numba-cuda"
    to_ptx = staticmethod(compiler.to_ptx)

    @staticmethod
    def words(argument):
        """None: as the GPU engine packs them."""

    @staticmethod
    def key(kernel, signature, capability):
        """Return what its code is kept under."""
        recipe = kernel_cache.recipe("gpu.py", "compiler.py")
        return f"{kernel.shape} {kernel.part.fingerprint} {signature} {capability} {recipe}"


class NumbaCudaMlir:
    """The successor of numba-cuda, which takes the same text.

    An array is a pointer (twice), the offset, size and step in elements.
    """

    name = "numba-cuda-mlir"

    def __init__(self):
        self.parts = {}

    def to_ptx(self, kernel, signature, capability):
        """Return the kernel in virtual instructions.

        Device functions are left to MLIR to inline: its earlier pass refuses ``*arguments``.
        """
        from numba_cuda_mlir import cuda as mlir
        from numba_cuda_mlir import tools, types
        from numba_cuda_mlir.numba_cuda.types import StarArgTuple

        def numba_type(word):
            if "[" not in word:
                return types.int64
            dtype, layout = word.split("[")
            return types.Array(getattr(types, dtype), 1, "C" if layout == "::1]" else "A")

        tools._cached_cc = capability  # else it asks for the current device
        ours, known = self._gpu(mlir), self.parts.setdefault(capability, {})
        jit = mlir.jit(device=True, inline="never")
        body = kernel.part.compiled(jit, ours.ATOMS, known)
        taken = StarArgTuple.from_types([numba_type(word) for word in signature])
        sig = types.void(types.uint64, taken)
        shape = ours.SHAPES[kernel.shape](body)
        return mlir.compile(shape, sig, device=False, abi="numba", cc=capability, output="ptx")[0]

    def _gpu(self, mlir):
        """Return the loops and atomic operations of cuda_intrinsics.py by this compiler."""
        name = f"{cuda_intrinsics.__name__}_mlir"
        if name not in sys.modules:
            simulates = SimpleNamespace(ENABLE_CUDASIM=False)
            spec = importlib.util.spec_from_file_location(name, cuda_intrinsics.__file__)
            sys.modules[name] = module = importlib.util.module_from_spec(spec)
            sys.modules["numba"] = SimpleNamespace(config=simulates, cuda=mlir)
            try:
                spec.loader.exec_module(module)
            finally:
                sys.modules["numba"] = numba
        return sys.modules[name]

    @staticmethod
    def words(argument):
        """Return an argument as it is packed."""
        if isinstance(argument, int):
            return (argument & 0xFFFFFFFFFFFFFFFF,)
        pointer, step = argument.data.ptr, argument.strides[0] // argument.dtype.itemsize
        return pointer, pointer, 0, argument.size, step & 0xFFFFFFFFFFFFFFFF

    @staticmethod
    def key(kernel, signature, capability):
        """Return what its code is kept under."""
        return f"{KEPT} {kernel.shape} {kernel.part.fingerprint} {signature} {capability}"


COMPILERS = (NumbaCuda(), NumbaCudaMlir())


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


def least(on):
    """Make a kernel whose indices and values are unsigned: its code tells whether they stay so."""
    minimum = on.atomic_min

    @on.elementwise
    def least(i, array, values):
        minimum(array, values[i], values[i])

    return least


def unsigned(made, capability):
    """Return how a compiler takes the minimum of unsigned integers, and widens an index."""
    with rehearsed() as backend:
        kernel = least(backend)
    ptx = made.to_ptx(kernel, ("uint32[::1]", "uint32[::1]"), capability)
    (loaded,) = re.findall(r"ld\.global\.u32\s+(%r\d+)", ptx)[:1]
    return {
        "unsigned_min": sorted(set(re.findall(r"atom\S+|red\.\S+", ptx))),
        "unsigned_index": re.findall(rf"(cvt\S+|mul\.wide\S+)\s+%rd\d+, {loaded}\b", ptx),
    }


def launched():
    """Yield for each design the kernels that it launches for large graphs, by their keys."""
    with rehearsed() as backend, tuning.override(frequent_root_vertices=0):
        prepared = Prepared(generators.reference(GRAPHS[0], 4, engine="cuda"), backend)
        for name, form in DESIGNS:
            backend.launched.clear()
            prepared.solve(Design.parse(name), form)
            yield name, form, dict(backend.launched)


def facts(made, kernel, signature):
    """Compile a kernel, keep its code, and say what it takes; or why there is none."""
    started = time.process_time()
    try:
        ptx = made.to_ptx(kernel, signature, CAPABILITY)
    except Exception as error:  # an own class of errors in each compiler
        return {"fails": str(error).strip().splitlines()[-1][:200]}
    spent = time.process_time() - started
    binary = compiler.link(ptx, CAPABILITY)
    kernel_cache.keep(made.key(kernel, signature, CAPABILITY), ".cubin", binary.to_bytes())
    return {
        "compile_ms": round(1e3 * spent, 1),
        "registers": binary.registers,
        "spills": binary.spills + binary.local + binary.stack,
        "instructions": instructions(binary),
    }


def compile_all(out, base):
    """Write a record for each design and compiler: the facts of each kernel."""
    designs = list(launched())
    for made in COMPILERS:
        started = time.process_time()
        try:
            first = unsigned(made, OTHER)
        except ImportError as error:
            print(f"{made.name} compiles nothing here: {error}")
            continue
        first["first_kernel_s"] = round(time.process_time() - started, 2)
        for name, form, kernels in designs:
            rows = {
                kernel.part.function.__name__: facts(made, kernel, key[2])
                for key, kernel in kernels.items()
            }
            total = round(sum(row.get("compile_ms", 0) for row in rows.values()), 1)
            record = {"compiler": made.name, "design": name, "form": form, "compile_ms": total}
            records.keep(out, "compilers", base | first | record | {"kernels": rows})


class Timed(cuda.Cuda):
    """The GPU engine with the code of one compiler, and each launch between two events."""

    def __init__(self, cupy, made):
        super().__init__(cupy)
        self.made, self.marks, self.arguments = made, [], ()

    def _event(self):
        event = self.xp.cuda.Event()
        event.record()
        return event

    def launch(self, kernel, n, arguments):
        """Launch, and note the events."""
        self.arguments = arguments
        first = self._event()
        super().launch(kernel, n, arguments)
        self.marks.append((kernel.part.function.__name__, first, self._event()))

    def _pack(self, words):
        packed = [self.made.words(argument) for argument in self.arguments]
        if packed and None not in packed:
            words = [words[0], *(word for taken in packed for word in taken)]
        return super()._pack(words)

    def _load(self, kernel, arguments, device):
        signature = compiler.signature_of(arguments)
        key = self.made.key(kernel, signature, CAPABILITY)
        content = kernel_cache.recall(key, ".cubin")
        if content is None:
            ptx = self.made.to_ptx(kernel, signature, CAPABILITY)
            content = compiler.link(ptx, CAPABILITY).to_bytes()
            kernel_cache.keep(key, ".cubin", content)
        binary, driver = compiler.Binary.from_bytes(content), self.xp.cuda.driver
        return int(driver.moduleGetFunction(driver.moduleLoadData(binary.cubin), binary.entry))

    def taken(self):
        """Milliseconds of each kernel since it was last asked."""
        self.synchronize()
        spent = {}
        for name, *pair in self.marks:
            spent[name] = spent.get(name, 0) + self.xp.cuda.get_elapsed_time(*pair)
        self.marks = []
        return spent


def run_all(out, base, runs, scale):
    """Write a record for each graph, design and compiler: device times in all and by kernel."""
    backend = backends.get("cuda")
    for graph in GRAPHS:
        prepared = Prepared(generators.reference(graph, scale, engine="cuda"), backend)
        for name, form in DESIGNS:
            for made in COMPILERS:
                mine = copy.copy(prepared)
                mine.backend = Timed(backend.xp, made)
                mine.forest = copy.copy(prepared.forest)
                mine.forest.backend, mine.runs = mine.backend, runs
                facts = {"compiler": made.name, "graph": graph, "n": mine.n, "m": mine.m}
                try:
                    rows = measured(mine, Design.parse(name), form)
                except ImportError as error:
                    rows = {"not_run": str(error)}
                prepared.expected = mine.expected
                records.keep(out, "compilers", base | facts | rows)


def measured(prepared, design, form):
    """Return the device time of a design, and the test of its labels.

    The time is the least of each kernel in some runs.
    """
    whole = prepared.record(design, form)
    least = {}
    for _ in range(prepared.runs):
        prepared.backend.marks = []
        prepared.solve(design, form)
        for kernel, spent in prepared.backend.taken().items():
            least[kernel] = min(spent, least.get(kernel, spent))
    return whole | {"kernel_ms": {kernel: round(ms, 4) for kernel, ms in least.items()}}


def main():
    """Compile, and run where there is a GPU; keep the records."""
    args = records.arguments(__doc__).parse_args()
    base = records.environment(backends.get("threads").device_name, args.commit)
    compile_all(args.out, base)
    with contextlib.suppress(EngineError):
        base = records.environment(backends.get("cuda").device_name, args.commit)
        run_all(args.out, base, args.runs, args.scale)


if __name__ == "__main__":
    main()
