"""Time every design on the reference graphs, with samples, options of k-out, and batches.

The edges are on the device: as a list, and as sorted rows with both directions of each edge for the
designs that read rows. Designs without a sample run on both. After each timing, labels are compared
with those of the first design. Each record is written at once. The script ends after its time
limit.
"""

import functools
import itertools
import time

import harness
import numpy as np

import cc_rapids
from cc_rapids import Design, generators
from cc_rapids.algorithms.compiled import build
from cc_rapids.algorithms.run import connect_rest, prepare, run, sample
from cc_rapids.errors import CcRapidsError
from cc_rapids.graph.edges import Edges, rows_of
from cc_rapids.graph.forest import Forest
from cc_rapids.kernels.edges import sampled_count
from cc_rapids.tools.bench import spread

BRIEF, SLOW = 100, 400  # ms: slower designs run only twice, or once
SAMPLES = ("strided", "kout", "kout(pick=random)", "hook", "bfs")
STEPS = {
    "none": "kout(coalesce=off, gather=off, reorganise=off)",
    "coalesce": "kout(gather=off, reorganise=off)",
    "reorganise": "kout(gather=off)",
    "gather": "kout",
}
# One of each rule: these run first, and alone if the sample is slow.
HEADS = ("async+halve", "rem-cas+split-one", "ecl", "afforest", "hooks+halve", "early+halve")
HEADS += ("jtb+two-try-split", "liu-tarjan(PRF)", "shiloach-vishkin", "stergiou")
HEADS += ("label-propagation", "bfs-cc", "rem-lock+split-one")
MOST_SEARCHES, LOW_COVERAGE = 1000, 0.5
MOST_BYTES = 1 << 35  # for pairs of vertices
TINY = 8  # log2 of the vertices of graphs on which kernels are loaded
STREAMED = ("auto", "none+async+halve", "none+rem-cas+split-one", "none+early+halve")
STREAMED += ("none+hooks+halve", "none+jtb+two-try-split", "liu-tarjan(PRS)", "shiloach-vishkin")
SIZES = tuple(10**k for k in range(3, 9))
BATCHES, SOME = 91, 20  # at most so many of one size, and with queries among them
MIXED, RATIOS = 10**6, (10.0, 3.0, 1.0, 0.3, 0.1)  # rows a batch; inserts a query


class Prepared:
    """The edges of a graph as a list and as sorted rows of both directions, and a forest."""

    def __init__(self, graph, backend, runs=1, tiny=None):
        """Keep a graph; ``tiny`` is a small instance that loads the kernels before the timing."""
        self.backend, self.n, self.m = backend, graph.num_vertices, graph.num_edges
        self.runs, self.tiny = runs, tiny
        self.edges = Edges(graph.src, graph.dst, 0)
        self.forest = Forest(backend, self.n, all_present=True)
        self.expected = None

    @functools.cached_property
    def rows(self):
        """Rows of both directions, made when they are first used."""
        return rows_of(self.edges, self.forest)

    def prepared(self, design, form):
        """Return a design, compiled, and the state of its run."""
        rows = self.rows if form == "rows" else None
        types = self.forest.vertex, self.edges.wide
        compiled = build(design, self.backend, *types, rows is not None, False)
        return compiled, prepare(compiled, self.edges, self.forest, rows)

    def solve(self, design, form):
        """Run a design once; return the labels."""
        run(*self.prepared(design, form))
        return self.forest.parent

    def clock(self, *steps):
        """Return the milliseconds of each step: device time on a GPU, otherwise wall time."""
        marks = [self.backend.mark()]
        for step in steps:
            step()
            marks.append(self.backend.mark())
        self.backend.synchronize()
        return [self.backend.elapsed(*pair) for pair in itertools.pairwise(marks)]

    def times(self, design, form):
        """Return the milliseconds of the sample and of the later steps in each run.

        The first run counts only if it was slow, because later runs reuse arrays of the pool.
        """
        if self.tiny:
            self.tiny.solve(design, form)
        made, state = self.prepared(design, form)

        def once():
            state.reset()
            return self.clock(lambda: sample(made, state), lambda: connect_rest(made, state))

        first = once()
        if sum(first) >= SLOW:
            return [first]
        return [once() for _ in range(self.runs if sum(first) < BRIEF else 2)]

    def right(self):
        """Return whether the labels equal those of the first design that ran."""
        if self.expected is None:
            self.expected = self.forest.parent.copy()
        return bool((self.forest.parent == self.expected).all())

    def record(self, design, form):
        """Return the times of a design, and whether it was right."""
        facts = {"design": str(design), "form": form}
        times = self.times(design, form)
        whole = spread([sum(pair) for pair in times])
        sampling = spread([first for first, _ in times])
        return facts | {"ms": whole, "sample_ms": sampling["median"], "right": self.right()}


