"""NetworkX's own connected_components against the backend cc_rapids, from a thousand nodes on.

Three times for each graph, all through NetworkX's dispatcher and with every set made: NetworkX's
own; the backend's with the conversion; and the backend's once NetworkX has the converted graph.
They stand behind the numbers in integrations/networkx.py; answers are compared after the timing.
"""

import harness
import networkx as nx

from cc_rapids import generators

SIZES = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
MOST = 12_000_000  # maximum number of neighbours, to limit the time of the benchmark


def path(n):
    """Make one long component: n nodes in a row."""
    return nx.path_graph(n)


def uniform(kind, degree, name=None):
    """Graphs of uniform edges, ``degree`` neighbours a node, by the name of each node."""

    def make(n):
        src, dst = generators.uniform(n, n * degree // 2, seed=1).edges
        graph = kind()
        graph.add_nodes_from(map(name, range(n)) if name else range(n))
        ends = ((map(name, side.tolist()) if name else side.tolist()) for side in (src, dst))
        graph.add_edges_from(zip(*ends, strict=True))
        return graph

    return make


GRAPHS = {
    "path": path,
    "uniform, 1 neighbour": uniform(nx.Graph, 1),
    "uniform, 2 neighbours": uniform(nx.Graph, 2),
    "uniform, 4 neighbours": uniform(nx.Graph, 4),
    "uniform, 10 neighbours": uniform(nx.Graph, 10),
    "uniform, 20 neighbours": uniform(nx.Graph, 20),
    "uniform, 40 neighbours": uniform(nx.Graph, 40),
    "strings, 4 neighbours": uniform(nx.Graph, 4, str),
    "tuples, 4 neighbours": uniform(nx.Graph, 4, lambda v: (v // 1000, v % 1000)),
    "directed, 4 neighbours": uniform(nx.DiGraph, 4),
    "directed, 20 neighbours": uniform(nx.DiGraph, 20),
}


def measure(graph, backend, runs):
    """Return the three times and the number of components."""
    directed = graph.is_directed()
    function = nx.weakly_connected_components if directed else nx.connected_components

    def call(backend):
        return list(function(graph, backend=backend))

    def converting():
        graph.__networkx_cache__.clear()
        return call("cc_rapids")

    ways = {
        "networkx": lambda: call("networkx"),
        "converting": converting,
        "converted": lambda: call("cc_rapids"),
    }
    times = harness.timed(ways, backend, runs)
    answer = call("networkx")
    if call("cc_rapids") != answer:
        raise SystemExit("the components differ from NetworkX's")
    median = {name: spent["median"] for name, spent in times.items()}
    gains = {
        f"times_faster_{name}": round(median["networkx_ms"] / median[f"{name}_ms"], 2)
        for name in ("converting", "converted")
    }
    return {"components": len(answer)} | times | gains


def main():
    """Measure every graph at every size and keep the records."""
    args = harness.arguments(__doc__).parse_args()
    nx.config.warnings_to_ignore.add("cache")
    backend, base = harness.begin(args, "networkx")
    largest = 2**args.scale if args.scale else max(SIZES)
    for name, make in GRAPHS.items():
        for n in (size for size in SIZES if size <= largest):
            graph = make(n)
            m = graph.number_of_edges()
            if m * (1 if graph.is_directed() else 2) > MOST:
                continue
            found = measure(graph, backend, min(args.runs, max(3, 3_000_000 // n)))
            record = {"graph": name, "n": n, "m": m} | found
            harness.keep(args.out, "networkx_gain", base | record)


if __name__ == "__main__":
    main()
