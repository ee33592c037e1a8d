"""Write a release into dist/: sdist, wheel, their sums, their attestation, and the recipe.

make release DRY_RUN=1

All of it is built from the last commit, twice, and refused if the bytes differ. Files that git does
not know, and changes that are not committed, are refused. Without DRY_RUN it says what publishing
needs; it never publishes.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import builds

KERNELS = [Path("cc_rapids", "backends", name) for name in ("ptx", "objects")]
RECIPE = Path("recipe", "recipe.yaml")
INDEX = "https://pypi.org/packages/source/c/cc-rapids/cc_rapids-${{ version }}.tar.gz"
MADE = "*.whl", "*.tar.gz", "SHA256SUMS", "attestation.json", "recipe.yaml"


class RefusedError(Exception):
    """The tree is none that can be released; says why, and what to do."""


def git(tree, *arguments):
    """Return the lines that a git command prints in a tree."""
    command = ["git", "-C", str(tree), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def checked(tree):
    """Return the version of a tree whose last commit can be released, or raise RefusedError."""
    changed = git(tree, "status", "--porcelain")
    if changed:
        raise RefusedError(
            f"{len(changed)} files are not committed ({changed[0].strip()}, ...): a release is made"
            " of a commit; commit, stash or remove them"
        )
    text = Path(tree, "cc_rapids", "__init__.py").read_text(encoding="utf-8")
    version = re.search(r'^__version__ = "(.*)"$', text, re.MULTILINE)[1]
    wanted = f"v{version}"
    here = [tag for tag in git(tree, "tag", "--points-at", "HEAD") if re.match(r"v\d", tag)]
    if here and wanted not in here:
        raise RefusedError(f"the commit has the tag {here[0]}, but its version is {version}")
    if not here and git(tree, "tag", "--list", wanted):
        raise RefusedError(
            f"the tag {wanted} is at another commit: raise __version__ in cc_rapids/__init__.py,"
            " in CITATION.cff and in CHANGELOG.md"
        )
    if not changelog_heading(tree, version):
        raise RefusedError(f"CHANGELOG.md has no section '## {version} - DATE'")
    return version


def changelog_heading(tree, version):
    """Return what follows the version in its heading: its date, "(unreleased)", or None."""
    text = Path(tree, "CHANGELOG.md").read_text(encoding="utf-8")
    heading = rf"^## {re.escape(version)} (?:- )?(\d{{4}}-\d\d-\d\d|\(unreleased\))$"
    section = re.search(heading, text, re.MULTILINE)
    return section and section[1]


def exported(tree, folder):
    """Write the files of a tree's last commit into a new folder, and nothing else; return it."""
    folder.mkdir(parents=True)
    command = ["git", "-C", str(tree), "archive", "HEAD"]
    archive = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    subprocess.run(["tar", "x"], cwd=folder, input=archive, check=True)
    return folder


def written(tree, builder, out, with_kernels=True):
    """Build the release of a tree's last commit twice; return the files that were written.

    Parameters
    ----------
    tree
        A checkout that ``checked`` accepts.
    builder
        The Python of an environment with ``hatchling``, and with the package's own requirements
        and a compiler of kernels if the wheel is to bring these along.
    out
        The folder to write to; what an earlier release has left there is removed.
    with_kernels : bool
        Whether kernels are compiled for the wheel.
    """
    out.mkdir(exist_ok=True)
    for old in [path for kind in MADE for path in out.glob(kind)]:
        old.unlink()
    seconds = int(git(tree, "log", "-1", "--format=%ct")[0])
    with tempfile.TemporaryDirectory() as name:
        first, second = (exported(tree, Path(name, one)) for one in ("first", "second"))
        if with_kernels:
            subprocess.run([builder, "-m", "cc_rapids.tools.ahead"], cwd=first, check=True)
            for folder in KERNELS:
                shutil.copytree(first / folder, second / folder)
        made = builds.build(builder, first, out, seconds)
        again = builds.build(builder, second, Path(name, "again"), seconds)
        if builds.sums(made) != builds.sums(again):
            raise RefusedError(
                f"two builds of one commit differ:\n{builds.sums(made)}{builds.sums(again)}"
            )
    sdist, wheel = made
    recipe = (Path(tree) / RECIPE).read_text(encoding="utf-8")
    out.joinpath("recipe.yaml").write_text(of_sdist(recipe, sdist), encoding="utf-8")
    out.joinpath("SHA256SUMS").write_text(builds.sums([sdist, wheel]), encoding="utf-8")
    statement = attestation(tree, [sdist, wheel], with_kernels)
    text = json.dumps(statement, indent=1) + "\n"
    out.joinpath("attestation.json").write_text(text, encoding="utf-8")
    return [sdist, wheel, out / "SHA256SUMS", out / "attestation.json", out / "recipe.yaml"]