def sampling(prepared, design, form):
    """Return a sample's share of the time, its largest component, and the remaining edges."""
    facts = prepared.record(design, form)
    made, state = prepared.prepared(design, form)
    xp, parent, rows = prepared.backend.xp, prepared.forest.parent, prepared.rows
    degrees = rows.offsets[1:] - rows.offsets[:-1]
    read = sampled_entries(prepared, design, made, state, degrees)
    state.reset()
    sample(made, state)
    inside = members(xp, state.giant.in_giant, prepared.n)
    src, dst = (column.astype(np.int64) for column in (prepared.edges.src, prepared.edges.dst))
    left = 1 - (inside[src] & inside[dst]).mean()
    entries, outside = state.m, int(degrees[~inside].sum())
    facts |= read | {"entries": entries, "coverage": float(inside.mean())}
    facts |= {"outside_giant": float(left)}
    facts |= {"between_trees": float((parent[src] != parent[dst]).mean())}
    rest = outside if form == "rows" else entries - read["sample_entries"]
    return facts | {"finish_entries": rest}


def members(xp, words, n):
    """Return the set of n vertices in ``words`` as a bool array."""
    return xp.unpackbits(words.view(np.uint8), bitorder="little")[:n].astype(bool)


def sampled_entries(prepared, design, made, state, degrees):
    """Return the number of entries or edges that a sample reads, and how it was counted."""
    word, xp = design.words[0], prepared.backend.xp
    if word.spec.name in ("strided", "kout"):
        firsts = xp.minimum(degrees, word["k"]).sum() if word.spec.name == "kout" else None
        read = sampled_count(prepared.m, word["every"]) if firsts is None else int(firsts)
        return {"sample_entries": read, "counted": "exactly"}
    if word.spec.name == "hook":
        made.init_singletons(state.n, state.trees.parent)
        made.sample.before(state)
        parent = state.trees.parent
        roots = parent == xp.arange(state.n, dtype=parent.dtype)
        linked, first = int(xp.minimum(degrees, word["n"])[roots].sum()), int((degrees > 0).sum())
        counted = "at most: a root that is hooked meanwhile is not linked"
        return {"sample_entries": first + linked, "first_entries": first, "counted": counted}
    sample(made, state)
    visited = int(degrees[members(xp, state.giant.in_giant, state.n)].sum())
    counted = "on paper: a search from above reads every entry of what it reaches, and one from"
    return {"sample_entries": visited, "counted": f"{counted} below stops earlier"}


class Session:
    """The state that all measurements share."""

    def __init__(self, args):
        self.args = args
        self.backend, self.base = harness.begin(args)
        self.last = time.perf_counter() + args.seconds
        self.tiny, self.known = None, {}

    def is_over(self):
        """Return whether the time is over."""
        return time.perf_counter() > self.last

    def keep(self, name, record):
        """Write a record."""
        harness.keep(self.args.out, name, self.base | record)

    def prepared(self, name, make=generators.reference):
        """Return a graph made ready, its first labels, and the first fields of its records."""
        harness.empty_pool(self.backend)
        if self.tiny is None:
            small = generators.reference("kron21", TINY, engine=self.backend.name)
            self.tiny = Prepared(small, self.backend)
        graph = make(name, self.args.scale, engine=self.backend.name)
        ready = Prepared(graph, self.backend, self.args.runs, self.tiny)
        ready.solve(Design(), "list")
        ready.forest.count()
        ready.right()
        sizes = {"n": ready.n, "m": ready.m, "components": ready.forest.components}
        return ready, {"graph": name, "scale": self.args.scale} | sizes


def main():
    """Measure until the time limit: the most informative cases first, designs with locks last."""
    parser = harness.arguments(__doc__, "cuda", runs=3, graphs=harness.GRAPHS, seconds=420.0)
    session = Session(parser.parse_args())
    pairs = [(design, form) for design in cc_rapids.designs() for form in forms(design)]
    parts = [[pair for pair in pairs if part_of(pair[0]) == part] for part in range(3)]
    names = session.args.graphs
    work = [(one_graph, name, part) for part in parts[:1] for name in names]
    work.append((stream, names[0], None))
    work += [(one_graph, name, part) for part in parts[1:] for name in names]
    harness.measure_each(work, lambda measure, name, part: measure(session, name, part))


def part_of(design):
    """Return the rank of a design: 0 for one design of each rule, 2 for locks, 1 for the others.

    Locks come last, because they may deadlock.
    """
    return 2 if link(design) == "rem-lock" else int(finish_of(design) not in HEADS)


def link(design):
    """Return the name of a design's union rule or search."""
    return design.words[1].spec.name


def finish_of(design):
    """Return the name of a design without its sample."""
    return "+".join(word for word in (design.link, design.compress) if word)


def forms(design):
    """Return the input forms of a design: rows, a list, or both."""
    if design.takes_rows:
        return ["rows"]
    return ["list"] if design.sample == "strided" else ["list", "rows"]


