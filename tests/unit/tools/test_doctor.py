"""The doctor, on machines that are described here."""

import ctypes
import dataclasses
import importlib.metadata
import json
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from cc_rapids.tools import doctor
from cc_rapids.tools.doctor import Driver, Gpu

H100 = Gpu("NVIDIA H100", 80 << 30, (9, 0))
VOLTA = Gpu("Tesla V100", 16 << 30, (7, 0))
PASCAL = Gpu("Tesla P100", 16 << 30, (6, 0))
FULL = {"numba-cuda": "0.30", "cupy": "14.0 (cupy-cuda13x)", "cudf": "26.4 (cudf-cu13)"}


@pytest.mark.parametrize(
    ("packages", "driver", "engine", "why", "advice"),
    [
        (FULL, None, "threads", "no NVIDIA driver", ".[cu13]"),
        (FULL, Driver(None, (13, 0), (), "hidden"), "threads", "no GPU: hidden", "[cu12]"),
        (FULL, Driver("580.1", (13, 0), (H100,)), "cuda", "NVIDIA H100 runs GPU frames", ""),
        (FULL, Driver("550.1", (12, 4), (H100,)), "threads", "CUDA 13, but the driver", "[cu12]"),
        (FULL, Driver("470.1", (11, 4), (H100,)), "threads", "too old", "update the NVIDIA"),
        (FULL, Driver("580.1", (13, 0), (PASCAL,)), "threads", "starts at 7.0", "since Volta"),
        ({"cudf": None}, Driver("580.1", (13, 0), (H100,)), "cuda", "H100", ".[cu13]"),
        ({"cupy": None}, Driver("580.1", (13, 0), (H100,)), "threads", "cupy", ".[cu13]"),
        ({"cupy": None}, Driver("580.1", (13, 0), (VOLTA,)), "threads", "cupy", ".[cu12]"),
        ({"cupy": None}, Driver("550.1", (12, 4), (H100,)), "threads", "cupy", ".[cu12]"),
    ],
)
def test_engine_reason_and_way_out(packages, driver, engine, why, advice):
    got = doctor.choose(FULL | packages, driver)
    assert got[0] == engine
    assert why in got[1]
    assert advice in "\n".join(got[2])
    assert bool(got[2]) == bool(advice)


def library(gpus, status=0):
    """Enough of libcuda and libnvidia-ml: functions that fill in what they are pointed to."""

    def put(value):
        def call(out, *_):
            out._obj.value = value
            return 0

        return call

    def name(out, size, device):
        out.value = gpus[device.value].name.encode()

    def memory(out, device):
        out._obj.value = gpus[device.value].memory

    def attribute(out, number, device):
        out._obj.value = gpus[device.value].capability[(75, 76).index(number)]

    def version(out, size):
        out.value = b"580.65.06"
        return 0

    functions = {
        "cuDriverGetVersion": put(13010),
        "cuInit": lambda flags: status,
        "cuDeviceGetCount": put(len(gpus)),
        "cuDeviceGet": lambda out, index: put(index)(out),
        "cuDeviceGetName": name,
        "cuDeviceTotalMem_v2": memory,
        "cuDeviceGetAttribute": attribute,
        "cuGetErrorString": lambda status, out: put(b"no CUDA-capable device is detected")(out),
        "nvmlInit_v2": lambda: 0,
        "nvmlSystemGetDriverVersion": version,
        "nvmlShutdown": lambda: 0,
    }
    return SimpleNamespace(**functions)


def test_gpus_are_found(monkeypatch):
    monkeypatch.setattr(ctypes, "CDLL", lambda name: library([H100, VOLTA]))
    assert doctor.find_driver() == Driver("580.65.06", (13, 1), (H100, VOLTA), None)


@pytest.mark.parametrize("status", [0, 100])
def test_a_driver_without_gpus_says_why(monkeypatch, status):
    monkeypatch.setattr(ctypes, "CDLL", lambda name: library([], status))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    driver = doctor.find_driver()
    assert driver.gpus == ()
    assert "(CUDA_VISIBLE_DEVICES='')" in driver.trouble
    assert ("no CUDA-capable device" in driver.trouble) == bool(status)