def attestation(tree, files, with_kernels=True):
    """Return the in-toto statement that files were built from a tree's last commit, unsigned.

    It is SLSA provenance, version 1: the digests of the files, the commit, and how they were built.
    """
    (commit,) = git(tree, "rev-parse", "HEAD")
    (when,) = git(tree, "log", "-1", "--format=%cI")
    home = repository(tree)
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [
            {"name": path.name, "digest": {"sha256": builds.sums([path]).partition(" ")[0]}}
            for path in files
        ],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": f"{home}/blob/main/distribution/release.py",
                "externalParameters": {"commit": commit, "kernels": with_kernels},
                "resolvedDependencies": [
                    {"uri": f"git+{home}", "digest": {"gitCommit": commit}},
                ],
            },
            "runDetails": {
                "builder": {"id": f"{home}/blob/main/Makefile"},
                "metadata": {"invocationId": commit, "finishedOn": when},
            },
        },
    }


def repository(tree):
    """Return the address of the repository that the metadata of a tree names."""
    text = Path(tree, "pyproject.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)["project"]["urls"]["Repository"]


def of_sdist(recipe, sdist):
    """Return the recipe of the checkout with an sdist of the package index as its source."""
    digest = builds.sums([sdist]).partition(" ")[0]
    source = f"source:\n  url: {INDEX}\n  sha256: {digest}\n"
    changed, count = re.subn(r"^source:\n  path: .*\n", source, recipe, flags=re.MULTILINE)
    if count != 1:
        raise RefusedError(f"{RECIPE} has no source that is a path")
    return changed


def needed(tree, version):
    """Return what publishing a release needs and this tree has not, a line each."""
    home, lines = repository(tree), []
    if changelog_heading(tree, version) == "(unreleased)":
        lines.append(f"the date of {version} in CHANGELOG.md, instead of (unreleased)")
    if f"v{version}" not in git(tree, "tag", "--points-at", "HEAD"):
        lines.append(f"the tag v{version} at this commit: git tag -s v{version}")
    if ".example" in home:
        lines.append(f"a public home instead of {home}, in pyproject.toml and CITATION.cff")
    lines.append(
        "an account of the package index that owns the name: twine upload dist/*.whl dist/*.tar.gz"
    )
    lines.append(
        "a signature of each file by the identity that publishes: pypi-attestations sign dist/*.whl"
        " dist/*.tar.gz, and twine upload --attestations; dist/attestation.json says what to sign"
    )
    lines.append("a pull request to conda-forge's staged recipes with dist/recipe.yaml")
    return lines


def main(arguments):
    """Check, build and prove a release; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--dry-run", action="store_true", help="write dist/, and ask for no more")
    options = parser.parse_args(arguments)
    try:
        version = checked(builds.ROOT)
        lines = [] if options.dry_run else needed(builds.ROOT, version)
        with tempfile.TemporaryDirectory() as name:
            wanted = ["hatchling", "twine", *builds.requirements(), *builds.COMPILER]
            builder = builds.environment(sys.executable, Path(name, "venv"), *wanted)
            files = written(builds.ROOT, builder, builds.ROOT / "dist")
            checks = [builder, "-m", "twine", "check", "--strict", *files[:2]]
            subprocess.run(checks, check=True)
    except RefusedError as refusal:
        print(f"no release: {refusal}", file=sys.stderr)
        return 1
    print(f"cc_rapids {version}, built twice with the same bytes:", *files, sep="\n  ")
    if lines:
        print("not published; that needs", *lines, sep="\n  ", file=sys.stderr)
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
