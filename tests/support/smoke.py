"""What an installed package has to do, with none of its extras and nothing of the checkout."""

import importlib.metadata
import importlib.resources
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path


def main():
    """Import, run on threads, prove the answer, and ask the command line for the same."""
    import numpy as np

    import cc_rapids

    assert cc_rapids.__version__ == importlib.metadata.version("cc_rapids")
    home = Path(cc_rapids.__file__).parent
    assert home.is_relative_to(sysconfig.get_path("purelib")), home
    assert importlib.resources.files(cc_rapids).joinpath("py.typed").is_file()
    brought = {path.stem for path in home.joinpath("backends", "ptx").glob("*.xz")}
    assert brought == {"sm_75", "sm_80", "sm_90", "sm_100", "sm_120"}, brought
    edges = np.array([5, 2, 9]), np.array([2, 7, 9])
    found = cc_rapids.components(edges, engine="threads")
    assert found.labels().labels.tolist() == [2, 2, 2, 9]
    assert found.audit(edges, oracle="scipy").components == 2
    words = cc_rapids.datasets.word_ladders("pyarrow")
    assert len(cc_rapids.components(words, "word", "neighbour", engine="threads")) == 6_019
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "edges.csv")
        path.write_text("src,dst\n5,2\n2,7\n9,9\n")
        labels = Path(folder, "labels.parquet")
        command = Path(sysconfig.get_path("scripts"), "cc-rapids")
        subprocess.run([command, "calculate", path, "--output", labels, "--quiet"], check=True)
        subprocess.run([command, "verify", path, labels], check=True)
        subprocess.run([command, "--version"], check=True)
    print(f"cc_rapids {cc_rapids.__version__} on Python {sys.version.split()[0]}: installed, works")


if __name__ == "__main__":
    main()
