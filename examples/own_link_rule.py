"""A link rule of one's own, in one function: then it is a design by its name.

The rule is asynchronous union-find that looks at the parents before it climbs, so that an edge
whose ends have one parent costs two reads. It composes with every sample and every find that there
is, on every engine, because it is plain Python on arrays: ``on`` makes device functions and has the
atomic operations, ``vertex`` is the unsigned type of vertices, ``find`` climbs to a root.
"""

import numpy as np

import cc_rapids
from cc_rapids import oracle
from cc_rapids.kernels import FINDS, none_of, union_rule


@union_rule("glance", finds=FINDS, requires=("find",), paper="this example")
def glance(on, vertex, find):
    """Compare parents first, then hook the larger root under the smaller.

    Only roots are hooked, by a compare-and-swap on themselves: no hook is lost. A stale parent is
    an older ancestor in the same tree; equal ones mean one tree, whether they are stale or not.
    Each swap that fails shows a smaller parent, so that the loop ends.
    """
    cas, none = on.atomic_cas, none_of(vertex)

    @on.device
    def link(parent, aux, u, v):
        u, v = parent[u], parent[v]
        while u != v:
            u, v = find(parent, u), find(parent, v)
            if u < v:
                u, v = v, u
            if u != v:
                seen = cas(parent, u, u, v)
                if seen == u:
                    return u
                u = seen
        return none

    return link


N = 10_000
src, dst = np.random.default_rng(0).integers(0, N, (2, N), dtype=np.uint32)
for name in ("glance+halve", "strided+glance+split"):
    found = cc_rapids.components((src, dst), num_vertices=N, design=name)
    oracle.against_scipy(src, dst, N, found.labels("dense").labels)  # raises unless they are equal

names = [str(design) for design in cc_rapids.designs() if design.link == "glance"]
print(f"{len(names)} new designs, such as {', '.join(names[:4])}")
assert "kout+glance+naive" in names
