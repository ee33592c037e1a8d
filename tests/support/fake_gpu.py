"""A stand-in for CuPy and its driver, over the memory of the host, for the backend of GPUs itself.

``Cuda`` runs over it as it is: what it packs for a launch is unpacked here, and the kernel runs as
plain Python where the addresses point to. ``Driver.calls`` has what was asked of the driver.
"""

import ctypes
import sys
import threading
import weakref
from contextlib import contextmanager
from types import ModuleType, SimpleNamespace
from typing import ClassVar
from unittest import mock

import numpy as np
import pytest

from cc_rapids import backends
from cc_rapids.backends import compile as compiler
from cc_rapids.backends import cuda, dry_run
from cc_rapids.backends.memory import pool
from support import fake_cudf

PROPERTIES = {
    "name": b"stand-in",
    "major": 9,
    "minor": 0,
    "multiProcessorCount": 132,
    "sharedMemPerBlockOptin": 227 << 10,
    "l2CacheSize": 50 << 20,
    "totalGlobalMem": 8 << 30,
}


class Memory:
    """Memory of the host that passes for that of the current device, or for locked pages."""

    allocated: ClassVar = weakref.WeakSet()

    def __init__(self, size, flags=0):
        self.held = np.zeros(max(size, 1), np.uint8)
        self.ptr, self.size = self.held.ctypes.data, size
        self.device_id = None if flags else Driver.here.device
        if Driver.several:
            with Driver.lock:
                self.allocated.add(self)

    @classmethod
    def holder(cls, address):
        """The device that has an address, None for locked pages, and 0 for all else."""
        with Driver.lock:
            for memory in cls.allocated:
                if memory.ptr <= address < memory.ptr + max(memory.size, 1):
                    return memory.device_id
        return 0


class UnownedMemory:
    def __init__(self, ptr, size, owner, device_id=0):
        self.ptr, self.size, self.owner = ptr, size, owner
        self.device_id = Memory.holder(ptr) if Driver.several else 0


class MemoryPointer:
    def __init__(self, mem, offset):
        self.mem, self.ptr, self.device_id = mem, mem.ptr + offset, mem.device_id or 0

    def __add__(self, offset):
        return MemoryPointer(self.mem, self.ptr - self.mem.ptr + offset)

    def memset_async(self, byte, size, stream):
        Driver.calls.append("memset")
        ctypes.memset(self.ptr, byte, size)

    def copy_from_device_async(self, source, size, stream=None):
        Driver.calls.append("copy")
        ctypes.memmove(self.ptr, source.ptr, size)


class Array(np.ndarray):
    """CuPy's array."""

    def __new__(cls, shape, dtype, memptr=None, strides=None):
        dtype = np.dtype(dtype)
        size = shape[0] * dtype.itemsize
        memptr = memptr or CUPY.cuda.get_allocator()(size)
        raw = (ctypes.c_byte * size).from_address(memptr.ptr) if size else bytearray(0)
        if size:
            raw.memory = memptr  # which it keeps
        made = np.frombuffer(raw, dtype, shape[0]).view(cls)
        made.pointer = memptr
        return made

    def __array_finalize__(self, whole):
        self.pointer = None

    @property
    def data(self):
        address = self.__array_interface__["data"][0]
        if self.pointer is not None and self.pointer.ptr == address:
            return self.pointer
        return MemoryPointer(UnownedMemory(address, self.nbytes, self), 0)


Array.__module__ = "cupy"


class Event:
    def __init__(self, block=False, disable_timing=False):
        self.timed = not disable_timing

    def record(self, stream=None):
        Driver.calls.append("record")

    def synchronize(self):
        Driver.calls.append("wait")


class Stream:
    ptr = 0

    def record(self, event=None):
        event = event or Event()
        event.record(self)
        return event

    def synchronize(self):
        Driver.calls.append("wait")


class _Here(threading.local):
    """What each thread has of its own: the device, and the allocator of its arrays."""

    device, allocator = 0, None


class Driver:
    """What the driver is asked for, and the kernels that it knows by their handles."""

    calls: ClassVar = []
    kernels: ClassVar = []
    stream = Stream()
    lock = threading.RLock()
    here = _Here()
    several = False  # devices, which are then looked up by addresses

    @classmethod
    def launch(cls, function, *geometry_and_arguments):
        *_, extra = geometry_and_arguments
        kernel, signature = cls.kernels[function - 1]
        cls.calls.append(kernel.part.function.__name__)
        first = ctypes.cast(extra, ctypes.POINTER(ctypes.c_uint64))[1]
        words = ctypes.cast(first, ctypes.POINTER(ctypes.c_uint64))
        n, arguments, at = words[0], [], 1
        for word in signature:
            if word == "i8":
                arguments.append(np.int64(ctypes.c_int64(words[at]).value))
                at += 1
                continue
            dtype = np.dtype(word.partition("[")[0])
            size, address, step = words[at + 2], words[at + 4], words[at + 6]
            assert word.endswith("[::1]")
            assert step == dtype.itemsize
            holder = Memory.holder(address) if size and cls.several else None
            if holder not in (None, cls.here.device):
                raise AssertionError(f"a kernel on {cls.here.device} accesses memory of {holder}")
            raw = (ctypes.c_byte * (size * step)).from_address(address) if size else bytearray(0)
            arguments.append(np.frombuffer(raw, dtype, size))
            at += 7
        body = kernel.part.compiled(lambda function: function, dry_run.ATOMS)
        dry_run.run_plainly(kernel, body, n, arguments)


