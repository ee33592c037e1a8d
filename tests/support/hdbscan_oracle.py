"""HDBSCAN one point at a time: Kruskal or Prim, recursion down the merge tree, and sums over dicts.

With Kruskal, merges of equal height are ordered by their depth in the forest rooted at its least
points, and then by their entries. With Prim, ``argsort`` orders the merges. Clusters are numbered
by levels of the merge tree, from left to right.
"""

import math
from collections import deque

import numpy as np


def entries_of(indices, distances):
    """The entries (point, neighbour, distance, number) that are neighbours."""
    entries = []
    for i, (row, far) in enumerate(zip(indices.tolist(), distances.tolist(), strict=True)):
        for j, (other, distance) in enumerate(zip(row, far, strict=True)):
            if other not in (-1, i) and math.isfinite(distance):
                entries.append((i, other, distance, i * indices.shape[1] + j))
    return entries


def forest_of(n, entries, min_samples, alpha=1.0):
    """The edges (height, depth, entry, parent, child) of the forest in order, and its roots."""
    near = [[] for _ in range(n)]
    for i, _, distance, _ in entries:
        near[i].append(distance)
    core = [([0.0, *sorted(row)] + [math.inf] * min_samples)[min_samples - 1] for row in near]
    weighed = sorted((max(core[i], core[j], d / alpha), e, i, j) for i, j, d, e in entries)
    label, links = list(range(n)), [[] for _ in range(n)]
    for weight, e, i, j in weighed:
        if weight < math.inf and label[i] != label[j]:
            old = label[j]
            label = [label[i] if one == old else one for one in label]
            links[i].append((j, weight, e))
            links[j].append((i, weight, e))
    edges, roots, depth = [], [], [None] * n
    for v in range(n):
        if depth[v] is None:
            roots.append(v)
            depth[v], queue = 0, deque([v])
            while queue:
                u = queue.popleft()
                for child, weight, e in links[u]:
                    if depth[child] is None:
                        depth[child] = depth[u] + 1
                        edges.append((weight, depth[child], e, u, child))
                        queue.append(child)
    return sorted(edges), roots


def forest_of_matrix(matrix, min_samples, argsort=np.argsort):
    """The edges of the forest of all points in order, and its roots, by Prim's algorithm.

    As in scikit-learn, the parent of a point is the point that was added before it.
    """
    n, far = len(matrix), matrix.tolist()
    core = [sorted([*row[:i], *row[i + 1 :], 0.0])[min_samples - 1] for i, row in enumerate(far)]
    nearest, edges, roots, current = dict.fromkeys(range(1, n), math.inf), [], [0], 0
    while nearest:
        for v in nearest:
            nearest[v] = min(nearest[v], max(far[current][v], core[current], core[v]))
        height = min(nearest.values())
        child = next(v for v in nearest if nearest[v] == height)
        del nearest[child]
        if height < math.inf:
            edges.append((height, 0, 0, current, child))
        else:
            roots.append(child)
        current = child
    return [edges[k] for k in argsort(np.array([height for height, *_ in edges]))], roots


def merge_tree(edges, roots):
    """Nested pairs (points, height, left, right) for each tree; a point has no height."""
    top = {}
    for root in roots:
        top[root] = ([root], None, None, None)
    for *_, child in edges:
        top[child] = ([child], None, None, None)
    for height, _, _, parent, child in edges:
        left, right = top[parent], top[child]
        node = (left[0] + right[0], height, left, right)
        for v in node[0]:
            top[v] = node
    return [top[root] for root in roots]


def condensed(trees, n, least):
    """The rows (parent, child, density, size), with the root n and the other clusters above it."""
    rows, count = [], n + 1
    large = [tree for tree in trees if len(tree[0]) >= least or len(trees) == 1]
    queue = deque([(large[0], n)] if len(large) == 1 else [])
    for tree in trees:
        if len(large) != 1 and tree in large:
            rows.append((n, count, 0.0, len(tree[0])))
            queue.append((tree, count))
            count += 1
        elif tree not in large:
            rows += [(n, v, 0.0, 1) for v in tree[0]]
    while queue:
        (_, height, left, right), cluster = queue.popleft()
        if height is None:
            continue
        density = 1 / height if height > 0 else math.inf
        large = [side for side in (left, right) if len(side[0]) >= least]
        for side in (left, right):
            if side not in large:
                rows += [(cluster, v, density, 1) for v in side[0]]
            elif len(large) == 2:
                rows.append((cluster, count, density, len(side[0])))
                queue.append((side, count))
                count += 1
            else:
                queue.append((side, cluster))
    return rows


