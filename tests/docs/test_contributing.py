"""The worked examples of CONTRIBUTING.md, typed into a copy of the package, pass their tests."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from support.choices import some

ROOT = Path(__file__).parents[2]
STEP = re.compile(
    r"In (?P<new>a new file, )?`(?P<path>[\w/.]+)`"
    r"(?:, (?:(?P<end>at the end)|above\s+`(?P<mark>[^`]+)`))?"
    r":\n\n```python\n(?P<code>.*?)```|```diff\n(?P<diff>.*?)```",
    re.DOTALL,
)


def sections():
    """Yield the title and the text of each section with a worked example."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for part in text.split("\n## ")[1:]:
        title, _, body = part.partition("\n")
        if "In a new file" in body:
            yield title, re.sub(r"In\n`", "In `", body)


EXAMPLES = dict(sections())


def typed(folder, body):
    """Change the files of a folder as a section says, and return its tests."""
    tests, path = [], None
    for step in STEP.finditer(body):
        if step["diff"]:
            patch(path, step["diff"])
            continue
        if step["new"]:
            path = folder / step["path"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(step["code"], encoding="utf-8")
            tests.append(str(path))
            continue
        path = folder / step["path"]
        source = path.read_text(encoding="utf-8")
        assert step["end"] or source.count(f"\n{step['mark']}") == 1, step["mark"]
        at = len(source) if step["end"] else source.index(f"\n{step['mark']}") + 1
        above, below = source[:at].rstrip("\n"), source[at:]
        code = "\n\n\n".join(part for part in (above, step["code"].rstrip("\n"), below) if part)
        path.write_text(code.rstrip("\n") + "\n", encoding="utf-8")
    return tests


def patch(path, diff):
    """Replace lines of a file, where the lines that a diff removes or keeps stand once."""
    lines = diff.splitlines()
    old = "\n".join(line[1:] for line in lines if not line.startswith("+"))
    new = "\n".join(line[1:] for line in lines if not line.startswith("-"))
    source = path.read_text(encoding="utf-8")
    assert source.count(old) == 1, old
    path.write_text(source.replace(old, new), encoding="utf-8")


def test_there_are_four_examples():
    kinds = [title.split(":")[0] for title in EXAMPLES]
    assert kinds == ["A union rule", "An input", "An encoding", "A kind of labels"]


@some("title", EXAMPLES, list(EXAMPLES)[:1], ids=lambda title: title.split(":")[0])
def test_an_example_passes_its_own_test_in_a_copy_of_the_package(tmp_path, title):
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "cc_rapids", tmp_path / "cc_rapids", ignore=ignored)
    tests = typed(tmp_path, EXAMPLES[title])
    assert len(tests) == 1
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