def test_a_driver_without_a_version(monkeypatch):
    def load(name):
        if "nvidia-ml" in name:
            raise OSError(name)
        return library([H100])

    monkeypatch.setattr(ctypes, "CDLL", load)
    assert doctor.find_driver() == Driver(None, (13, 1), (H100,), None)


def test_this_machine_without_a_driver(monkeypatch):
    def load(name):
        raise OSError(name)

    monkeypatch.setattr(ctypes, "CDLL", load)
    facts = doctor.diagnose()
    assert facts.driver is None
    assert facts.engine == "threads"
    assert facts.cpus >= 1
    assert facts.packages["numpy"]
    assert facts.packages.keys() >= {"cc_rapids", "cupy", "cudf", "cugraph", "rmm", "pyarrow"}


def test_wheels_for_one_cuda_version_are_named(monkeypatch):
    versions = {"cupy-cuda12x": "13.6", "numpy": "2.4"}

    def version(name):
        if name in versions:
            return versions[name]
        raise doctor.importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(doctor.importlib.metadata, "version", version)
    packages = doctor.diagnose().packages
    assert packages["cupy"] == "13.6 (cupy-cuda12x)"
    assert packages["numpy"] == "2.4"
    assert packages["cudf"] is None


def test_nothing_heavy_is_imported():
    heavy = {"numpy", "numba", "pyarrow", "pandas", "scipy", "rich", "cupy", "cudf", "narwhals"}
    code = (
        "import sys, cc_rapids.cli, cc_rapids.tools.doctor; cc_rapids.tools.doctor.diagnose();"
        f"print({heavy!r} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_rapids_doctor_finds_the_check():
    entries = importlib.metadata.entry_points(group="rapids_doctor_check", name="cc_rapids")
    (entry,) = entries
    assert entry.load() is doctor.check
    assert "on threads" in doctor.check(verbose=True) or "on cuda" in doctor.check(verbose=True)


def test_the_check_fails_where_a_gpu_would_not_be_used(monkeypatch):
    gpu = doctor.Gpu("Some GPU", 1 << 34, (9, 0))
    driver = doctor.Driver("580.0", (13, 0), (gpu,))
    facts = dataclasses.replace(
        doctor.diagnose(), engine="threads", driver=driver, why="cupy missing", advice=("pip it",)
    )
    monkeypatch.setattr(doctor, "diagnose", lambda: facts)
    with pytest.raises(RuntimeError, match="runs on threads; cupy missing; pip it"):
        doctor.check()


def test_the_cache_of_kernels_is_shown_and_cleared(run, own_store):
    from cc_rapids.backends import kernel_cache

    for k in range(3):
        kernel_cache.keep(str(k), ".bin", bytes(1 << 19))
    rows = dict(line.split(maxsplit=1) for line in run("doctor", "--cache").stdout.splitlines())
    assert rows["cache"] == str(own_store)
    assert rows["kept"] == "3 files, 1.5 MiB"
    assert rows["bound"] == "1.00 GiB (CC_RAPIDS_CACHE_SIZE)"
    assert rows["owner"] == f"user {os.geteuid()}, mode 0700"
    assert rows["used"] == "yes"
    cleared = json.loads(run("doctor", "--cache", "--clear", "--json").stdout)
    assert (cleared["removed_files"], cleared["files"], cleared["bytes"]) == (3, 0, 0)
    assert kernel_cache.recall("0", ".bin") is None
    assert "removed     0 files" in run("doctor", "--cache", "--clear").stdout


def test_a_cache_that_others_may_write_is_said_not_to_be_used_and_is_not_cleared(run, own_store):
    own_store.chmod(0o777)
    facts = json.loads(run("doctor", "--cache", "--json").stdout)
    assert (facts["used"], facts["mode"]) == (False, "0777")
    shown = run("doctor", "--cache").stdout
    assert f"no: {own_store} may be written by others (mode 0777): chmod go-w" in shown
    done = run("doctor", "--cache", "--clear")
    assert done.exit_code == 2
    assert "nothing was removed" in done.stderr


def test_a_cache_is_cleared_only_where_it_is_named(run):
    done = run("doctor", "--clear")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == "Error: --clear needs --cache: cc-rapids doctor --cache --clear\n"
