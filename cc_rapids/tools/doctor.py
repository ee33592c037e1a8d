"""Diagnose this machine: packages, GPUs, and the engine that would run.

All facts come from package metadata and the libraries of the NVIDIA driver. No large library is
imported, so that incomplete installations can be diagnosed.
"""

from __future__ import annotations

import ctypes
import importlib.metadata
import os
import platform
from dataclasses import dataclass

from .. import __version__
from ..errors import install_advice, unsupported_python

# The distributions that install each package; wheels for different CUDA versions differ in name
PACKAGES: dict[str, tuple[str, ...]] = {
    "numpy": ("numpy",),
    "numba": ("numba",),
    "narwhals": ("narwhals",),
    "pyarrow": ("pyarrow",),
    "pandas": ("pandas",),
    "polars": ("polars",),
    "scipy": ("scipy",),
    "networkx": ("networkx",),
    "numba-cuda": ("numba-cuda",),
    "cupy": ("cupy-cuda13x", "cupy-cuda12x", "cupy"),
    "rmm": ("rmm-cu13", "rmm-cu12", "rmm"),
    "cudf": ("cudf-cu13", "cudf-cu12", "cudf"),
    "cugraph": ("cugraph-cu13", "cugraph-cu12", "cugraph"),
}
NO_ENGINE = "none"
# The minimum compute capability for each extra of the package, which is named after a CUDA version
_MIN_CAPABILITY = {"cu13": (7, 5), "cu12": (7, 0)}
_USABLE_GPUS = (  # advice for machines without a usable GPU
    f"with an NVIDIA GPU since Turing and driver 580 or later: {install_advice('cu13')}",
    f"with an NVIDIA GPU since Volta and driver 525 or later: {install_advice('cu12')}",
)
_MAJOR, _MINOR = 75, 76  # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, _MINOR


@dataclass(frozen=True)
class Gpu:
    """An NVIDIA GPU: its name, bytes of memory, and compute capability."""

    name: str
    memory: int
    capability: tuple[int, int]


@dataclass(frozen=True)
class Driver:
    """The NVIDIA driver."""

    version: str | None  # such as "580.65.06"; None if unknown
    cuda: tuple[int, int]  # the newest CUDA version that the driver supports, major and minor
    gpus: tuple[Gpu, ...] = ()  # the GPUs that a process may use, in CUDA's order
    trouble: str | None = None  # the message of the driver if there are no GPUs


@dataclass(frozen=True)
class Facts:
    """The result of :func:`diagnose`.

    ``packages`` has the version of cc_rapids and of each package in ``PACKAGES``; None if it is not
    installed. If a wheel is for one CUDA version, its name follows in parentheses, as in
    ``"14.0.1 (cupy-cuda13x)"``. ``engine`` is ``"cuda"`` if a GPU can be used: for GPU frames, and
    on request for host frames. Otherwise it is ``"threads"``, or ``"none"`` if this build of Python
    cannot run kernels.
    """

    python: str  # the version of Python, and the platform
    packages: dict[str, str | None]
    driver: Driver | None
    cpus: int  # the number of CPUs that this process may use
    engine: str
    why: str  # the reason for the engine
    advice: tuple[str, ...] = ()  # the steps that make the GPU usable


def diagnose() -> Facts:
    """Inspect this machine within milliseconds, without changing anything or raising errors."""
    packages: dict[str, str | None] = {"cc_rapids": __version__}
    packages |= {name: _installed(names) for name, names in PACKAGES.items()}
    driver = find_driver()
    refusal = unsupported_python()
    engine, why, advice = (NO_ENGINE, refusal, ()) if refusal else choose(packages, driver)
    return Facts(
        python=f"{platform.python_version()} on {platform.platform()}",
        packages=packages,
        driver=driver,
        cpus=len(os.sched_getaffinity(0)),
        engine=engine,
        why=why,
        advice=advice,
    )


def check(verbose: bool = False, **options: object) -> str:
    """Check that cc_rapids finds connected components, on the GPU where there is one.

    ``rapids doctor`` calls this function through the entry point ``rapids_doctor_check``.

    Parameters
    ----------
    verbose, **options
        The options of ``rapids doctor``; not used.

    Raises
    ------
    RuntimeError
        There is a GPU, but it would not be used; the engine gives a wrong answer; or this build of
        Python cannot run kernels. The message says what to do.
    """
    facts = diagnose()
    check_engine(facts)
    return f"cc_rapids {__version__} on {facts.engine}: {facts.why}"


def check_engine(facts: Facts) -> None:
    """Solve an example; raise a RuntimeError if it is wrong, no engine runs or a GPU stays idle."""
    if facts.engine == NO_ENGINE:
        raise RuntimeError(facts.why)
    from ..api import components
    from ..backends import get

    has_gpu = facts.driver is not None and bool(facts.driver.gpus)
    if has_gpu and not get(facts.engine).on_device:
        raise RuntimeError("; ".join(("cc_rapids runs on threads", facts.why, *facts.advice)))
    result = components(([3, 1, 7], [1, 5, 7]), engine=facts.engine)
    if result.labels().labels.tolist() != [1, 1, 1, 7]:
        raise RuntimeError(f"cc_rapids finds wrong components on {facts.engine}: {result!r}")