class Gpu(cuda.Cuda):
    """The backend of GPUs, whose kernels are not compiled."""

    in_one_launch = False

    def _load(self, kernel, arguments, device):
        with Driver.lock:
            Driver.kernels.append((kernel, compiler.signature_of(arguments)))
            return len(Driver.kernels)


KEPT = pool._of_rmm, cuda._properties, cuda._total_bytes, cuda._shared_memory_limits


def _own_memory(size):
    return MemoryPointer(Memory(size), 0)


@contextmanager
def _using(allocator):
    before, Driver.here.allocator = Driver.here.allocator, allocator
    try:
        yield
    finally:
        Driver.here.allocator = before


class Device:
    """A device that a thread may use for a while."""

    def __init__(self, number):
        self.id, self.before = number, []

    def __enter__(self):
        self.before.append(Driver.here.device)
        Driver.here.device = self.id
        return self

    def __exit__(self, *error):
        Driver.here.device = self.before.pop()


def _synchronize():
    Driver.calls.append("wait for all")


def _memcpy(to, source, size, kind, stream):
    Driver.calls.append("copy")
    ctypes.memmove(to, source, size)


def _memcpy_peer(to, own, source, other, size, stream):
    Driver.calls.append("copy")
    assert size
    assert (Memory.holder(to), Memory.holder(source)) == (own, other)
    ctypes.memmove(to, source, size)


def _as_array(thing):
    if not isinstance(thing, Array):
        thing = thing._column.values if hasattr(thing, "_column") else np.asarray(thing)
    return _placed(thing)


def _placed(found):
    """An array of NumPy as one of CuPy; of several devices, the current one holds a copy."""
    if Driver.several and type(found) is np.ndarray and found.ndim == 1:
        made = Array(found.shape, found.dtype)
        made[:] = found
        return made
    return found.view(Array)


def _plain(argument):
    return argument.view(np.ndarray) if isinstance(argument, Array) else argument


def _of_numpy(name):
    """What CuPy calls as NumPy does, by NumPy."""

    def function(*arguments, **options):
        found = getattr(np, name)(*map(_plain, arguments), **options)
        return _placed(found) if isinstance(found, np.ndarray) else found

    return function


def _to_host(array):
    Driver.calls.extend(("copy", "wait"))
    return np.array(array)


def _pages(pointer, offset):
    return pointer.held


RUNTIME = SimpleNamespace(
    getDevice=lambda: Driver.here.device,
    getDeviceCount=lambda: 1,
    deviceCanAccessPeer=lambda own, other: 1,
    deviceEnablePeerAccess=lambda other: None,
    memcpyPeerAsync=_memcpy_peer,
    getDeviceProperties=lambda device: PROPERTIES,
    memGetInfo=lambda: (PROPERTIES["totalGlobalMem"],) * 2,
    deviceSynchronize=_synchronize,
    memcpyAsync=_memcpy,
    memcpyDefault=4,
    hostAllocPortable=1,
    hostAllocMapped=2,
    CUDARuntimeError=RuntimeError,
)
CUPY = SimpleNamespace(
    ndarray=Array,
    asarray=_as_array,
    asnumpy=_to_host,
    Array=Array,
    empty=lambda size, dtype: Array((size,), dtype),
    __getattr__=_of_numpy,
    get_default_memory_pool=lambda: SimpleNamespace(free_bytes=lambda: 0),
    cuda=SimpleNamespace(
        driver=SimpleNamespace(launchKernel=Driver.launch, launchCooperativeKernel=Driver.launch),
        runtime=RUNTIME,
        get_current_stream=lambda: Driver.stream,
        get_allocator=lambda: Driver.here.allocator or _own_memory,
        using_allocator=_using,
        Device=Device,
        Memory=Memory,
        PinnedMemory=lambda size, flags=0: Memory(size, flags or 1),
        PinnedMemoryPointer=_pages,
        UnownedMemory=UnownedMemory,
        MemoryPointer=MemoryPointer,
        Event=Event,
    ),
)
PLAIN = type("CudaMemoryResource", (), {})
POOL = type("PoolMemoryResource", (), {"pool_size": lambda self: 0})
RESOURCES = SimpleNamespace(CudaMemoryResource=PLAIN, get_current_device_resource=POOL)
RMM = {
    "rmm": {"mr": RESOURCES},
    "rmm.allocators": {},
    "rmm.allocators.cupy": {"rmm_cupy_allocator": _own_memory},
}


@contextmanager
def installed(devices=1):
    """The stand-ins as modules, and the backend over them as that of every engine."""
    made = {"cupy": vars(CUPY), **RMM}
    with fake_cudf.installed(), pytest.MonkeyPatch.context() as patch:
        for name, parts in made.items():
            module = ModuleType(name)
            vars(module).update(parts)
            patch.setitem(sys.modules, name, module)
        for cached in KEPT:
            cached.cache_clear()
        patch.setattr(RUNTIME, "getDeviceCount", lambda: devices)
        patch.setattr(Driver, "several", devices > 1)
        backend = Gpu(sys.modules["cupy"])
        Driver.calls = []
        try:
            with mock.patch.object(backends, "opened", return_value=backend):
                yield backend
        finally:
            for cached in KEPT:
                cached.cache_clear()
