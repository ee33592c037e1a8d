"""Every design on the reference graphs: device time, samples, options of k-out, and batches.

The edges lie on the device, as a list, and as sorted rows of both directions for the designs that
work on those; designs without a sample run on both. Labels are compared with the first design's
after each timing. Records are written as they are made, until the time is over.
"""

import contextlib
import functools
import itertools
import multiprocessing
import os
import time
import traceback

import harness
import numpy as np

import cc_rapids
from cc_rapids import Design, generators
from cc_rapids.algorithms.compiled import build
from cc_rapids.algorithms.run import connect_rest, prepare, run, sample
from cc_rapids.backends import compile as compiler
from cc_rapids.backends.dry_run import recorded_launches
from cc_rapids.errors import CcRapidsError
from cc_rapids.graph.edges import Edges, rows_of
from cc_rapids.graph.forest import Forest
from cc_rapids.kernels.edges import sampled_count
from cc_rapids.tools.bench import spread

BRIEF, SLOW = 100, 400  # ms: slower designs run only twice, or once
LIMIT = 4.0  # s: after this time, a design that waits for the host is stopped
SAMPLES = ("strided", "kout", "kout(pick=random)", "hook", "bfs")
STEPS = {
    "none": "kout(coalesce=off, gather=off, reorganise=off)",
    "coalesce": "kout(gather=off, reorganise=off)",
    "reorganise": "kout(gather=off)",
    "gather": "kout",
}
# One of each rule: they run first, and alone where the sample is slow.
HEADS = (
    "async+halve",
    "rem-cas+split-one",
    "ecl",
    "afforest",
    "hooks+halve",
    "early+halve",
    "jtb+two-try-split",
    "liu-tarjan(PRF)",
    "shiloach-vishkin",
    "stergiou",
    "label-propagation",
    "bfs-cc",
    "rem-lock+split-one",
)
MOST_SEARCHES, LOW_COVERAGE = 1000, 0.5
MOST_BYTES = 1 << 35  # for pairs of vertices
STREAM_SHARE, LOCKS_SHARE = 0.1, 0.1  # of the time, kept for what comes last
TINY, REHEARSED = 8, 4  # log2 of the vertices of graphs on which kernels are loaded, and recorded
STREAMED = (
    "auto",
    "none+async+halve",
    "none+rem-cas+split-one",
    "none+early+halve",
    "none+hooks+halve",
    "none+jtb+two-try-split",
    "liu-tarjan(PRS)",
    "shiloach-vishkin",
)
SIZES = tuple(10**k for k in range(3, 9))
BATCHES, SOME = 91, 20  # at most so many of one size, and with queries among them
MIXED, RATIOS = 10**6, (10.0, 3.0, 1.0, 0.3, 0.1)  # rows a batch; inserts a query


class TooLongError(Exception):
    """A run was stopped."""


class Prepared:
    """The edges of a graph as a list and as sorted rows of both directions, and a forest."""

    def __init__(self, graph, backend, runs=1, tiny=None):
        """``tiny``: another instance, on which kernels are loaded before they are timed."""
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
        """Return the milliseconds of the sample and of the rest in each of some runs.

        The first run does not count, unless it was slow: later ones find their arrays in the pool.
        """
        if self.tiny:
            self.tiny.solve(design, form)
        made, state = self.prepared(design, form)

        def once():
            state.reset()
            with limited(self.backend, LIMIT):
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

    def components(self):
        """Return the number of components, once a design ran."""
        self.forest.count()
        return self.forest.components

    def record(self, design, form):
        """Return the times of a design, and whether it was right."""
        facts = {"design": str(design), "form": form}
        try:
            times = self.times(design, form)
        except TooLongError:
            return facts | {"not_run": f"stopped after {LIMIT:g} s"}
        whole = spread([sum(pair) for pair in times])
        sampling = spread([first for first, _ in times])
        return facts | {"ms": whole, "sample_ms": sampling["median"], "right": self.right()}