def choose(
    packages: dict[str, str | None], driver: Driver | None
) -> tuple[str, str, tuple[str, ...]]:
    """Return the engine that would run, the reason, and the steps that make a GPU usable.

    ``packages`` are the versions of packages, as in :class:`Facts`.
    """
    if driver is None:
        return "threads", "there is no NVIDIA driver (libcuda.so.1 is not found)", _USABLE_GPUS
    if not driver.gpus:
        return "threads", f"the NVIDIA driver shows no GPU: {driver.trouble}", _USABLE_GPUS
    gpu = driver.gpus[0]
    extra = extra_for(driver)  # of cc_rapids, such as "cu13"
    cuda = ".".join(map(str, driver.cuda))
    if extra is None and driver.cuda < (12, 0):
        why = f"the driver of {gpu.name} runs CUDA {cuda}, which is too old"
        return "threads", why, ("update the NVIDIA driver to 525 or later, for CUDA 12",)
    if extra is None:
        major, minor = gpu.capability
        why = f"{gpu.name} has compute capability {major}.{minor}; RAPIDS starts at 7.0"
        return "threads", why, _USABLE_GPUS
    install = install_advice(extra)
    missing = [name for name in ("numba-cuda", "cupy") if packages[name] is None]
    if missing:
        return "threads", f"there is {gpu.name}, but not {' and '.join(missing)}", (install,)
    cupy = str(packages["cupy"])  # the version and, in parentheses, the wheel
    if "cuda13x" in cupy and driver.cuda[0] < 13:
        why = f"cupy {cupy} is for CUDA 13, but the driver supports CUDA {cuda}"
        return "threads", why, ("pip uninstall cupy-cuda13x", install)
    why = (
        f"{gpu.name} runs GPU frames, and host frames with engine='cuda'; other host frames run on"
        " threads"
    )
    return "cuda", why, () if packages["cudf"] else (f"for GPU frames: {install}",)


def extra_for(driver: Driver) -> str | None:
    """Return the name of the extra for a driver and its first GPU; None if they are too old."""
    for extra, capability in _MIN_CAPABILITY.items():
        cuda_major = int(extra.removeprefix("cu"))
        if driver.cuda[0] >= cuda_major and driver.gpus[0].capability >= capability:
            return extra
    return None


def _installed(names: tuple[str, ...]) -> str | None:
    """Return the version of the first installed distribution of ``names``; None if none is.

    The name of the distribution follows in parentheses unless it is the last of ``names``, which is
    for any CUDA version.
    """
    for name in names:
        try:
            version = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
        return version if name == names[-1] else f"{version} ({name})"
    return None


def find_driver() -> Driver | None:
    """Query the NVIDIA driver; return None if there is none."""
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None
    c_number = ctypes.c_int()  # the place where each query writes its answer
    cuda.cuDriverGetVersion(ctypes.byref(c_number))
    supported = c_number.value // 1000, c_number.value % 1000 // 10  # 12040 is CUDA 12.4
    status = cuda.cuInit(0)  # 0 is success
    gpus: tuple[Gpu, ...] = ()
    if not status:
        status = cuda.cuDeviceGetCount(ctypes.byref(c_number))
        gpus = tuple(_gpu(cuda, i) for i in range(c_number.value if not status else 0))
    trouble = None if gpus else _trouble(cuda, status)
    return Driver(_driver_version(), supported, gpus, trouble)


def _gpu(cuda: ctypes.CDLL, index: int) -> Gpu:
    """Return the name, memory and compute capability of a GPU."""
    device, name, memory = ctypes.c_int(), ctypes.create_string_buffer(256), ctypes.c_size_t()
    cuda.cuDeviceGet(ctypes.byref(device), index)
    cuda.cuDeviceGetName(name, len(name), device)
    cuda.cuDeviceTotalMem_v2(ctypes.byref(memory), device)
    major, minor = ctypes.c_int(), ctypes.c_int()
    cuda.cuDeviceGetAttribute(ctypes.byref(major), _MAJOR, device)
    cuda.cuDeviceGetAttribute(ctypes.byref(minor), _MINOR, device)
    return Gpu(name.value.decode(errors="replace"), memory.value, (major.value, minor.value))


def _trouble(cuda: ctypes.CDLL, status: int) -> str:
    """Return why there is no GPU: the driver's message for a status, or that it has no device.

    CUDA_VISIBLE_DEVICES, which may hide GPUs, is appended if it is set.
    """
    message = "it reports no device"
    if status:
        text = ctypes.c_char_p()
        cuda.cuGetErrorString(status, ctypes.byref(text))
        message = (text.value or b"no CUDA-capable device").decode()
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    return message if visible is None else f"{message} (CUDA_VISIBLE_DEVICES={visible!r})"


def _driver_version() -> str | None:
    """Query NVML for the driver version; this also works in containers that hide /proc/driver."""
    try:
        nvml = ctypes.CDLL("libnvidia-ml.so.1")
    except OSError:
        return None
    if nvml.nvmlInit_v2():
        return None
    version = ctypes.create_string_buffer(80)
    failed = nvml.nvmlSystemGetDriverVersion(version, len(version))
    nvml.nvmlShutdown()
    return None if failed else version.value.decode()
