"""The generators of the command line, with their options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from ...errors import InputError
from .group import GRAPH, Option

if TYPE_CHECKING:
    from ..generators.pieces import Pieces

Params = dict[str, Any]
_option = partial(Option, section=GRAPH)


@dataclass(frozen=True)
class Generator:
    """A generator of the command line.

    ``make`` takes the module :mod:`cc_rapids.tools.generators.pieces` and the values of the
    options, in which ``of`` is the Pieces of the other generator, and returns the edges in pieces.
    """

    help: str  # of its command
    example: str  # the options in the example of its command
    options: tuple[Option, ...]  # in addition to ``COMMON``, which all generators have
    make: Callable[[Any, Params], Pieces]


def _count(flag: str, help: str, required: bool = False) -> Option:
    """Return an option for an integer of at least 0."""
    return _option([flag], type=click.IntRange(min=0), required=required, help=help, metavar="N")


def _number(flag: str, help: str, kind: Any, default: float, metavar: str | None = "X") -> Option:
    """Return an option for a number, with a default value that the help shows."""
    shown: dict[str, Any] = {"default": default, "show_default": True}
    return _option([flag], type=kind, metavar=metavar, help=help, **shown)


_SHARE = click.FloatRange(0, 1)
_SIDES = (
    _count("--rows", "The number of rows.", required=True),
    _count("--columns", "The number of columns.", required=True),
)
_NODES = _count("--nodes", "The number of vertices.", required=True)
_EDGES = (
    _count("--edges", "The number of edges."),
    _option(
        ["--density"],
        type=_SHARE,
        metavar="P",
        help="Instead of --edges: the share of all pairs of vertices.",
    ),
)
_OF = _option(
    ["--of"],
    metavar="RECIPE",
    required=True,
    help="The other generator: 'NAME(option=value, ...)'.",
)
_INT64 = click.IntRange(-(1 << 63), (1 << 63) - 1)
COMMON = (
    _option(
        ["--seed"],
        type=click.IntRange(min=0),
        default=0,
        metavar="K",
        help="Random seed; the same seed gives the same edges.",
    ),
    _option(
        ["--weights"],
        type=(_INT64, _INT64),
        metavar="MIN MAX",
        help="Add random integer weights from MIN to MAX.",
    ),
)


def _edges(params: Params, nodes: int) -> int:
    """Return the number of edges, which --edges or --density determines."""
    edges: int | None = params["edges"]
    density: float | None = params["density"]
    if edges is not None and density is None:
        return edges
    if density is not None and edges is None:
        return round(density * (nodes * (nodes - 1) // 2))
    raise click.UsageError("Pass either --edges or --density.")


def _by_nodes_and_edges(name: str) -> Callable[[Any, Params], Any]:
    """Return a function that calls the generator ``name`` with nodes, edges and seed."""

    def make(module: Any, params: Params) -> Any:
        nodes = params["nodes"]
        return getattr(module, name)(nodes, _edges(params, nodes), params["seed"])

    return make


def _rmat(module: Any, params: Params) -> Any:
    """Call the R-MAT generator; raise an InputError unless nodes are a power of two."""
    nodes = params["nodes"]
    if nodes.bit_count() != 1:
        raise InputError(f"rmat needs 2^k vertices: --nodes 1, 2, 4, 8, ..., not {nodes:,}")
    shares = (params[name] for name in ("a", "b", "c"))
    edges, scale = _edges(params, nodes), nodes.bit_length() - 1
    return module.rmat(scale, edges, *shares, params["seed"], permute=params["permute"])


def _sizes(text: str) -> list[int]:
    """Parse the sizes of cliques: ``3,1,2*1000`` is 3, 1 and a thousand times 2."""
    sizes: list[int] = []
    for word in text.split(",") if text else []:
        size_text, _, times_text = word.partition("*")
        if not (size_text.strip().isdecimal() and (times_text.strip() or "1").isdecimal()):
            raise InputError(f"--sizes must be integers as in 3,1,2*1000, not {word!r}")
        sizes += [int(size_text)] * int(times_text or 1)
    return sizes


_PAIRS = (
    _count("--documents", "The number of documents.", required=True),
    _count("--pairs", "The number of pairs, with repetitions.", required=True),
    _number("--exponent", "Zipf exponent of cluster sizes, above 1.", float, 1.9),
    _number("--most", "The largest size of a cluster.", click.IntRange(min=2), 5000, "N"),
)


def _by_options(name: str, *options: str) -> Callable[[Any, Params], Any]:
    """Return a function that calls the generator ``name`` with the values of these options."""
    return lambda module, params: getattr(module, name)(*(params[option] for option in options))


GENERATORS = {
    "banded_pairs": Generator(
        "Near-duplicate pairs, each found in many bands.",
        "--documents 1000 --pairs 10000 --bands 5",
        (
            *_PAIRS,
            _number(
                "--bands",
                "The number of bands that find each pair.",
                click.IntRange(min=1),
                10,
                "N",
            ),
        ),
        _by_options("banded_pairs", "documents", "pairs", "bands", "exponent", "most", "seed"),
    ),
    "barabasi_albert": Generator(
        "A growing graph: new vertices prefer high degrees.\n\nIts degrees follow a power law.",
        "--nodes 1000 --each 3",
        (_NODES, _count("--each", "The number of edges of a new vertex.", required=True)),
        _by_options("barabasi_albert", "nodes", "each", "seed"),
    ),
    "cliques": Generator(
        "Disjoint cliques.",
        "--sizes '3,1,2*1000'",
        (
            _option(
                ["--sizes"],
                required=True,
                metavar="LIST",
                help="3,1,2*1000: sizes 3 and 1, and 1000 times 2.",
            ),
        ),
        lambda module, params: module.cliques(_sizes(params["sizes"])),
    ),
    "duplicated": Generator(
        "The edges of another generator, each several times.\n\nThe copies of edges are in random"
        " order and directions. The edges of the other generator are kept in memory.",
        "--of 'path(nodes=1000)' --times 3",
        (_OF, _count("--times", "The number of copies of each edge.", required=True)),
        _by_options("duplicated", "of", "times", "seed"),
    ),
    "gnm": Generator(
        "The random graph G(n, m): distinct pairs, no loops.",
        "--nodes 1000 --density 0.01 --weights 1 100",
        (_NODES, *_EDGES),
        _by_nodes_and_edges("gnm"),
    ),
    "grid": Generator(
        "A grid, or a random part, like a road network.",
        "--rows 100 --columns 200 --keep 0.6",
        (*_SIDES, _number("--keep", "The probability of keeping each edge.", _SHARE, 1.0, None)),
        _by_options("grid", "rows", "columns", "keep", "seed"),
    ),
    "isolated": Generator(
        "Vertices without edges.",
        "--nodes 10 --format he",
        (_NODES,),
        _by_options("isolated", "nodes"),
    ),
    "near_duplicate_pairs": Generator(
        "Pairs of documents in many small clusters.",
        "--documents 1000 --pairs 2000",
        _PAIRS,
        _by_options("near_duplicate_pairs", "documents", "pairs", "exponent", "most", "seed"),
    ),
    "path": Generator(
        "A path, which is hard to solve in parallel.",
        "--nodes 1000 --shuffle 7",
        (
            _NODES,
            _option(
                ["--shuffle"],
                type=click.IntRange(min=0),
                metavar="SEED",
                help="Number the vertices at random, with this seed.",
            ),
        ),
        _by_options("path", "nodes", "shuffle"),
    ),
    "permuted": Generator(
        "Another generator, with vertices renumbered.",
        "--of 'cliques(sizes=\"3,1,2\")' --seed 5",
        (_OF,),
        _by_options("permuted", "of", "seed"),
    ),
    "record_keys": Generator(
        "Records, each joined to some keys.",
        "--records 1000 --keys 1200",
        (
            _count("--records", "The number of records.", required=True),
            _count("--keys", "The number of keys.", required=True),
            _number("--each", "The number of keys of a record.", click.IntRange(min=0), 2, "N"),
            _number("--power", "Draw key KEYS * u^X, u uniform in 0 to 1.", float, 1.5),
            _option(
                ["--permute/--no-permute"],
                default=True,
                help="Number vertices at random (default), or records first.",
            ),
        ),
        _by_options("record_keys", "records", "keys", "each", "power", "seed", "permute"),
    ),
    "reference": Generator(
        "A graph of the benchmarks, in any size.\n\nThe names of these graphs are kron21,"
        " social22, road, uniform25M, rmat24, pairs60M, bands10M, records50M and pairs1M.",
        "--name kron21 --scale 12",
        (
            _option(
                ["--name"],
                required=True,
                metavar="NAME",
                help="Name of the graph, such as kron21 or pairs60M.",
            ),
            _option(
                ["--scale"],
                type=int,
                metavar="K",
                help="Make a graph of about 2^K vertices instead.",
            ),
        ),
        _by_options("reference", "name", "scale", "seed"),
    ),
    "rmat": Generator(
        "R-MAT: few vertices have very many neighbours.\n\nSocial networks have such degrees.",
        "--nodes 1024 --edges 16000",
        (
            _option(
                ["--nodes"],
                type=click.IntRange(min=1),
                metavar="N",
                required=True,
                help="The number of vertices, a power of 2.",
            ),
            *_EDGES,
            *(
                _number(f"--{name}", f"Probability of the quadrant {where}.", _SHARE, share, "P")
                for name, share, where in (
                    ("a", 0.57, "0,0"),
                    ("b", 0.19, "0,1"),
                    ("c", 0.19, "1,0"),
                )
            ),
            _option(
                ["--permute/--no-permute"],
                default=True,
                help="Number vertices at random (default), or high degrees first.",
            ),
        ),
        _rmat,
    ),
    "self_loops": Generator(
        "A self-loop at each vertex, and no other edge.",
        "--nodes 10",
        (_NODES,),
        _by_options("self_loops", "nodes"),
    ),
    "star": Generator(
        "A star: vertex 0 is joined to every other vertex.",
        "--nodes 1000",
        (_NODES,),
        _by_options("star", "nodes"),
    ),
    "torus2d": Generator(
        "A grid whose sides are joined, as in Cong and Muzio.",
        "--rows 100 --columns 200",
        _SIDES,
        _by_options("torus2d", "rows", "columns"),
    ),
    "uniform": Generator(
        "Random pairs of vertices.\n\nPairs may repeat, or join a vertex to itself.",
        "--nodes 1000 --edges 700 --seed 1",
        (_NODES, *_EDGES),
        _by_nodes_and_edges("uniform"),
    ),
}
