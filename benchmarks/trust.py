"""Write the tables of docs/trust.md: the trials of the tests, and the measured times of audits."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).parent.parent
PAGE = ROOT / "docs" / "trust.md"
sys.path.append(str(ROOT / "tests"))

import records  # noqa: E402
from report import fill  # noqa: E402
from support.trials import TRIALS  # noqa: E402


def table():
    """Return a row for each kind of fault."""
    rows = [
        f"| {trial.what} | {trial.times:,} | {trial.holds} | [{trial.where}](../{trial.where}) |"
        for trial in TRIALS.values()
    ]
    return "\n".join(
        ["| trial | times | expected result | test |", "| --- | --: | --- | --- |", *rows]
    )


def audits(folder=records.HERE):
    """Return the rows of the newest record of a GPU, and of that of CPU threads."""
    loaded = [record for record in records.load("audit", folder) if "rows" in record]
    newest = {records.is_on_gpu(record): record for record in loaded}
    return [
        record | row for record in newest.values() for row in record["rows"] if "why_not" not in row
    ]


def costs():
    """Return a row for each run that was audited."""
    rows = [
        f"| {row['device']} | {row['graph']} | {row['named']} | {row['m']:,} |"
        f" {row['run_ms']['median']:,.1f} | {row['audit_ms']['median']:,.1f} |"
        f" {row['audit_of_run']:.2f} | {row['commit']} |"
        for row in audits()
    ]
    head = "| device | graph | ids | edges | run, ms | audit, ms | audit / run | commit |"
    return "\n".join([head, "| --- | --- | --- | --: | --: | --: | --: | --- |", *rows])


if __name__ == "__main__":
    fill(PAGE, {"trials": table, "audits": costs})