def selected(rows, n, method="eom", single=False, epsilon=0.0, most=None):
    """The selected clusters, as scikit-learn's documentation and code define them."""
    parent = {child: above for above, child, _, _ in rows if child >= n}
    birth = {n: 0.0} | {child: density for _, child, density, _ in rows if child >= n}
    size = {child: count for _, child, _, count in rows if child >= n}
    children = {c: [child for child in parent if parent[child] == c] for c in birth}
    size[n] = sum(size[child] for child in children[n])
    with np.errstate(invalid="ignore"):
        stability = {
            c: float(np.sum([(d - np.float64(birth[c])) * k for a, _, d, k in rows if a == c]))
            for c in birth
        }
    if method == "leaf":
        picks = {c for c in birth if not children[c] and c != n}
    else:
        picks = set()
        for c in sorted(birth, reverse=True)[: None if single else -1]:
            below = sum(stability[child] for child in children[c])
            if below > stability[c] or (most is not None and size[c] > most):
                stability[c] = below
            else:
                inside = {c}
                for child in sorted(birth):
                    if parent.get(child) in inside:
                        inside.add(child)
                picks = picks - inside | {c}
    if epsilon and picks != {n}:
        distance = {c: 1 / d if d else math.inf for c, d in birth.items()}
        moved = set()
        for c in picks:
            if distance[c] < epsilon:
                while parent[c] != n and distance[parent[c]] <= epsilon:
                    c = parent[c]
                c = parent[c] if parent[c] != n or single else c
            moved.add(c)
        picks = moved
    return picks, parent


def clusters(rows, n, picks, parent, single=False, epsilon=0.0):
    """The labels, probabilities and outlier scores of all points."""
    number = {c: k for k, c in enumerate(sorted(picks))}
    death, deepest = {}, {}
    for above, _, density, _ in rows:
        death[above] = max(death.get(above, 0.0), density)
    for c in death:
        deepest[c] = death[c]
    for c in sorted(death, reverse=True)[:-1]:
        deepest[parent[c]] = max(deepest[parent[c]], deepest[c])
    labels, probabilities, scores = np.full(n, -1), np.zeros(n), np.zeros(n)
    for above, v, density, _ in rows:
        if v >= n:
            continue
        c = above
        while c not in picks and c != n:
            c = parent[c]
        limit = 1 / epsilon if epsilon else death[n]
        if c in picks and (c != n or (single and len(picks) == 1 and density >= limit)):
            labels[v] = number[c]
            whole = death[c] == 0 or density == math.inf
            probabilities[v] = 1.0 if whole else min(density, death[c]) / death[c]
        if deepest[above] and density < math.inf:
            scores[v] = 1 - density / deepest[above]
    return labels, probabilities, scores


def hdbscan(indices, distances, least, min_samples, alpha=1.0, **selection):
    """The rows of the condensed tree, and labels, probabilities and outlier scores."""
    forest = forest_of(len(indices), entries_of(indices, distances), min_samples, alpha)
    return answers(forest, len(indices), least, **selection)


def hdbscan_of_matrix(matrix, least, min_samples, **selection):
    """The same for all distances."""
    return answers(forest_of_matrix(matrix, min_samples), len(matrix), least, **selection)


def answers(forest, n, least, **selection):
    """The rows of the condensed tree of a forest, and the answers for all points."""
    rows = condensed(merge_tree(*forest), n, least)
    picks, parent = selected(rows, n, **selection)
    options = {name: selection[name] for name in ("single", "epsilon") if name in selection}
    return rows, *clusters(rows, n, picks, parent, **options)
