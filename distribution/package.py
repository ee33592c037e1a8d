"""Build the sdist and the wheel, and try the wheel in clean environments, each with an empty home.

python distribution/package.py python3.11 python3.14                  # a short job of everything
python distribution/package.py --tests "tests/unit" python3.14        # newest releases, and tests
python distribution/package.py --tests "tests/unit" --oldest python3.11

Modules are imported from the environment only, so tests of the checkout run on what is installed.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from builds import COMPILER, ROOT, build, clean_environ, environment, requirements

SMOKE = ROOT / "tests" / "support" / "smoke.py"


def main(arguments):
    """Build, and try each Python in folders that are then removed."""
    options = _parser().parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        packages = ["hatchling", *requirements()]
        builder = environment(sys.executable, folder / "build", *packages, *COMPILER)
        if not options.tests:
            subprocess.run([builder, "-m", "cc_rapids.tools.ahead"], check=True, cwd=ROOT)
        sdist, wheel = build(builder, ROOT, folder / "dist", 0)
        print(f"built {sdist.name} and {wheel.name}", flush=True)
        for number, python in enumerate(options.pythons or [sys.executable]):
            _try(python, folder / str(number), wheel, options)


def _parser():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("pythons", nargs="*", metavar="PYTHON", help="by default this one")
    parser.add_argument("--tests", default="", help="what pytest is to run, instead of a short job")
    parser.add_argument(
        "--oldest", action="store_true", help="with the lower bounds of the metadata"
    )
    return parser


def _try(python, folder, wheel, options):
    """Install a wheel for one Python, and run the short job or tests."""
    wanted = requirements("test") if options.tests else requirements()
    own = environment(python, folder, *wanted, lowest=options.oldest)
    install = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--no-deps"]
    subprocess.run([*install, "--python", own, wheel], check=True)
    variables = clean_environ(folder / "home")
    if not options.tests:
        command = [own, "-I", "-W", "error::DeprecationWarning:cc_rapids", SMOKE]
        subprocess.run(command, check=True, env=variables)
        return
    print(versions(own), flush=True)
    command = [own, "-m", "pytest", "-q", "-n", "auto", "--dist", "worksteal"]
    command += ["-m", "not slow", "-p", "no:cacheprovider", *options.tests.split()]
    subprocess.run(command, check=True, env=variables, cwd=ROOT)


def versions(python):
    """Return a line with the versions of a Python and of the packages that matter most."""
    code = (
        "import importlib.metadata as m, sys; names = 'numpy numba pandas polars pyarrow scipy';"
        "print('Python', sys.version.split()[0], *(n + ' ' + m.version(n) for n in names.split()))"
    )
    return subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    main(sys.argv[1:])