@contextlib.contextmanager
def limited(backend, seconds):
    """Stop a run that waits for the host after some seconds."""
    read, last = backend.to_host, time.perf_counter() + seconds

    def to_host(array):
        if time.perf_counter() > last:
            raise TooLongError
        return read(array)

    backend.to_host = to_host
    try:
        yield
    finally:
        del backend.to_host


def sampling(prepared, design, form):
    """Return a sample's share of the time, its largest component, and the remaining edges."""
    facts = prepared.record(design, form)
    if "ms" not in facts:
        return facts
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
    return (
        facts
        | read
        | {
            "entries": entries,
            "coverage": float(inside.mean()),
            "outside_giant": float(left),
            "between_trees": float((parent[src] != parent[dst]).mean()),
            "finish_entries": outside if form == "rows" else entries - read["sample_entries"],
        }
    )


def members(xp, words, n):
    """Return the bits of a set of n vertices, as booleans."""
    return xp.unpackbits(words.view(np.uint8), bitorder="little")[:n].astype(bool)


def sampled_entries(prepared, design, made, state, degrees):
    """Return how many entries (or edges of a list) a sample reads, and how that was counted."""
    word, xp = design.words[0], prepared.backend.xp
    if word.spec.name == "strided":
        return {"sample_entries": sampled_count(prepared.m, word["every"]), "counted": "exactly"}
    if word.spec.name == "kout":
        return {"sample_entries": int(xp.minimum(degrees, word["k"]).sum()), "counted": "exactly"}
    if word.spec.name == "hook":
        made.init_forest(state)
        made.sample.before(state)
        parent = state.trees.parent
        roots = parent == xp.arange(state.n, dtype=parent.dtype)
        linked = int(xp.minimum(degrees, word["n"])[roots].sum())
        first = int((degrees > 0).sum())
        return {
            "sample_entries": first + linked,
            "first_entries": first,
            "counted": "at most: a root that is hooked meanwhile is not linked",
        }
    sample(made, state)
    visited = int(degrees[members(xp, state.giant.in_giant, state.n)].sum())
    return {
        "sample_entries": visited,
        "counted": "on paper: a search from above reads every entry of what it reaches, and one"
        " from below stops earlier",
    }


def rehearse(pairs, graphs):
    """Return the kernels that designs on a form, generators and batches launch, without a GPU."""
    with recorded_launches() as backend:
        made = [generators.reference(name, REHEARSED, engine="cuda") for name in graphs]
        prepared = Prepared(made[0], backend)
        for name, form in pairs:
            prepared.solve(Design.parse(name), form)
        src, dst = made[0].src[:16], made[0].dst[:16]
        for name in STREAMED:
            with contextlib.suppress(CcRapidsError):
                rate([(src, dst)], name, made[0], backend, insert, 0)
                rate([(src, dst, src < dst)], name, made[0], backend, process, 0)
    return backend.launched


def compile_share(pairs, graphs, capability, share, shares):
    """Compile every ``shares``-th kernel from ``share`` on, and keep it in the kernel cache."""
    launched = rehearse(pairs, graphs)
    for key in sorted(launched, key=str)[share::shares]:
        compiler.stored(launched[key], key[2], capability)


def compile_all(backend, pairs, graphs):
    """Compile the kernels of all designs before anything is timed, in a process for each core."""
    capability = divmod(int(backend.xp.cuda.Device().compute_capability), 10)
    many = os.cpu_count()
    shares = [(pairs, graphs, capability, k, many) for k in range(many)]
    with multiprocessing.get_context("spawn").Pool(many) as pool:
        pool.starmap(compile_share, shares, chunksize=1)


