"""Select clusters of a condensed tree; only CPU threads run this kernel."""

from typing import Any

import numpy as np

LEAVES_ONLY, MAY_SELECT_ROOT, MAX_SIZE = range(3)  # indices of ``options``
MASS, VERTICES, NUMBER = range(3)  # the three words of a cluster in ``of_children``


def select_clusters(on: Any) -> Any:
    """Select clusters of a condensed tree, in a single thread.

    Cluster 0 is the root, and parents have smaller numbers than their children. So a pass from the
    last cluster visits children before parents, and a pass from cluster 0 visits parents first.

    ``options`` are whether only leaves are selected, whether the root may be selected, and the
    maximum number of vertices of a selected cluster. ``epsilon[0]`` is the minimum distance at
    which clusters split, and ``split_distance`` is the distance at which each cluster splits from
    its parent.

    The mass of a cluster is its stability or, if greater, the sum of the masses of its children. Of
    the clusters whose stability is not less than this sum, the uppermost are selected. A selected
    cluster that splits from its parent at a distance below ``epsilon`` is replaced by ``target``,
    the nearest ancestor that splits at a distance above ``epsilon``. Without such an ancestor, the
    target is the root if it may be selected, otherwise the topmost cluster below the root.

    ``of_children`` has the sum of the masses of a cluster's children, the sum of their vertices,
    and their number. ``picks`` and ``is_selected`` are 0 initially. ``picks`` becomes 1 for a
    cluster selected by its mass, and 2 below such a cluster; ``is_selected`` becomes 1 for each
    cluster that is selected after the replacement. ``chosen`` and ``label`` become, for each
    cluster, the number and the label of the selected cluster that contains it, or -1 if there is
    none. ``death`` becomes the greatest death of the cluster and its descendants.

    Campello, Moulavi, Zimek and Sander, "Hierarchical density estimates for data clustering,
    visualization, and outlier detection", TKDD 2015. Malzer and Baum, "A hybrid approach to
    hierarchical density-based cluster selection", MFI 2020, for ``epsilon``.
    """

    @on.elementwise
    def select_clusters(
        i,  # 0: one thread selects all clusters
        options,
        epsilon,
        parent,
        size,
        split_distance,
        stability,
        of_children,
        picks,
        is_selected,
        target,
        chosen,
        label,
        death,
    ):
        # From the last cluster to the root: compare the mass of each cluster and of its children.
        clusters, left = np.int64(parent.size), np.int64(parent.size)
        while left > 0:
            left -= 1
            c = left
            at, at_parent, mass = 3 * c, 3 * parent[c], stability[c]
            # the size of the root is the sum of its children's vertices
            vertices = np.float64(size[c]) if c > 0 else of_children[at + VERTICES]
            picks[c] = c > 0 or options[MAY_SELECT_ROOT] != 0
            if options[LEAVES_ONLY] != 0:
                picks[c] = c > 0 and of_children[at + NUMBER] == 0.0
            elif of_children[at + MASS] > mass or vertices > np.float64(options[MAX_SIZE]):
                picks[c], mass = 0, of_children[at + MASS]
            if c > 0:
                of_children[at_parent + MASS] += mass
                of_children[at_parent + VERTICES] += vertices
                of_children[at_parent + NUMBER] += 1.0
                death[parent[c]] = max(death[parent[c]], death[c])
        # From the root to the last cluster: keep the uppermost picks, and replace them by targets.
        # nothing is replaced if ``epsilon`` is 0, or if the root is the only pick
        replaces = epsilon[0] != 0.0 and picks[0] == 0
        is_selected[0], c = picks[0], np.int64(1)
        while c < clusters:
            p = parent[c]
            if picks[p] != 0:
                picks[c] = 2
            target[c] = target[p]
            if p == 0:
                target[c] = 0 if options[MAY_SELECT_ROOT] != 0 else c
            elif split_distance[p] > epsilon[0]:
                target[c] = p
            if picks[c] == 1:
                replaced = replaces and split_distance[c] < epsilon[0]
                is_selected[target[c] if replaced else c] = 1
            c += 1
        # From the root again: number the selected clusters; their descendants get the same label.
        c, count = np.int64(0), np.int64(0)
        while c < clusters:
            chosen[c], label[c] = c, count
            if is_selected[c] != 0:
                count += 1
            else:
                chosen[c], label[c] = (chosen[parent[c]], label[parent[c]]) if c > 0 else (-1, -1)
            c += 1

    return select_clusters
