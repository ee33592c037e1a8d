"""Virtual instructions (PTX) of common kernels that wheels bring, to be linked and not compiled.

A file for each architecture holds the PTX of each kernel by a key that names what it was made of:
the source of the kernel and of the backend, and the types of its arguments. A kernel that has
changed since has another key and is compiled, so a file is never out of date. xz tells damage.

Numba takes two thirds of a first call on a GPU, and the linker a tenth. Checkouts have no such
files: ``python -m cc_rapids.tools.ahead`` makes them, as `make package` does before a wheel.
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

log = logging.getLogger(__name__)

FOLDER = Path(__file__).with_name("ptx")
SOURCES = "cuda_intrinsics.py", "compile.py", "device_function.py"
# The oldest version of PTX that has an architecture: so the linkers of older toolkits take it, too.
OLDEST = {(7, 5): "6.3", (8, 0): "7.0", (9, 0): "7.8", (10, 0): "8.6", (12, 0): "8.7"}

_VERSION = re.compile(r"^\.version .*$", re.M)

Capability = tuple[int, int]
Signature = tuple[str, ...]


def digest(capability: Capability) -> str:
    """Return a hash of the file for a compute capability; of none "none"."""
    try:
        return hashlib.sha256(_path(_architecture(capability)).read_bytes()).hexdigest()
    except (LookupError, OSError):
        return "none"


def ptx_of(kernel: Kernel, signature: Signature, capability: Capability) -> str | None:
    """Return the PTX of a kernel for a compute capability, if a wheel has brought it."""
    return _ptx_texts(capability).get(_key(kernel, signature))


def write(made: dict[tuple[Kernel, Signature], str], capability: Capability) -> None:
    """Write the file for an architecture from the PTX of kernels."""
    FOLDER.mkdir(exist_ok=True)
    texts = {_key(*which): _as_oldest(ptx, capability) for which, ptx in made.items()}
    text = json.dumps(dict(sorted(texts.items()))).encode()
    _path(capability).write_bytes(lzma.compress(text, lzma.FORMAT_XZ, lzma.CHECK_SHA256))


def _as_oldest(ptx: str, capability: Capability) -> str:
    return _VERSION.sub(f".version {OLDEST[capability]}", ptx, count=1)


def _architecture(capability: Capability) -> Capability:
    """Return the newest architecture whose PTX a GPU runs as if it were its own.

    Raises
    ------
    LookupError
        There is none of its generation.
    """
    candidates = [one for one in OLDEST if one[0] == capability[0] and one <= capability]
    if not candidates:
        raise LookupError(capability)
    return max(candidates)


def _path(architecture: Capability) -> Path:
    return FOLDER / f"sm_{architecture[0]}{architecture[1]}.xz"


@cache
def _ptx_texts(capability: Capability) -> dict[str, str]:
    """Return the PTX of all kernels of a file by their keys; none if it is not there or damaged."""
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
    """Return a hash of what the PTX of a kernel is made of."""
    made_of = kernel.shape, kernel.part.fingerprint, signature, kernel_cache.source_of(*SOURCES)
    return hashlib.sha256(repr(made_of).encode()).hexdigest()