class Session:
    """The state that all measurements share."""

    def __init__(self, args):
        self.args = args
        self.backend, self.base = harness.begin(args)
        self.started = time.perf_counter()
        self.tiny, self.known = None, {}
        self.done = set()

    def left(self, share=0.0):
        """Return the seconds left, except for a share of the total that is kept for later."""
        spent = time.perf_counter() - self.started
        return self.args.seconds * (1 - share) - spent

    def keep(self, name, record):
        """Write a record."""
        harness.keep(self.args.out, name, self.base | record)

    def graph(self, name):
        """Return a reference graph where the engine reads it."""
        return generators.reference(name, self.args.scale, engine=self.backend.name)

    def prepared(self, name):
        """Return a graph made ready, its first labels, and the first fields of its records."""
        harness.empty_pool(self.backend)
        if self.tiny is None:
            small = generators.reference("kron21", TINY, engine=self.backend.name)
            self.tiny = Prepared(small, self.backend)
        ready = Prepared(self.graph(name), self.backend, self.args.runs, self.tiny)
        ready.solve(Design(), "list")
        components = ready.components()
        ready.right()
        sizes = {"n": ready.n, "m": ready.m, "components": components}
        return ready, {"graph": name, "scale": self.args.scale} | sizes


def main():
    """Measure until the time is up, the most informative cases first."""
    parser = harness.arguments(__doc__, "cuda", runs=3)
    parser.add_argument("--graphs", nargs="*", default=harness.GRAPHS)
    parser.add_argument("--designs", nargs="*", help="these alone, by name")
    parser.add_argument("--seconds", type=float, default=420)
    args = parser.parse_args()
    session = Session(args)
    named = {str(Design.parse(name)) for name in args.designs or ()}
    designs = [design for design in cc_rapids.designs() if not named or str(design) in named]
    if session.backend.on_device:
        options = [Design.parse(f"{sample}+async+halve") for sample in STEPS.values()]
        pairs = [(str(design), form) for design, form in in_order([*designs, *options])]
        compile_all(session.backend, pairs, args.graphs)
    measure(session, designs)
    print(f"{args.seconds - session.left():.0f} of {args.seconds:.0f} s", flush=True)


def measure(session, designs):
    """Measure all graphs, then batches, then designs with locks. One of these may deadlock."""
    names = session.args.graphs
    waiting = [design for design in designs if link(design) == "rem-lock"]
    others = [design for design in designs if link(design) != "rem-lock"]
    missed = over_graphs(session, names, others, STREAM_SHARE + LOCKS_SHARE)
    attempt(stream, session, names[0])
    missed += over_graphs(session, names, waiting, 0.0)
    over_graphs(session, list(dict.fromkeys(missed)), designs, 0.0)


def over_graphs(session, names, designs, later):
    """Give each graph an equal share of the time; return the graphs that needed more."""
    missed = []
    for k, name in enumerate(names if designs else ()):
        spare = max(session.left(later), 0)
        until = session.left() - spare / (len(names) - k)
        if attempt(one_graph, session, name, designs, until):
            missed.append(name)
    return missed


def attempt(measure, *given):
    """Measure; a failure loses only its own records."""
    try:
        return measure(*given)
    except Exception:
        traceback.print_exc()
        return None


def link(design):
    """Return the name of a design's union rule or search."""
    return design.words[1].spec.name


def finish_of(design):
    """Return the name of a design without its sample."""
    return "+".join(word for word in (design.link, design.compress) if word)


def forms(design):
    """Return the inputs of a design: rows, a list, or either."""
    if design.takes_rows:
        return ["rows"]
    return ["list"] if design.sample == "strided" else ["list", "rows"]


def in_order(designs):
    """Return designs with their forms: one of each rule first, for each sample, then the others."""
    pairs = [(design, form) for design in designs for form in forms(design)]

    def rank(pair):
        name = finish_of(pair[0])
        return HEADS.index(name) if name in HEADS else len(HEADS)

    return sorted(pairs, key=rank)


