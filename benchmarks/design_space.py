"""Every design on the reference graphs, on a GPU: device time, samples, options of k-out, batches.

The edges lie on the device, as a list, and as sorted rows of both directions for the designs that
work on those; designs without a sample run on both. Labels are compared with the first design's
after each timing. Records are written as they are made: what a killed run has measured is kept.
"""

import time
import traceback

import design_kernels
import design_stream
import records
from design_runs import SLOW, Prepared, empty_pool, sampling

import cc_rapids
from cc_rapids import Design, backends, generators

GRAPHS = ("kron21", "social22", "road", "uniform25M", "rmat24")
FIRST = Design()
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
TINY = 8  # log2 of the vertices of the graph on which kernels are loaded


class Session:
    """The state that all measurements share."""

    def __init__(self, args):
        self.args, self.backend = args, backends.get(args.engine)
        self.started = time.perf_counter()
        self.base = records.environment(self.backend.device_name, args.commit)
        self.tiny, self.known = None, {}
        self.done = {
            (row["graph"], row["form"], row["design"])
            for row in (records.load("design_space") if args.resume else [])
            if row["commit"] == args.commit and row["device"] == self.base["device"]
        }

    def left(self, share=0.0):
        """Seconds left, but for a share of all that is kept for what comes later."""
        spent = time.perf_counter() - self.started
        return self.args.seconds * (1 - share) - spent

    def keep(self, name, record):
        """Write a record."""
        records.keep(self.args.out, name, self.base | {"engine": self.args.engine} | record)

    def graph(self, name):
        """Return a reference graph where the engine reads it."""
        return generators.reference(name, self.args.scale, engine=self.args.engine)

    def prepared(self, name):
        """Return a graph made ready, its first labels, and what its records begin with."""
        empty_pool(self.backend)
        if self.tiny is None:
            small = generators.reference("kron21", TINY, engine=self.args.engine)
            self.tiny = Prepared(small, self.backend)
        ready = Prepared(self.graph(name), self.backend, self.args.runs, self.tiny)
        ready.solve(FIRST, "list")
        components = ready.components()
        ready.right()
        sizes = {"n": ready.n, "m": ready.m, "components": components}
        return ready, {"graph": name, "scale": self.args.scale} | sizes


def main():
    """Measure until the time is over, what tells most first."""
    args = records.arguments(__doc__)
    args.set_defaults(runs=3)
    args.add_argument("--engine", choices=backends.ENGINES, default="cuda")
    args.add_argument("--graphs", nargs="*", default=GRAPHS)
    args.add_argument("--designs", nargs="*", help="these alone, by name")
    args.add_argument("--seconds", type=float, default=420)
    args.add_argument("--resume", action="store_true", help="leave out what is on record")
    args = args.parse_args()
    session = Session(args)
    named = {str(Design.parse(name)) for name in args.designs or ()}
    designs = [design for design in cc_rapids.designs() if not named or str(design) in named]
    if session.backend.on_device:
        compile_all(session, designs)
    measure(session, designs)
    print(f"{args.seconds - session.left():.0f} of {args.seconds:.0f} s", flush=True)


def measure(session, designs):
    """Measure all graphs, then batches, then the locks: one could be waited for without an end."""
    names = session.args.graphs
    waiting = [design for design in designs if link(design) == "rem-lock"]
    others = [design for design in designs if link(design) != "rem-lock"]
    missed = over_graphs(session, names, others, STREAM_SHARE + LOCKS_SHARE)
    attempt(stream, session, names[0])
    missed += over_graphs(session, names, waiting, 0.0)
    over_graphs(session, list(dict.fromkeys(missed)), designs, 0.0)


def over_graphs(session, names, designs, later):
    """Give each graph an equal part of the time; gives those for which it was too short."""
    missed = []
    for k, name in enumerate(names if designs else ()):
        spare = max(session.left(later), 0)
        until = session.left() - spare / (len(names) - k)
        if attempt(one_graph, session, name, designs, until):
            missed.append(name)
    return missed


