"""Check the built pages: links that lead nowhere, images without words, tables too wide, searches.

``python docs/check_html.py FOLDER``; ``make docs`` runs it on what it has built.
"""

import argparse
import json
import pathlib
import re
import sys
import urllib.parse
from html.parser import HTMLParser

import snowballstemmer

# What people search for, and the page that has to be among the results
SEARCHES = {
    "deduplicate": "guides/deduplicate",
    "golden record": "guides/deduplicate",
    "survivorship": "guides/deduplicate",
    "survivor": "guides/deduplicate",
    "canonical": "guides/answers",
    "subgraph": "guides/answers",
    "entity resolution": "guides/records",
    "source_dataset": "guides/inputs",
    "uuid": "guides/inputs",
    "csr": "guides/inputs",
    "blast": "guides/inputs",
    "conda": "index",
    "DuckDB": "guides/drop-in",
    "biconnected": "guides/answers",
    "SIGKILL": "guides/batches",
    "hub": "guides/batches",
    "fraud": "guides/records",
    "voxels": "guides/images",
    "scikit-image": "guides/images",
    "cc3d": "guides/images",
    "zarr": "guides/images",
    "slab": "guides/images",
    "regionprops": "guides/images",
    "float16": "guides/neighbors",
    "eps": "guides/neighbors",
    "nearest neighbours": "guides/neighbors",
    "cuVS": "guides/neighbors",
    "faiss": "guides/neighbors",
    "DBSCAN": "guides/neighbors",
    "near-duplicate images": "guides/neighbors",
    "HDBSCAN": "guides/points",
    "cuML": "guides/which",
    "clustering": "guides/points",
} | dict.fromkeys(
    [
        *("splink", "match_probability", "GraphFrames", "igraph", "csr_matrix", "scikit-learn"),
        *("membership", "kNN", "kneighbors", "image", "pixel"),
    ],
    "guides/migrate",
)
COLUMN = 736  # pixels of a column of text, 46 times 16
LETTER, MARGIN = 7, 24  # pixels of a letter in a table, and of what is around a cell
BREAKS = re.compile(r"[\s\u200b-]+")


class Page(HTMLParser):
    """One page: where it leads to, what may be led to, its images and its tables."""

    def __init__(self, text):
        super().__init__()
        self.links, self.ids, self.unspoken, self.tables = [], set(), [], []
        self.cells, self.in_code, self.hidden = [], 0, 0
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        """Note what a tag brings."""
        found = dict(attrs)
        self.ids.update(filter(None, (found.get("id"), found.get("name") if tag == "a" else None)))
        if tag in ("a", "link") and found.get("href"):
            self.links.append(found["href"])
        if tag in ("img", "script", "source") and found.get("src"):
            self.links.append(found["src"])
        if tag == "img" and not says_something(found):
            self.unspoken.append(found.get("src", "an image without a file"))
        if tag == "table":
            self.tables.append([])
        if tag == "tr" and self.tables:
            self.tables[-1].append([])
        if tag in ("td", "th") and self.tables and self.tables[-1]:
            self.tables[-1][-1].append("")
            self.cells.append(tag)
        if tag in ("code", "a"):
            self.in_code += 1

    def handle_endtag(self, tag):
        """Leave a cell or code."""
        if tag in ("td", "th") and self.cells:
            self.cells.pop()
        if tag in ("code", "a"):
            self.in_code = max(self.in_code - 1, 0)

    def handle_data(self, data):
        """Add text to a cell; code, which breaks anywhere, gets a place to break at each letter."""
        if self.cells and self.tables[-1] and self.tables[-1][-1]:
            self.tables[-1][-1][-1] += "\u200b".join(data) if self.in_code else data


def says_something(image):
    """Return whether an image has words that are not the name of its file."""
    words = (image.get("alt") or "").strip()
    name = image.get("src", "").rpartition("/")[2]
    return bool(words) and words not in (image.get("src"), name) and "/" not in words


def width(table):
    """Return the pixels that a table needs at least: of the longest word of each column."""
    columns = max(map(len, table), default=0)
    words = [
        max((len(w) for row in table if k < len(row) for w in BREAKS.split(row[k])), default=0)
        for k in range(columns)
    ]
    return sum(LETTER * count + MARGIN for count in words)


def pages(folder):
    """Return the pages of a folder, by path."""
    return {
        path.relative_to(folder).as_posix(): Page(path.read_text(encoding="utf-8"))
        for path in sorted(folder.rglob("*.html"))
    }


def broken_links(folder, found):
    """Yield each link to a file or a place on a page that does not exist."""
    folder = folder.resolve()
    for name, page in found.items():
        for link in dict.fromkeys(page.links):
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            path = urllib.parse.unquote(parts.path)
            target = ((folder / name).parent / path).resolve() if path else folder / name
            place = urllib.parse.unquote(parts.fragment)
            if not target.is_relative_to(folder) or not target.exists():
                yield f"{name}: {link} leads nowhere"
            elif place and target.suffix == ".html":
                key = target.relative_to(folder).as_posix()
                if place not in found[key].ids:
                    yield f"{name}: {link} names a place that is not there"


def unspoken_images(found):
    """Yield each image that says nothing to those who do not see it."""
    for name, page in found.items():
        for image in dict.fromkeys(page.unspoken):
            yield f"{name}: {image} has no alt text"


def wide_tables(found):
    """Yield each table that no column of text can hold."""
    for name, page in found.items():
        for number, table in enumerate(page.tables, 1):
            if width(table) > COLUMN:
                yield f"{name}: table {number} needs {width(table)} pixels of {COLUMN}"


def missed_searches(folder):
    """Yield each search that does not find its page, by Sphinx's index of words."""
    text = (folder / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(text[text.index("(") + 1 : text.rindex(")")])
    stem = snowballstemmer.stemmer("english").stemWord
    for search, page in SEARCHES.items():
        for word in re.findall(r"\w+", search.lower()):
            found = [index[terms].get(stem(word), []) for terms in ("terms", "titleterms")]
            numbers = {k for one in found for k in (one if isinstance(one, list) else [one])}
            if page not in {index["docnames"][number] for number in numbers}:
                yield f"a search for {search!r} does not find {page}"
                break


def complaints(folder):
    """Yield everything that is wrong with the pages of a folder, a line each."""
    found = pages(folder)
    yield from broken_links(folder, found)
    yield from unspoken_images(found)
    yield from wide_tables(found)
    yield from missed_searches(folder)


def main():
    """Print what is wrong; exit with 1 if anything is."""
    args = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    args.add_argument("folder", type=pathlib.Path)
    folder = args.parse_args().folder
    found = list(complaints(folder))
    print("\n".join(found) or f"{folder}: links, images, tables and searches are right")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