def one_graph(session, name, designs, until):
    """Measure the remaining designs on one graph; return the number left out for time."""
    pairs = [
        (design, form)
        for design, form in in_order(designs)
        if (name, form, str(design)) not in session.done
    ]
    if not pairs or session.left() <= until:
        return len(pairs)
    ready, facts = session.prepared(name)
    if name not in session.known:
        session.known[name] = samples(session, ready, facts)
        for step, first in STEPS.items():
            record = ready.record(Design.parse(f"{first}+async+halve"), "rows")
            session.keep("design_ablation", facts | {"step": step} | record)
    for k, (design, form) in enumerate(pairs):
        if session.left() <= until:
            print(f"{name}: no time for {len(pairs) - k} runs yet", flush=True)
            return len(pairs) - k
        reason = hopeless(design, name, facts, session.known[name])
        record = {"design": str(design), "form": form, "not_run": reason}
        parts = {"sample": design.sample, "link": link(design), "finish": finish_of(design)}
        record = record if reason else ready.record(design, form)
        session.keep("design_space", facts | parts | record)
        session.done.add((name, form, str(design)))
    return 0


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
        return f"it searches once a component, and there are {components:,}"
    first = known.get(design.sample, {})
    covered = first.get("coverage", 0.0)
    if link(design) == "label-propagation" and graph == "road" and covered < LOW_COVERAGE:
        return "labels move one edge a round, along paths of thousands of edges"
    if "not_run" in first:
        return f"of its sample: {first['not_run']}"
    if first and first["sample_ms"] > SLOW and finish_of(design) not in HEADS:
        return f"the sample alone takes {first['sample_ms']:.0f} ms: one of each rule is run"
    return ""


def stream(session, name):
    """Measure the rates of batches on a graph, in the time that is left."""
    graph, backend = session.graph(name), session.backend
    facts = {"graph": name, "scale": session.args.scale, "n": graph.num_vertices}
    facts["m"] = graph.num_edges
    for work, design, about in streamed(graph.num_edges):
        if session.left(LOCKS_SHARE) <= 0:
            return
        record = facts | {"design": design} | about
        try:
            record |= work(design, about, graph, backend)
        except CcRapidsError as error:
            record |= {"not_run": str(error)}
        session.keep("design_stream", record)


def streamed(m):
    """Yield what measures a rate, the design, and the batches: by size, and by share of queries."""
    sizes = list(dict.fromkeys(min(size, m) for size in SIZES))
    for design, size in itertools.product(STREAMED, sizes):
        yield inserted, design, {"batch": size}
    for size in sizes:
        yield inserted, "auto", {"batch": size, "at_once": True}
    for design, ratio in itertools.product(STREAMED, RATIOS):
        yield mixed, design, {"batch": min(MIXED, m), "inserts_a_query": ratio}


def inserted(design, about, graph, backend):
    """Return the rate of batches of one size, one insertion each or all given to one."""
    given = batches(graph.src, graph.dst, about["batch"])
    rows = sum(columns[0].size for columns in given)
    if about.get("at_once"):
        given = [[given]]
    return rate(given, design, graph, backend, insert, rows)


def mixed(design, about, graph, backend):
    """Return the rate of batches in which some rows are queries of random pairs."""
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
    """Insert two columns, or an iterator of them."""
    found.insert(columns if len(columns) == 2 else iter(*columns))


def process(found, src, dst, query):
    """Insert some rows of a batch, and answer the others."""
    found.process((src, dst), query=query)


def rate(given, design, graph, backend, take, rows):
    """Return rows a second, wall time until the device is done; the first run warms up."""

    def once():
        n, where = graph.num_vertices, backend.name
        found = cc_rapids.Connectivity(num_vertices=n, design=design, engine=where)
        for columns in given:
            take(found, *columns)

    spent = harness.timed({"wall": once}, backend, 3)["wall_ms"]
    return {"rows": rows, "wall_ms": spent, "rows_per_s": round(1e3 * rows / spent["median"])}


if __name__ == "__main__":
    main()
