"""The page of what an installation pulls in: of the requirements of now, and as the record says."""

import email
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


def test_a_changed_requirement_is_noticed(installed, recorded):
    recorded["extras"]["dask"]["requirements"][0] += ".1"
    assert installed.stale(recorded) == ["dask"]


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


@pytest.mark.parametrize(
    ("lines", "licence"),
    [
        ("License-Expression: MIT OR Apache-2.0\nLicense: other", "MIT OR Apache-2.0"),
        ("Classifier: License :: OSI Approved :: BSD License", "BSD"),
        ("Classifier: License :: OSI Approved\nLicense: Apache 2.0", "Apache-2.0"),
        ("License: Some words\n  and more", "Some words"),
        ("Name: silent", "not declared"),
    ],
)
def test_a_licence_is_read_from_metadata(installed, lines, licence):
    assert installed.licence_of(email.message_from_string(lines)) == licence
