"""Model of the time that several devices take for a list, and one.

The figures are those of NVIDIA H100s, and need not be exact: where the answer is close, either way
takes about as long. Pages that are named are in docs/design.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..algorithms.auto import SAMPLES, STAGED

EDGE = 38e-12  # seconds for an edge after a sample: two bits of an L2 of 50 MB; decisions/order
LINKED = 92e-12  # for an edge that is linked, in blocks of vertices; decisions/order
VERTEX = 25e-12  # to begin trees, to flatten and to count them; decisions/order
IN_STAGES = 68e-12  # for an edge of a part that is linked in stages; decisions/several-gpus
SAMPLED = SAMPLES["partitioned"][-1][0]  # edges a vertex from which on lists are sampled
JOINED = 12e-12  # for a vertex of another forest: its parents are read and written a few times
SENT = 1.25  # bytes for a vertex of a forest: bits, and pairs or none
PEER = 3e11  # bytes a second from a GPU to another
UPLOAD = 4e10  # from the host to a GPU
START = 1e-3  # seconds for threads that wait for each other a few times


@dataclass(frozen=True)
class Spreading:
    """Number of devices that run, and the reason in words."""

    count: int
    why: str


def seconds_on(m: float, n: float, count: int, word: int, source: str) -> float:
    """Return the estimated seconds of a run on so many devices.

    Parameters
    ----------
    m, n : float
        Edges, and ids from the least to the greatest.
    word : int
        Bytes of an id.
    source : {"device", "host", "devices"}
        Where the edges are: on one device, on the host, or in equal parts on all devices.
    """
    edges_of_device = m / count
    if edges_of_device >= SAMPLED * n:
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
    return solved + merged + moved.get(source, 0.0)


def spreading(m: int, n: int, count: int, word: int, source: str) -> Spreading:
    """Return how many of ``count`` devices are faster than one, by :func:`seconds_on`.

    Edges that are on several devices stay there.
    """
    if source == "devices":
        return Spreading(count, "each holds a part of the edges")
    times = {k: seconds_on(m, n, k, word, source) for k in range(1, count + 1)}
    best = min(times, key=lambda k: times[k])
    where = "on one of them" if source == "device" else "on the host"
    if best == 1 and count > 1:
        other = min(range(2, count + 1), key=lambda k: times[k])
        why = f"about {1e3 * times[1]:,.3g} ms, and {1e3 * times[other]:,.3g} on {other}"
    else:
        why = f"about {1e3 * times[best]:,.3g} ms, and {1e3 * times[1]:,.3g} on one"
    return Spreading(best, f"{why}, for edges {where}")
