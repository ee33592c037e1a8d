"""Write docs/installation.md: what an installation pulls in, its licences, and how large it is.

make installed PYTHONS=python3.13

Each extra is installed into an environment of its own, wheels only; what is there then is read from
the metadata of the packages. docs/installed.json keeps it with the requirements that were asked
for, so that a test sees without a network when these have changed.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import builds

RECORD = builds.ROOT / "docs" / "installed.json"
PAGE = builds.ROOT / "docs" / "installation.md"
EXTRAS = "", "dask", "networkx", "plot", "ray", "notebooks", "cu13", "cu12"
COLUMNS = "name", "version", "licence", "bytes"
HEAD = """# Installed packages

cc_rapids is under the Apache License 2.0. It takes less than 7 MB, including 2 MB of compiled
kernels. This page lists the packages that pip installs with it.
The versions are {taken}. The sizes are those of the installed
files. The packages of an extra are installed in addition to the packages without extras.
cc_rapids also works with pandas, Polars and cuGraph if you install them.

`make installed` writes this page from the metadata of the packages. The licence of a package is its
SPDX expression, otherwise the licence in its classifiers, otherwise the first line of its licence
field.

| extra | packages | MB |
| --- | --: | --: |
"""
#: Words of licence classifiers and fields, and the SPDX identifier that they stand for.
SPDX = {
    "Apache Software License": "Apache-2.0",
    "Apache 2.0": "Apache-2.0",
    "Apache License 2.0": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "BSD License": "BSD",
    "BSD 3-Clause License": "BSD-3-Clause",
    "BSD": "BSD",
    "MIT License": "MIT",
    "Python Software Foundation License": "PSF-2.0",
    "Other/Proprietary License": "proprietary",
    "NVIDIA Proprietary Software": "LicenseRef-NVIDIA-Proprietary",
    "LICENSE AGREEMENT FOR NVIDIA SOFTWARE DEVELOPMENT KITS": "LicenseRef-NVIDIA-Proprietary",
    "ISC License (ISCL)": "ISC",
}


def facts(site):
    """Return the packages of an environment: name, version, licence and bytes of each.

    Parameters
    ----------
    site
        The folder of the environment's packages.
    """
    from importlib.metadata import distributions

    found = [_fact(one) for one in distributions(path=[str(site)])]
    return sorted(found, key=lambda row: row["name"])


def _fact(distribution):
    """Return one package's row."""
    paths = {Path(distribution.locate_file(file)) for file in distribution.files or ()}
    size = sum(path.stat().st_size for path in paths if path.is_file())
    name = re.sub(r"[-_.]+", "-", distribution.metadata["Name"]).lower()
    licence = licence_of(distribution.metadata)
    return dict(zip(COLUMNS, (name, distribution.version, licence, size), strict=True))


def licence_of(metadata):
    """Return the licence that metadata declares, as SPDX where the words are known."""
    if metadata.get("License-Expression"):
        return metadata["License-Expression"]
    classified = [
        line.rpartition(" :: ")[2]
        for line in metadata.get_all("Classifier", [])
        if line.startswith("License :: ") and not line.endswith("OSI Approved")
    ]
    line = (metadata.get("License") or "").strip().partition("\n")[0]
    words = classified or [line or "not declared"]
    return " AND ".join(dict.fromkeys(SPDX.get(word, word) for word in words))


def record(folder, extra, python):
    """Install an extra, wheels only, into a new environment; return what it pulled in."""
    asked = sorted(builds.requirements(*filter(None, [extra])))
    own = builds.environment(python, folder, *asked)
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = subprocess.run([own, "-c", code], capture_output=True, text=True, check=True)
    return {"requirements": asked, "packages": facts(site.stdout.strip())}


def page(recorded):
    """Return the page of a record."""
    base = {row["name"] for row in recorded["extras"][""]["packages"]}
    lines, extras_of = [], {}
    for extra, found in recorded["extras"].items():
        rows = found["packages"]
        more = rows if not extra else [row for row in rows if row["name"] not in base]
        title = f"`{extra}`" if extra else "none"
        lines.append(f"| {title} | {_count(more, extra)} | {_megabytes(more, extra)} |")
        for row in more:
            cells = row["name"], row["version"], row["licence"], f"{row['bytes'] / 1e6:,.1f}"
            extras_of.setdefault(cells, []).append(title)
    lines += [
        "",
        "| package | version | licence | MB | extras |",
        "| --- | --- | --- | --: | --- |",
    ]
    lines += [
        f"| {' | '.join((*cells, ', '.join(extras_of[cells])))} |" for cells in sorted(extras_of)
    ]
    return HEAD.format(taken=recorded["taken"]) + "\n".join(lines) + "\n"


def _count(rows, extra):
    """Return the number of packages, with a plus where they come on top of others."""
    return f"{'+' if extra else ''}{len(rows)}"


def _megabytes(rows, extra):
    """Return the size of packages, with a plus where they come on top of others."""
    return f"{'+' if extra else ''}{sum(row['bytes'] for row in rows) / 1e6:,.0f}"


def stale(recorded):
    """Return the extras whose requirements are others now than when they were recorded."""
    return [
        extra
        for extra in EXTRAS
        if recorded["extras"].get(extra, {}).get("requirements")
        != sorted(builds.requirements(*filter(None, [extra])))
    ]


def main(arguments):
    """Install all extras for a Python, by default this one, and write the record and the page."""
    (python,) = arguments or [sys.executable]
    code = "import sys; print(*sys.version_info[:2], sep='.', end='')"
    asked = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    taken = f"the newest for Python {asked.stdout} on x86-64 Linux"
    found = {}
    for extra in EXTRAS:
        print(f"installing {extra or 'without extras'}", flush=True)
        with tempfile.TemporaryDirectory() as name:
            found[extra] = record(Path(name, "venv"), extra, python)
    recorded = {"taken": taken, "extras": found}
    RECORD.write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(recorded), encoding="utf-8")
    print(PAGE)


if __name__ == "__main__":
    main(sys.argv[1:])
