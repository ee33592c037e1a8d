"""From which size on the NetworkX backend pays, its conversion of the graph included or not.

For random graphs of two edges a node, whose nodes are 0, 1, 2, ... or strings: NetworkX's own time
for the list of the components, ours with a new conversion, and ours on a graph that has been
converted before.
"""

import itertools

import networkx as nx
import records

from cc_rapids import engines
from cc_rapids.interfaces import networkx as backend

SIZES = (300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000)


def main():
    """Measure and keep a record for each size."""
    args = records.arguments(__doc__).parse_args()
    base = records.environment(engines.get("threads").device_name, args.commit)
    for n, nodes in itertools.product(SIZES, (int, str)):
        graph = nx.gnm_random_graph(n, 2 * n, seed=1)
        if nodes is str:
            graph = nx.relabel_nodes(graph, str)

        def converted(graph=graph):
            return list(backend.connected_components(backend.convert_from_nx(graph)))

        def cached(own):
            own.__dict__.pop("found", None)
            own.__dict__.pop("labels", None)
            own.__dict__.pop("parts", None)
            return list(backend.connected_components(own))

        own = backend.convert_from_nx(graph)
        if converted() != list(nx.connected_components(graph)):
            raise SystemExit("the components differ from NetworkX's")
        record = {
            "n": n,
            "nodes": nodes.__name__,
            "m": graph.number_of_edges(),
            "networkx_ms": records.spread(
                records.wall(lambda graph=graph: list(nx.connected_components(graph)), args.runs)
            ),
            "converted_ms": records.spread(records.wall(converted, args.runs)),
            "cached_ms": records.spread(records.wall(lambda own=own: cached(own), args.runs)),
        }
        records.keep(args.out, "networkx_gain", base | record)


if __name__ == "__main__":
    main()
