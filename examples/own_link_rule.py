"""Register your own link rule: write one function, and use its name in design names.

The rule is asynchronous union-find, but it compares the parents of both ends before it climbs. An
edge whose ends have the same parent therefore costs two reads. The rule works with every sample,
every find and every engine, because it is plain Python on arrays. ``on`` makes device functions and
provides the atomic operations, ``vertex`` is the unsigned type of vertices, and ``find`` climbs to
a root.
"""

import numpy as np

import cc_rapids
from cc_rapids import oracle
from cc_rapids.kernels import FINDS, none_of, union_rule


@union_rule("glance", finds=FINDS, requires=("find",), paper="this example")
def glance(on, vertex, find):
    """Compare parents first, then hook the larger root under the smaller.

    Only roots are hooked, by a compare-and-swap on themselves, so no hook is lost. A stale parent
    is an older ancestor in the same tree; equal parents mean the same tree, stale or not. Each
    failed swap returns a smaller parent, so the loop ends.
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
                current = cas(parent, u, u, v)
                if current == u:
                    return u
                u = current
        return none

    return link


N = 10_000
src, dst = np.random.default_rng(0).integers(0, N, (2, N), dtype=np.uint32)
for name in ("glance+halve", "strided+glance+split"):
    found = cc_rapids.components((src, dst), num_vertices=N, design=name)
    oracle.against_scipy(src, dst, N, found.labels("dense").labels)  # raises if they differ

names = [str(design) for design in cc_rapids.designs() if design.link == "glance"]
print(f"{len(names)} new designs, such as {', '.join(names[:4])}")
assert "kout+glance+naive" in names
