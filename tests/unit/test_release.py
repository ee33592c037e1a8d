"""Releases: of a clean commit with its tag only, the same bytes each time, with their sums."""

import hashlib
import json
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
INIT = '"""A package."""\n\n__version__ = "1.2.3"\n'
PROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "cc_rapids"
dynamic = ["version"]
[project.urls]
Repository = "https://home.example/cc_rapids"
[tool.hatch.version]
path = "cc_rapids/__init__.py"
"""
RECIPE = "package:\n  name: cc-rapids\n\nsource:\n  path: ..\n\nbuild:\n  number: 0\n"


@pytest.fixture
def release(monkeypatch):
    """The script that makes releases."""
    monkeypatch.syspath_prepend(str(ROOT / "distribution"))
    import release

    return release


@pytest.fixture
def git(tmp_path):
    """A checkout of a small package with one commit, and git in it."""
    tree = tmp_path / "tree"
    files = {
        "cc_rapids/__init__.py": INIT,
        "pyproject.toml": PROJECT,
        "recipe/recipe.yaml": RECIPE,
        "CHANGELOG.md": "# Changes\n\n## 1.2.3 - 2026-01-01\n",
        ".gitignore": "dist\n",
    }
    for name, text in files.items():
        tree.joinpath(name).parent.mkdir(parents=True, exist_ok=True)
        tree.joinpath(name).write_text(text)

    def run(*arguments):
        who = ["-c", "user.name=A", "-c", "user.email=a@b.example", "-c", "tag.gpgsign=false"]
        subprocess.run(["git", "-C", tree, *who, *arguments], check=True, capture_output=True)

    run("init")
    run("add", "-A")
    run("commit", "--no-gpg-sign", "-m", "Begin")
    run.tree = tree
    return run


def test_a_clean_commit_is_accepted_with_its_tag_or_without(release, git):
    assert release.checked(git.tree) == "1.2.3"
    git("tag", "v1.2.3")
    git("tag", "reviewed")
    assert release.checked(git.tree) == "1.2.3"


def test_what_is_not_committed_is_refused(release, git):
    git.tree.joinpath("notes.txt").write_text("new")
    with pytest.raises(release.RefusedError, match=r"1 files are not committed.*notes.txt"):
        release.checked(git.tree)


def test_the_tag_of_another_version_is_refused(release, git):
    git("tag", "v1.2.4")
    with pytest.raises(release.RefusedError, match=r"tag v1.2.4, but its version is 1.2.3"):
        release.checked(git.tree)


def test_a_version_that_is_released_already_is_refused(release, git):
    git("tag", "v1.2.3")
    git("commit", "--no-gpg-sign", "--allow-empty", "-m", "Go on")
    with pytest.raises(
        release.RefusedError, match=r"v1.2.3 is at another commit: raise __version__"
    ):
        release.checked(git.tree)


def test_a_version_without_changes_is_refused(release, git):
    git.tree.joinpath("CHANGELOG.md").write_text("# Changes\n")
    git("commit", "--no-gpg-sign", "-am", "Forget")
    with pytest.raises(release.RefusedError, match=r"no section '## 1.2.3 - DATE'"):
        release.checked(git.tree)


@pytest.mark.slow
def test_two_builds_have_the_same_bytes_and_sums_that_hold(release, git, tmp_path):
    out = tmp_path / "dist"
    out.mkdir()
    out.joinpath("cc_rapids-0.9-py3-none-any.whl").write_text("of an earlier release")
    files = release.written(git.tree, sys.executable, out, with_kernels=False)
    sdist, wheel, sums, attestation, recipe = files
    first, statement = sums.read_text(), json.loads(attestation.read_text())
    assert set(out.iterdir()) == set(files)
    assert {one["name"]: one["digest"]["sha256"] for one in statement["subject"]} == {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in (sdist, wheel)
    }
    head = subprocess.check_output(["git", "-C", git.tree, "rev-parse", "HEAD"], text=True).strip()
    built = statement["predicate"]["buildDefinition"]
    assert built["resolvedDependencies"] == [
        {"uri": "git+https://home.example/cc_rapids", "digest": {"gitCommit": head}}
    ]
    for line in first.splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256(out.joinpath(name).read_bytes()).hexdigest() == digest
    git.tree.joinpath("cc_rapids", "__init__.py").touch()
    release.written(git.tree, sys.executable, out, with_kernels=False)
    assert (sums.read_text(), json.loads(attestation.read_text())) == (first, statement)
    with tarfile.open(sdist) as file:
        assert "cc_rapids-1.2.3/cc_rapids/__init__.py" in file.getnames()
    assert "cc_rapids/__init__.py" in zipfile.ZipFile(wheel).namelist()
    digest = hashlib.sha256(sdist.read_bytes()).hexdigest()
    assert f"\nsource:\n  url: {release.INDEX}\n  sha256: {digest}\n\nbuild:" in recipe.read_text()


@pytest.mark.slow
def test_builds_that_differ_are_refused(release, git, tmp_path, monkeypatch):
    plain, numbers = release.builds.build, iter(range(2))

    def differing(builder, tree, out, seconds):
        tree.joinpath("cc_rapids", "more.py").write_text(f"number = {next(numbers)}\n")
        return plain(builder, tree, out, seconds)

    monkeypatch.setattr(release.builds, "build", differing)
    with pytest.raises(release.RefusedError, match="two builds of one commit differ"):
        release.written(git.tree, sys.executable, tmp_path / "dist", with_kernels=False)


def test_an_undated_version_can_be_built_but_not_published(release, git):
    git.tree.joinpath("CHANGELOG.md").write_text("# Changelog\n\n## 1.2.3 (unreleased)\n")
    git("commit", "--no-gpg-sign", "-am", "Undate")
    assert release.checked(git.tree) == "1.2.3"
    assert "the date of 1.2.3" in "\n".join(release.needed(git.tree, "1.2.3"))


def test_what_publishing_needs_is_told(release, git):
    needed = "\n".join(release.needed(git.tree, "1.2.3"))
    for words in ("git tag -s v1.2.3", "a public home instead of https://home.example", "twine"):
        assert words in needed
    git("tag", "v1.2.3")
    assert "git tag" not in "\n".join(release.needed(git.tree, "1.2.3"))
