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
    """Return the newest record of each device, graph and kind of ids."""
    newest = {}
    for record in records.load("audit", folder):
        for row in record.get("rows", [record]):
            newest[record["device"], row["graph"], row["named"]] = record | row
    return list(newest.values())


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