def attempt(measure, *given):
    """Let what fails keep the rest from nothing but its own records."""
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
    """Return what a design works on: rows, a list, or either."""
    if design.takes_rows:
        return ["rows"]
    return ["list"] if design.sample == "strided" else ["list", "rows"]


def in_order(designs):
    """Designs with their forms: one of each rule first, for each sample, then the others."""
    pairs = [(design, form) for design in designs for form in forms(design)]

    def rank(pair):
        name = finish_of(pair[0])
        return HEADS.index(name) if name in HEADS else len(HEADS)

    return sorted(pairs, key=rank)


def compile_all(session, designs):
    """Have the kernels in the store before anything is timed."""
    device = session.backend.xp.cuda.Device()
    major, minor = divmod(int(device.compute_capability), 10)
    options = [Design.parse(f"{sample}+async+halve") for sample in STEPS.values()]
    names = [(str(design), form) for design, form in in_order([*designs, *options])]
    took = design_kernels.fill_store(names, session.args.graphs, (major, minor))
    session.keep("design_kernels", took)


def one_graph(session, name, designs, until):
    """Measure all of one graph that is not there yet, until so many seconds are left.

    Returns
    -------
    int
        How many designs there was no time for.
    """
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
        options(session, ready, facts)
    for k, (design, form) in enumerate(pairs):
        if session.left() <= until:
            print(f"{name}: no time for {len(pairs) - k} runs yet", flush=True)
            return len(pairs) - k
        reason = hopeless(design, name, facts, session.known[name])
        record = (
            {"design": str(design), "form": form, "not_run": reason}
            if reason
            else ready.record(design, form)
        )
        session.keep("design_space", facts | parts(design) | record)
        session.done.add((name, form, str(design)))
    return 0


def options(session, ready, facts):
    """Measure the options of k-out, on one after the other."""
    for step, sample in STEPS.items():
        design = Design.parse(f"{sample}+async+halve")
        session.keep("design_ablation", facts | {"step": step} | ready.record(design, "rows"))


def parts(design):
    """Return what tables group by."""
    return {"sample": design.sample, "link": link(design), "finish": finish_of(design)}


def samples(session, ready, facts):
    """Return the figures of each sample under async+halve, by its name."""
    known = {}
    for sample in SAMPLES:
        design = Design.parse(f"{sample}+async+halve")
        form = "rows" if design.takes_rows else "list"
        known[sample] = sampling(ready, design, form)
        session.keep("design_sampling", facts | {"sample": sample} | known[sample])
    return known


def hopeless(design, graph, facts, known):
    """Why a design is not run on a graph, or nothing."""
    components, pairs = facts["components"], design.words[1].spec.bytes_per_vertex_pair
    if pairs * facts["n"] ** 2 > MOST_BYTES:
        return f"it keeps something for each pair of vertices, of which there are {facts['n']:,}"
    if link(design) == "bfs-cc" and components > MOST_SEARCHES:
        return f"it searches once a component, and there are {components:,}"
    sample = known.get(design.sample, {})
    if link(design) == "label-propagation" and graph == "road":
        covered = sample.get("coverage", 0.0)
        if covered < LOW_COVERAGE:
            return "labels move one edge a round, along paths of thousands of edges"
    if "not_run" in sample:
        return f"of its sample: {sample['not_run']}"
    if sample and sample["sample_ms"] > SLOW and finish_of(design) not in HEADS:
        return f"the sample alone takes {sample['sample_ms']:.0f} ms: one of each rule is run"
    return ""


def stream(session, name):
    """Measure the rates of batches."""
    graph = session.graph(name)
    facts = {"graph": name, "scale": session.args.scale, "n": graph.num_vertices}
    facts["m"] = graph.num_edges
    rows = design_stream.figures(graph, session.backend, lambda: session.left(LOCKS_SHARE))
    for row in rows:
        session.keep("design_stream", facts | row)


if __name__ == "__main__":
    main()
