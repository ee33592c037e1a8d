"""What this process runs tests on."""

import os
from pathlib import Path

import cc_rapids

SIMULATED = os.environ.get("CC_RAPIDS_SIMULATOR", "0") not in ("", "0")
SELDOM = 100_000, 50, 50  # of gc.set_threshold: collecting garbage was a fifth of compiling
ROOT = Path(__file__).parents[2]
PACKAGES = Path(cc_rapids.__file__).parents[1]  # of the checkout, or where a wheel is installed


def with_package(environment, *folders):
    """An environment in which Python finds some folders, this package, and what it found before."""
    before = filter(None, [environment.get("PYTHONPATH")])
    plain = {name: value for name, value in environment.items() if name != "PYTHONSAFEPATH"}
    return {**plain, "PYTHONPATH": os.pathsep.join(map(str, (*folders, PACKAGES, *before)))}
