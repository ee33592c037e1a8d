"""Check built pages in headless Chromium: nothing scrolls sideways, no table leaves its column.

``python docs/check_browser.py FOLDER``: the main pages at two widths, light and dark, and all
others once. A page of our own, from the same local address, opens them in frames of these widths
and measures them.
"""

import argparse
import contextlib
import functools
import http.server
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading

PAGES = (
    "index.html",
    "guides/start.html",
    "guides/inputs.html",
    "benchmarks.html",
    "made/commands.html",
)
WIDTHS = 1400, 420
THEMES = "light", "dark"
NAMES = "chromium", "chromium-browser", "google-chrome", "chrome"
PATIENCE = 120  # seconds for all pages
SEEN = re.compile(r'<pre id="seen">(.*?)</pre>', re.DOTALL)
HARNESS = """<!doctype html><html><body><pre id="seen"></pre><script>
const jobs = JOBS, seen = [];
const wait = ms => new Promise(done => setTimeout(done, ms));
async function measure([page, width, theme]) {
  localStorage.setItem("theme", theme);
  const frame = document.createElement("iframe");
  frame.style.cssText = `width:${width}px;height:900px;border:0`;
  const loaded = new Promise(done => { frame.onload = done; });
  frame.src = page;
  document.body.append(frame);
  await loaded;
  await wait(50);
  const inside = frame.contentDocument, root = inside.documentElement, body = inside.body;
  const shown = getComputedStyle(body);
  const tables = [...inside.querySelectorAll("table")].filter(t => t.offsetParent).map(t => {
    const column = t.closest("article, main, body"), style = getComputedStyle(column);
    const right = column.getBoundingClientRect().right - parseFloat(style.paddingRight);
    const over = Math.round(t.getBoundingClientRect().right - right);
    return {over, text: t.innerText.replace(/\\s+/g, " ").slice(0, 60)};
  }).filter(t => t.over > 1);
  const images = [...inside.images].filter(i => i.offsetParent && i.complete && !i.naturalWidth);
  seen.push({page, width, theme, title: inside.title, has: frame.contentWindow.innerWidth,
             needs: Math.max(root.scrollWidth, body.scrollWidth), tables,
             asked: body.dataset.theme || "", paper: shown.backgroundColor,
             ink: shown.color, images: images.map(i => i.src)});
  frame.remove();
}
(async () => {
  for (const job of jobs) await measure(job);
  document.getElementById("seen").textContent = JSON.stringify(seen);
  document.title = "done";
})();
</script></body></html>"""


def chromium():
    """Return the path of Chromium, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


@contextlib.contextmanager
def served(folder, jobs):
    """Serve a folder on this machine, and the page that measures; yield its address."""
    harness = HARNESS.replace("JOBS", json.dumps(jobs)).encode()

    class Handler(http.server.SimpleHTTPRequestHandler):
        def do_GET(self):
            if self.path != "/measure":
                return super().do_GET()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(harness)

        def log_message(self, *args):
            """Say nothing."""

    handler = functools.partial(Handler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/measure"
        finally:
            server.shutdown()
            thread.join()


def jobs_of(folder, pages=PAGES):
    """Return what is measured: the main pages at each width in each theme, others at the first."""
    others = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.html"))
    return [
        *((page, width, theme) for page in pages for width in WIDTHS for theme in THEMES),
        *((page, WIDTHS[0], THEMES[0]) for page in others if page not in pages),
    ]


def measure(folder, jobs):
    """Return what Chromium has seen of each page at its width in its theme."""
    with served(folder, jobs) as address, tempfile.TemporaryDirectory() as profile:
        command = [
            chromium(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            f"--user-data-dir={profile}", "--window-size=1600,1000",
            f"--virtual-time-budget={1000 * len(jobs) + 5000}", "--dump-dom", address,
        ]  # fmt: skip
        ran = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    found = SEEN.search(ran.stdout)
    if not found or not found[1]:
        raise SystemExit(f"Chromium has measured nothing: {ran.stderr[-2000:]}")
    seen = json.loads(unescaped(found[1]))
    assert len(seen) == len(jobs)
    return seen


def unescaped(text):
    """Return what the text of an element says."""
    for entity, character in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&amp;", "&")):
        text = text.replace(entity, character)
    return text


def brightness(colour):
    """Return how bright a colour such as ``rgb(19, 20, 22)`` is, from 0 to 255."""
    red, green, blue = map(float, re.findall(r"[\d.]+", colour)[:3])
    return 0.299 * red + 0.587 * green + 0.114 * blue


def complaints(seen):
    """Yield everything that is wrong, a line each."""
    for one in seen:
        where = f"{one['page']} at {one['width']} pixels, {one['theme']}"
        if one["needs"] > one["has"]:
            yield f"{where}: scrolls sideways, {one['needs']} pixels"
        for table in one["tables"]:
            yield f"{where}: a table leaves its column by {table['over']}: {table['text']!r}"
        for image in one["images"]:
            yield f"{where}: {image} is not shown"
        paper, ink = brightness(one["paper"]), brightness(one["ink"])
        if (paper > ink) != (one["theme"] == "light"):
            yield f"{where}: {one['ink']} on {one['paper']}"


def main():
    """Print what is wrong; exit with 1 if anything is."""
    args = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    args.add_argument("folder", type=pathlib.Path)
    folder = args.parse_args().folder
    if chromium() is None:
        raise SystemExit("Chromium is needed: apt-get install chromium")
    jobs = jobs_of(folder)
    found = list(complaints(measure(folder, jobs)))
    count = len({page for page, _, _ in jobs})
    fine = f"{folder}: nothing is too wide in {len(jobs)} views of {count} pages"
    print("\n".join(found) or fine)
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
