"""Every claim about time or memory is listed with its evidence, and the evidence exists."""

import inspect
import re
from pathlib import Path

import pytest

import cc_rapids

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "docs").glob("guides/*.md")]
PAGES += (ROOT / "docs").glob("design/*.md")
WITH_RECORDS = {"claims.md", "contributing.md", "design-space.md", "papers.md"}
CLAIM = re.compile(
    r"\d ?(?:ms|s|seconds|minutes)\b|\btimes (?:as|faster|slower|the time|longer|cuGraph)"
    r"|\b(?:faster|slower)\b|\bof (?:the|its) time\b(?! of)|\bof a second\b"
    r"|bytes (?:per (?!second)|for each)"
    r"|\b(?:half|third|fourth|fifth|sixth|tenth) of its\b"
    r"|\b(?:takes?|in|about|than) (?:half )?(?:a|two|several) seconds?\b",
    re.IGNORECASE,
)
ROWS = re.findall(
    r"^\| `([^`]+)` \| (.+) \| `([^`|]+)`[^|`]* \|$",
    (ROOT / "docs" / "claims.md").read_text(encoding="utf-8"),
    re.MULTILINE,
)


def sentences(text):
    """Yield the sentences, list items and rows of a text, without code and tables of records."""
    text = re.sub(r"<!-- table.*?<!-- end -->|```.*?```", "", text, flags=re.DOTALL)
    for part in re.split(r"\n\s*\n|\n(?=[-|#])", text):
        yield from re.split(r"(?<=[.:;])\s+", " ".join(part.split()))


def documented():
    """Yield the names and docstrings of all public functions, classes and methods."""
    for name in cc_rapids.__all__:
        made = getattr(cc_rapids, name)
        names = getattr(made, "__all__", ()) if inspect.ismodule(made) else ()
        parts = {f"{name}.{part}": getattr(made, part) for part in names}
        if inspect.isclass(made):
            parts = {
                f"{name}.{part}": value for part, value in vars(made).items() if part[0] != "_"
            }
        for key, value in ({name: made} | parts).items():
            if not isinstance(value, dict | tuple | str | float) and not inspect.ismodule(value):
                yield key, inspect.getdoc(value) or ""


TEXTS = {str(page.relative_to(ROOT)): page.read_text(encoding="utf-8") for page in PAGES}
TEXTS = {name: text for name, text in TEXTS.items() if Path(name).name not in WITH_RECORDS}
TEXTS |= dict(documented())


def test_claims_are_recognised():
    text = (
        "It takes 3 ms. It is ten\ntimes as long; it is red.\n```\n2 s\n```\n- a tenth of the time"
    )
    found = [sentence for sentence in sentences(text) if CLAIM.search(sentence)]
    assert found == ["It takes 3 ms.", "It is ten times as long;", "- a tenth of the time"]


def test_every_claim_is_listed():
    missing = [
        f"{name}: {sentence}"
        for name, text in TEXTS.items()
        for sentence in sentences(text)
        if CLAIM.search(sentence)
        and not any(claim in sentence for page, claim, _ in ROWS if page == name)
    ]
    assert missing == []


@pytest.mark.parametrize(("name", "claim", "evidence"), ROWS)
def test_a_listed_claim_is_in_the_text_and_has_evidence(name, claim, evidence):
    assert claim in " ".join(TEXTS[name].split())
    path, _, test = evidence.partition("::")
    folder = ROOT / "benchmarks" / "records" if path.endswith(".jsonl") else ROOT
    assert (folder / path).is_file()
    if path.startswith("tests/"):
        text = (ROOT / path).read_text(encoding="utf-8")
        assert f"def {test or 'test_'}" in text
