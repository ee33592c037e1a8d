"""Build the sdist, the wheel from it, and try the wheel in a clean environment of each Python.

python tests/support/package.py python3.11 python3.12 python3.13
"""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
COMPILER = "numba-cuda[cu13]>=0.27", "numpy<2.5"  # of the PTX that the wheel brings along


def environment(python, folder, *packages):
    """A new environment with some packages; its Python."""
    subprocess.run([python, "-m", "venv", folder], check=True)
    own = folder / "bin" / "python"
    subprocess.run([own, "-m", "pip", "install", "--quiet", *packages], check=True)
    return own


def main(pythons):
    """All of it, in folders that are then removed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        builder = environment(sys.executable, folder / "build", "build", ROOT, *COMPILER)
        subprocess.run([builder, "-m", "cc_rapids.tools.ahead"], check=True, cwd=ROOT)
        subprocess.run([builder, "-m", "build", "--outdir", folder / "dist", ROOT], check=True)
        wheel, sdist = (next((folder / "dist").glob(kind)) for kind in ("*.whl", "*.tar.gz"))
        print(f"built {sdist.name} and {wheel.name}")
        for number, python in enumerate(pythons):
            own = environment(python, folder / str(number), wheel)
            smoke = ROOT / "tests" / "support" / "smoke.py"
            subprocess.run(
                [own, "-I", "-W", "error::DeprecationWarning:cc_rapids", smoke], check=True
            )


if __name__ == "__main__":
    main(sys.argv[1:] or [sys.executable])
