"""Write the table of docs/trust.md from the constants that the tests count by."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).parent.parent
PAGE = ROOT / "docs" / "trust.md"
sys.path.append(str(ROOT / "tests"))

from report import fill  # noqa: E402
from trials import TRIALS  # noqa: E402


def table():
    """A row for each kind of fault."""
    rows = [
        f"| {trial.what} | {trial.times:,} | {trial.holds} | [{trial.where}](../{trial.where}) |"
        for trial in TRIALS.values()
    ]
    return "\n".join(
        ["| tried | times | what has to hold | where |", "| --- | --: | --- | --- |", *rows]
    )


if __name__ == "__main__":
    fill(PAGE, {"trials": table})
