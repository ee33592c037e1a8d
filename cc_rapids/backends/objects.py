"""Machine code of common CPU kernels: wheels contain it, and it is loaded instead of compiled.

The code is for processors of the level x86-64-v3, in the format in which Numba caches compiled
functions. It is loaded only on a processor of this level, by the same Python, the same versions of
Numba and llvmlite, and the same compiler code of this package. The code of a kernel is found by a
hash of the kernel's source and the types of its arguments, so a changed kernel is compiled.

Source checkouts have no such file; ``python -m cc_rapids.tools.ahead`` creates it, as `make
package` does for a wheel.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import platform
import sys
import sysconfig
import zipfile
from functools import cache
from importlib.metadata import version
from pathlib import Path

from . import kernel_cache

log: logging.Logger = logging.getLogger(__name__)

FILE = Path(__file__).with_name("objects") / "x86_64_v3.zip"
LEVEL = "x86-64-v3"
# The CPU features of this level, by their names in /proc/cpuinfo.
FLAGS = {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"}
SOURCES = "threads.py", "device_function.py"  # the compiler code that determines machine code
DATE = 1980, 1, 1, 0, 0, 0  # of every member of the zip file, so that builds are reproducible


def recipe() -> str:
    """Return a description of everything that the code depends on, except the kernels."""
    python = f"{sys.implementation.cache_tag} {sysconfig.get_config_var('SOABI')}"
    packages = [f"{name} {version(name)}" for name in ("numba", "llvmlite")]
    return " ".join([LEVEL, python, *packages, kernel_cache.source_of(*SOURCES)])


def are_usable() -> bool:
    """Return whether the file of machine code exists and this process can run the code."""
    return _archive() is not None


def recall(kernel: str, signature: str) -> bytes | None:
    """Return the machine code of a kernel for the types of its arguments, or None if missing."""
    archive = _archive()
    if archive is None:
        return None
    try:
        return archive.read(_member(kernel, signature))
    except KeyError:
        return None
    except (OSError, zipfile.BadZipFile) as error:
        log.warning("%s cannot be read (%s): kernels are compiled", FILE, error)
        return None


def write(code: dict[tuple[str, str], bytes]) -> None:
    """Write the file of machine code; the keys are those of :func:`.threads.to_object`."""
    FILE.parent.mkdir(exist_ok=True)
    members = sorted((_member(*key), content) for key, content in code.items())
    with zipfile.ZipFile(FILE, "w", zipfile.ZIP_LZMA) as archive:
        archive.comment = recipe().encode()
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name, DATE), content, zipfile.ZIP_LZMA)


def _member(kernel: str, signature: str) -> str:
    """Return the name that the code of a kernel has in the zip file."""
    return hashlib.sha256(f"{kernel} {signature}".encode()).hexdigest()


@cache
def _archive() -> zipfile.ZipFile | None:
    """Return the open zip file, or None if it is missing or this process cannot run its code."""
    if platform.machine() != "x86_64" or sys.platform != "linux" or not FILE.exists():
        return None
    _, features = processor()
    if FLAGS - features:  # flags that this processor lacks
        return None
    try:
        archive = zipfile.ZipFile(FILE)
    except (OSError, zipfile.BadZipFile) as error:
        log.warning("%s cannot be read (%s): kernels are compiled", FILE, error)
        return None
    if archive.comment != recipe().encode():
        log.info("%s is for another Python or compiler: kernels are compiled", FILE)
        archive.close()
        return None
    return archive


@cache
def processor() -> tuple[str, frozenset[str]]:
    """Return the name of the processor and its features; no features if Linux lists none."""
    fields: dict[str, str] = {}  # of the first processor in the file
    with contextlib.suppress(OSError), open("/proc/cpuinfo") as file:
        for line in file:
            name, _, value = line.partition(":")
            fields.setdefault(name.strip(), value.strip())
    name = fields.get("model name") or platform.processor() or platform.machine()
    return name, frozenset(fields.get("flags", "").split())
