"""Model of the running time on several devices and on one.

The constants are those of NVIDIA H100s and need not be exact: near the break-even point both
choices take about the same time. References name pages of docs/design.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..algorithms.auto import SAMPLES, STAGED

EDGE = 38e-12  # seconds per filtered edge: two bits from an L2 of 50 MB; decisions/order
LINKED = 92e-12  # seconds per linked edge, in blocks of vertices; decisions/order
VERTEX = 25e-12  # seconds per vertex to initialise, flatten and count; decisions/order
IN_STAGES = 68e-12  # seconds per edge linked in stages; decisions/several-gpus
SAMPLED = min(edges for edges, _ in SAMPLES["partitioned"])  # per vertex, of sampled lists
JOINED = 12e-12  # seconds per vertex to merge a forest
SENT = 1.25  # bytes per vertex of a packed forest
PEER = 3e11  # bytes per second between two GPUs
UPLOAD = 4e10  # bytes per second from the host to a GPU
START = 1e-3  # seconds to synchronise threads
STREAMED = {True: 1.6e-9, False: 1.8e-9}  # seconds per edge of a file; True: ids are 0 .. n - 1
RENUMBERED = 0.5e-9  # seconds per id of another device: four random accesses and its bytes


@dataclass(frozen=True)
class Spreading:
    """The chosen number of devices and the reason."""

    count: int
    why: str


def seconds_on(m: float, n: float, count: int, word: int, source: str) -> float:
    """Return the estimated seconds of a run on ``count`` devices.

    Parameters
    ----------
    m, n : float
        The number of edges, and the size of the range of the ids.
    count : int
        The number of devices.
    word : int
        Bytes of an id.
    source : {"device", "host", "devices"}
        Where the edges are: on one device, on the host, or in equal parts on all devices.
    """
    edges_of_device = m / count
    if edges_of_device >= SAMPLED * n:  # about n sampled edges are linked, the others filtered
        solved = LINKED * n + EDGE * (edges_of_device - n)
    elif edges_of_device >= STAGED * n and count > 1:
        solved = IN_STAGES * edges_of_device
    else:
        solved = LINKED * edges_of_device
    solved += VERTEX * n
    rounds = (count - 1).bit_length()
    merged = rounds * (SENT * n / PEER + JOINED * n) + (START if count > 1 else 0.0)
    moved = {
        "device": 2 * word * edges_of_device * (count - 1) / PEER,
        "host": 2 * word * edges_of_device / UPLOAD,
    }
    return solved + merged + moved.get(source, 0.0)  # edges on all devices are not moved


def spreading(m: int, n: int, count: int, word: int, source: str) -> Spreading:
    """Return the number of devices, up to ``count``, that is fastest by :func:`seconds_on`.

    Edges that are on several devices stay there.
    """
    if source == "devices":
        return Spreading(count, "each holds a part of the edges")
    times = {k: seconds_on(m, n, k, word, source) for k in range(1, count + 1)}
    return _fastest(times, "on one of them" if source == "device" else "on the host")


def seconds_of_stream(m: int, n: int, count: int, counted: bool) -> float:
    """Return the estimated seconds to read, link and merge m edges of files on ``count`` devices.

    ``counted`` is whether the ids are the numbers 0 .. n - 1.
    """
    merged = SENT / PEER + JOINED if counted else RENUMBERED
    rounds = (count - 1).bit_length()
    return STREAMED[counted] * m / count + rounds * merged * n + (START if count > 1 else 0.0)


def spreading_of_stream(m: int, n: int, count: int, counted: bool) -> Spreading:
    """Return the number of devices, up to ``count``, that is fastest for files."""
    times = {k: seconds_of_stream(m, n, k, counted) for k in range(1, count + 1)}
    return _fastest(times, "in files")


def _fastest(times: dict[int, float], where: str) -> Spreading:
    """Return the fastest number of devices, given the seconds of each."""
    best, count = min(times, key=lambda k: times[k]), len(times)
    if best == 1 and count > 1:
        other = min(range(2, count + 1), key=lambda k: times[k])
        why = f"about {1e3 * times[1]:,.3g} ms, and {1e3 * times[other]:,.3g} on {other}"
    else:
        why = f"about {1e3 * times[best]:,.3g} ms, and {1e3 * times[1]:,.3g} on one"
    return Spreading(best, f"{why}, for edges {where}")
