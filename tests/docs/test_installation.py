"""The page of what an installation pulls in: of the requirements of now, and as the record says."""

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def installed(monkeypatch):
    """The script that makes the page."""
    monkeypatch.syspath_prepend(str(ROOT / "distribution"))
    import installed

    return installed


@pytest.fixture
def recorded(installed):
    """What each extra pulled in when it was installed last."""
    return json.loads(installed.RECORD.read_text(encoding="utf-8"))


def test_the_record_is_of_these_requirements(installed, recorded):
    assert installed.stale(recorded) == [], "run `make installed`"
    assert set(recorded["extras"]) == set(installed.EXTRAS)


def test_the_page_is_that_of_the_record(installed, recorded):
    assert installed.PAGE.read_text(encoding="utf-8") == installed.page(recorded)


def test_every_requirement_is_among_its_packages(recorded):
    for found in recorded["extras"].values():
        names = {row["name"] for row in found["packages"]}
        for one in found["requirements"]:
            name = one.replace("[", ">").replace("<", ">").split(">")[0]
            assert name in names


def test_what_is_installed_without_extras_declares_a_permissive_licence(recorded):
    free = ("Apache-2.0", "BSD", "MIT", "PSF-2.0", "0BSD", "Zlib", "CC0-1.0", "AND", "WITH")
    for row in recorded["extras"][""]["packages"]:
        words = row["licence"].replace("(", "").replace(")", "").split()
        assert [w for w in words if not w.startswith((*free, "LLVM-exception"))] == []
        assert row["bytes"] > 0
