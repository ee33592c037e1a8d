"""PTX (virtual instructions) of common kernels: wheels contain it, and it is linked, not compiled.

There is one file per architecture. It stores the PTX of each kernel under a hash of the source of
the kernel, the source of the backend, and the types of the arguments. A changed kernel has another
hash and is compiled, so the file is never out of date. xz checksums detect damage.

The compiler takes two thirds of the time of a first call on a GPU, and the linker a tenth. Source
checkouts have no such files; ``python -m cc_rapids.tools.ahead`` creates them, as `make package`
does for a wheel.
"""

from __future__ import annotations

import hashlib
import json
import logging
import lzma
import re
from functools import cache
from pathlib import Path

from . import kernel_cache
from .base import Kernel

log: logging.Logger = logging.getLogger(__name__)

FOLDER = Path(__file__).with_name("ptx")
SOURCES = "cuda_intrinsics.py", "compile.py", "device_function.py"
# The oldest PTX version that has each architecture: linkers of older toolkits can read it.
OLDEST = {(7, 5): "6.3", (8, 0): "7.0", (9, 0): "7.8", (10, 0): "8.6", (12, 0): "8.7"}

_VERSION = re.compile(r"^\.version .*$", re.M)

Capability = tuple[int, int]
Signature = tuple[str, ...]


def digest(capability: Capability) -> str:
    """Return a hash of the file of PTX for a compute capability; "none" if there is no file."""
    try:
        return hashlib.sha256(_path(_architecture(capability)).read_bytes()).hexdigest()
    except (LookupError, OSError):
        return "none"


def ptx_of(kernel: Kernel, signature: Signature, capability: Capability) -> str | None:
    """Return the PTX of a kernel for a compute capability, or None if the wheel lacks it."""
    return _ptx_texts(capability).get(_key(kernel, signature))


def write(ptx_of_kernels: dict[tuple[Kernel, Signature], str], capability: Capability) -> None:
    """Write the PTX of kernels to the file of an architecture."""
    FOLDER.mkdir(exist_ok=True)
    ptx_by_key = {
        _key(kernel, signature): _with_oldest_version(ptx, capability)
        for (kernel, signature), ptx in ptx_of_kernels.items()
    }
    content = json.dumps(dict(sorted(ptx_by_key.items()))).encode()
    _path(capability).write_bytes(lzma.compress(content, lzma.FORMAT_XZ, lzma.CHECK_SHA256))


def _with_oldest_version(ptx: str, architecture: Capability) -> str:
    """Return PTX with the oldest PTX version of its architecture in its header."""
    return _VERSION.sub(f".version {OLDEST[architecture]}", ptx, count=1)


def _architecture(capability: Capability) -> Capability:
    """Return the newest shipped architecture of a GPU's generation that the GPU can run.

    Raise a LookupError if there is none.
    """
    candidates = [sm for sm in OLDEST if sm[0] == capability[0] and sm <= capability]
    if not candidates:
        raise LookupError(capability)
    return max(candidates)


def _path(architecture: Capability) -> Path:
    return FOLDER / f"sm_{architecture[0]}{architecture[1]}.xz"


@cache
def _ptx_texts(capability: Capability) -> dict[str, str]:
    """Return the PTX of all kernels of a file by key; empty if the file is missing or damaged."""
    try:
        path = _path(_architecture(capability))
        texts: dict[str, str] = json.loads(lzma.decompress(path.read_bytes()))
    except (LookupError, FileNotFoundError):
        return {}
    except (OSError, lzma.LZMAError, ValueError) as error:
        log.warning("%s cannot be read (%s): kernels are compiled", path, error)
        return {}
    return texts


def _key(kernel: Kernel, signature: Signature) -> str:
    """Return a hash of everything that determines the PTX of a kernel."""
    source = kernel_cache.source_of(*SOURCES)
    recipe = kernel.shape, kernel.part.fingerprint, signature, source
    return hashlib.sha256(repr(recipe).encode()).hexdigest()