def one_graph(session, name, pairs):
    """Measure pairs of a design and a form on one graph, until the time limit."""
    if not pairs or session.is_over():
        return
    ready, facts = session.prepared(name)
    if name not in session.known:
        session.known[name] = samples(session, ready, facts)
        for step, first in STEPS.items():
            record = ready.record(Design.parse(f"{first}+async+halve"), "rows")
            session.keep("design_ablation", facts | {"step": step} | record)
    for design, form in itertools.takewhile(lambda pair: not session.is_over(), pairs):
        reason = hopeless(design, name, facts, session.known[name])
        record = {"design": str(design), "form": form, "not_run": reason}
        parts = {"sample": design.sample, "link": link(design), "finish": finish_of(design)}
        record = record if reason else ready.record(design, form)
        session.keep("design_space", facts | parts | record)


def samples(session, ready, facts):
    """Return the figures of each sample under async+halve, by its name."""
    known = {}
    for first in SAMPLES:
        design = Design.parse(f"{first}+async+halve")
        form = "rows" if design.takes_rows else "list"
        known[first] = sampling(ready, design, form)
        session.keep("design_sampling", facts | {"sample": first} | known[first])
    return known


def hopeless(design, graph, facts, known):
    """Return the reason why a design is not run on a graph, or None."""
    components, pairs = facts["components"], design.words[1].spec.bytes_per_vertex_pair
    if pairs * facts["n"] ** 2 > MOST_BYTES:
        return f"it keeps data for each pair of the {facts['n']:,} vertices"
    if link(design) == "bfs-cc" and components > MOST_SEARCHES:
        return f"one search for each of {components:,} components"
    first = known.get(design.sample, {})
    covered = first.get("coverage", 0.0)
    if link(design) == "label-propagation" and graph == "road" and covered < LOW_COVERAGE:
        return "labels move one edge a round, along paths of thousands of edges"
    if first and first["sample_ms"] > SLOW and finish_of(design) not in HEADS:
        return f"the sample alone takes {first['sample_ms']:.0f} ms: one of each rule is run"
    return ""


def stream(session, name, _):
    """Measure the rates of batches on a graph, until the time limit."""
    backend = session.backend
    graph = generators.reference(name, session.args.scale, engine=backend.name)
    facts = {"graph": name, "scale": session.args.scale, "n": graph.num_vertices}
    facts["m"] = graph.num_edges
    for work, design, about in streamed(graph.num_edges):
        if session.is_over():
            return
        record = facts | {"design": design} | about
        try:
            record |= work(design, about, graph, backend)
        except CcRapidsError as error:
            record |= {"not_run": str(error)}
        session.keep("design_stream", record)


def streamed(m):
    """Yield a measuring function, a design, and the facts of its batches.

    The batches vary in size, and in the share of queries.
    """
    sizes = list(dict.fromkeys(min(size, m) for size in SIZES))
    for design, size in itertools.product(STREAMED, sizes):
        yield inserted, design, {"batch": size}
    for size in sizes:
        yield inserted, "auto", {"batch": size, "at_once": True}
    for design, ratio in itertools.product(STREAMED, RATIOS):
        yield mixed, design, {"batch": min(MIXED, m), "inserts_a_query": ratio}


def inserted(design, about, graph, backend):
    """Return the rate of batches of one size, inserted one by one or all in one call."""
    given = batches(graph.src, graph.dst, about["batch"])
    rows = sum(columns[0].size for columns in given)
    if about.get("at_once"):
        given = [[given]]
    return rate(given, design, graph, backend, insert, rows)


def mixed(design, about, graph, backend):
    """Return the rate of batches in which a share of the rows are queries of random pairs."""
    xp, size = backend.xp, about["batch"]
    count, n = min(graph.num_edges, SOME * size), graph.num_vertices
    draws = xp.random.RandomState(0)
    query = draws.random_sample(count) >= about["inserts_a_query"] / (1 + about["inserts_a_query"])
    ends = (
        xp.where(query, draws.randint(0, n, count), column[:count]).astype(column.dtype)
        for column in (graph.src, graph.dst)
    )
    given = batches(*ends, size, query)
    return rate(given, design, graph, backend, process, sum(columns[0].size for columns in given))


def batches(src, dst, size, *masks):
    """Return a limited number of complete slices of the columns."""
    firsts = range(0, src.size - size + 1, size)[:BATCHES]
    return [tuple(column[k : k + size] for column in (src, dst, *masks)) for k in firsts]


def insert(found, *columns):
    """Insert a batch of two columns, or all batches of an iterator."""
    found.insert(columns if len(columns) == 2 else iter(*columns))


def process(found, src, dst, query):
    """Insert the rows of a batch that are not queries, and answer its queries."""
    found.process((src, dst), query=query)


def rate(given, design, graph, backend, take, rows):
    """Return rows per second of wall time until the device is idle, after a warm-up run."""

    def once():
        n, where = graph.num_vertices, backend.name
        found = cc_rapids.Connectivity(num_vertices=n, design=design, engine=where)
        for columns in given:
            take(found, *columns)

    spent = harness.timed({"wall": once}, backend, 3)["wall_ms"]
    return {"rows": rows, "wall_ms": spent, "rows_per_s": round(1e3 * rows / spent["median"])}


if __name__ == "__main__":
    main()
