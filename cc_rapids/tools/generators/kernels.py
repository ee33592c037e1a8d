"""Kernels that write random edges; each edge is a function of a key and of its index only.

Every engine makes the same edges, in any order, and needs only the memory of its output. All
numbers are uint64. No product overflows: either both factors have 32 bits, or a comment says why
the product is below 2^64. On overflow, NumPy scalars would warn, while LLVM and CUDA wrap around.

Each function takes a backend, ``on``, and returns a kernel or device function for it, which its
docstring describes. Kernels write edges starting at edge ``first``: i = 0 writes edge ``first``.
"""

from typing import Any

import numpy as np

ZERO, ONE, TWO, THREE = (np.uint64(k) for k in range(4))
HALF, WORD = np.uint64(32), np.uint64(0xFFFFFFFF)  # the shift and the mask for half of 64 bits

SHARE_BITS = 16  # the bits of a 64-bit random number that one level of R-MAT uses
LEVELS = 64 // SHARE_BITS
SHARE, SHARE_MASK = np.uint64(SHARE_BITS), np.uint64((1 << SHARE_BITS) - 1)

QUANTILE_BITS = 16  # random bits that choose the interval between two quantiles of keys
QUANTILE = np.uint64(64 - QUANTILE_BITS)

# The multiplier and key step of Philox; two odd multipliers for the rounds of a permutation
MULTIPLIER, STEP = np.uint64(0xD256D193), np.uint64(0x9E3779B9)
MIX_1, MIX_2 = np.uint64(0x7FEB352D), np.uint64(0x846CA68B)


def philox(on: Any) -> Any:
    """Return 64 random bits for a 32-bit key and a counter of two words.

    This is Philox-2x32-10 of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
    """

    @on.device
    def philox(key, x, y):
        for _ in range(10):
            product = x * MULTIPLIER
            x, y = (product >> HALF) ^ key ^ y, product & WORD
            key = (key + STEP) & WORD
        return x << HALF | y

    return philox


def draw(on: Any) -> Any:
    """Return 64 random bits for a pair of numbers, ``i`` < 2^56 and ``part`` < 256."""
    bits = philox(on)

    @on.device
    def draw(key, i, part):
        return bits(np.uint64(key), i & WORD, (i >> HALF) << np.uint64(8) | part)

    return draw


def permute(on: Any) -> Any:
    """Return a random permutation of 0 .. n - 1, where ``bits`` is the length of n - 1.

    This is a Feistel network on the two halves of the bits; if their number is odd, one half is
    longer. Each step xors one half with the function ``scramble`` of the other half. A step can be
    inverted whatever the function is. Four steps suffice for a perfect function (Luby and Rackoff,
    1988); this network has six. If n is not a power of two, values of n or more are permuted again.
    This follows a cycle of the larger permutation, so it returns to a value below n, and distinct
    inputs have distinct results.

    ``scramble`` returns the upper bits of a product, which depend on all bits of the factors. A
    mask then reduces them to the length of a half.
    """

    @on.device
    def scramble(key, x):
        x = (x ^ key) * MIX_1
        x = ((x >> HALF) ^ x) & WORD
        return x * MIX_2 >> np.uint64(24)

    @on.device
    def permute(key, n, bits, x):
        low_bits = np.uint64(bits) >> ONE
        low_mask, high_mask = (ONE << low_bits) - ONE, (ONE << (np.uint64(bits) - low_bits)) - ONE
        while True:
            high, low, step_key = x >> low_bits, x & low_mask, np.uint64(key)
            for _ in range(3):
                high = (high ^ scramble(step_key, low)) & high_mask
                step_key = (step_key + STEP) & WORD
                low = (low ^ scramble(step_key, high)) & low_mask
                step_key = (step_key + STEP) & WORD
            x = high << low_bits | low
            if x < np.uint64(n):
                return x

    return permute


def rmat(on: Any) -> Any:
    """Write R-MAT edges, which choose one quadrant of the matrix at each level.

    a, ab, abc are the cumulative probabilities of the quadrants in units of 2^-SHARE_BITS. The
    quadrant, 0 to 3, is the number of these probabilities that a random ``share`` reaches. Its
    upper bit is appended to u, and its lower bit to v. Each of ``draws`` random numbers serves
    LEVELS levels. If there are more levels than the graph has, the bits of the first ones are
    discarded. Source: Chakrabarti, Zhan and Faloutsos, "R-MAT: a recursive model for graph mining",
    SDM 2004.
    """
    bits = draw(on)

    @on.elementwise
    def rmat(i, first, key, n, draws, a, ab, abc, src, dst):
        u, v, part = ZERO, ZERO, ZERO
        while part < np.uint64(draws):
            rest = bits(key, i + np.uint64(first), part)
            for _ in range(LEVELS):
                share = rest & SHARE_MASK
                upper = np.uint64(share >= np.uint64(ab))  # the quadrant is 2 or 3
                # The lower bit is the parity of the number of probabilities that are reached
                others = np.uint64(share >= np.uint64(a)) + np.uint64(share >= np.uint64(abc))
                u, v = u << ONE | upper, v << ONE | (others + upper) & ONE
                rest >>= SHARE
            part += ONE
        src[i], dst[i] = u & (np.uint64(n) - ONE), v & (np.uint64(n) - ONE)

    return rmat


def below(on: Any) -> Any:
    """Return a nearly uniform number below n <= 2^32 from 64 random bits."""

    @on.device
    def below(n, x):
        # floor(x n / 2^64), by the halves of x; the sum is at most (2^32 - 1) n + (n - 1) < 2^64
        return ((x >> HALF) * n + ((x & WORD) * n >> HALF)) >> HALF

    return below


def uniform(on: Any) -> Any:
    """Write two random ends of each edge, which may be equal, among n <= 2^32 vertices."""
    bits, number = draw(on), below(on)

    @on.elementwise
    def uniform(i, first, key, n, src, dst):
        e = i + np.uint64(first)
        src[i] = number(np.uint64(n), bits(key, e, ZERO))
        dst[i] = number(np.uint64(n), bits(key, e, ONE))

    return uniform


def barabasi_albert(on: Any) -> Any:
    """Write the edges of a graph that grows by preferential attachment.

    The ends of all edges form one list, in which edge e has the places 2 e and 2 e + 1. Place 2 e
    holds the new vertex to which edge e belongs. Place 2 e + 1 holds a copy of a random place among
    0 .. 2 e, so a vertex is chosen in proportion to its degree. The list is not stored. If the
    copied place is odd, it holds a copy, too, and the place that it copies is computed from its
    random bits. The places decrease by half on average, so the loop is short. Source: Batagelj and
    Brandes, "Efficient generation of large random networks", Physical Review E 71, 2005; in
    parallel: Sanders and Schulz, "Scalable generation of scale-free graphs", 2016.
    """
    bits = draw(on)

    @on.elementwise
    def barabasi_albert(i, first, key, each, src, dst):
        e = i + np.uint64(first)
        src[i], place = e // np.uint64(each), TWO * e + ONE
        while place & ONE:
            place = bits(key, place >> ONE, ZERO) % place
        dst[i] = (place >> ONE) // np.uint64(each)

    return barabasi_albert


def keep_grid(on: Any) -> Any:
    """Choose at random whether the edges of vertex v = first + i are kept: right and downwards.

    The edge to the right sets kept[2 i], and the edge downwards kept[2 i + 1], each if it exists
    and with the probability ``share`` in units of 2^-32. The halves of one random number decide.
    """
    bits = draw(on)

    @on.elementwise
    def keep_grid(i, first, key, n, columns, share, kept):
        v = i + np.uint64(first)
        x = bits(key, v, ZERO)
        has_right = v % np.uint64(columns) + ONE < np.uint64(columns)
        has_down = v + np.uint64(columns) < np.uint64(n)
        kept[TWO * i] = has_right and x >> HALF < np.uint64(share)
        kept[TWO * i + ONE] = has_down and x & WORD < np.uint64(share)

    return keep_grid


def grid(on: Any) -> Any:
    """Write grid edges: place 2 v is the edge of vertex v to the right, 2 v + 1 downwards."""

    @on.elementwise
    def grid(i, columns, places, src, dst):
        place = np.uint64(places[i])
        src[i] = place >> ONE
        dst[i] = (place >> ONE) + (np.uint64(columns) if place & ONE else ONE)

    return grid


def torus(on: Any) -> Any:
    """Write edge 2 v from v to the right and edge 2 v + 1 downwards, wrapping around the sides."""

    @on.elementwise
    def torus(i, first, n, columns, src, dst):
        e, width = i + np.uint64(first), np.uint64(columns)
        v = e >> ONE
        row = v - v % width
        src[i] = v
        dst[i] = (v + width) % np.uint64(n) if e & ONE else row + (v - row + ONE) % width

    return torus


def arithmetic_sequence(on: Any) -> Any:
    """Write the numbers first, first + step, first + 2 step, ..."""

    @on.elementwise
    def arithmetic_sequence(i, first, step, out):
        out[i] = np.uint64(first) + i * np.uint64(step)

    return arithmetic_sequence


def cliques(on: Any) -> Any:
    """Write the edges of disjoint cliques; clique c starts at vertices[c] and at edge edges[c].

    Vertex k of a clique is joined to the next vertices around a circle, up to half of the circle.
    Each pair is then an edge once, and no square root of the edge number is needed.
    """

    @on.elementwise
    def cliques(i, first, count, vertices, edges, src, dst):
        e, c, end = i + np.uint64(first), ZERO, np.uint64(count)
        while end - c > ONE:  # the last clique with edges[c] <= e is in c .. end - 1
            middle = (c + end) >> ONE
            if edges[middle] <= e:
                c = middle
            else:
                end = middle
        start, size = vertices[c], vertices[c + ONE] - vertices[c]
        k = (e - edges[c]) % size
        hop = (e - edges[c]) // size + ONE  # from vertex k around the circle
        src[i], dst[i] = start + k, start + (k + hop) % size

    return cliques


def cluster_sizes(on: Any) -> Any:
    """Draw cluster sizes, each 2 plus the first j for which 32 random bits are below shares[j]."""
    bits = draw(on)

    @on.elementwise
    def cluster_sizes(i, first, key, count, shares, out):
        # Random bits of part 3, as cluster_pairs() uses the parts 0 to 2 with the same key
        x = bits(key, i + np.uint64(first), THREE) >> HALF
        low, high = ZERO, np.uint64(count)
        while low < high:  # the first share above x, if any, is in low .. high
            middle = (low + high) >> ONE
            if x < shares[middle]:
                high = middle
            else:
                low = middle + ONE
        out[i] = TWO + low

    return cluster_sizes


def cluster_pairs(on: Any) -> Any:
    """Write pairs of documents of one cluster.

    ``starts`` has the first document of each of the ``count`` clusters, followed by the number of
    documents. Each band has the same ``distinct`` pairs in its own random order; ``length`` is the
    length of distinct - 1 in bits. The first pairs connect the clusters: each document that is not
    the first of its cluster is paired with an earlier document of the cluster. Each remaining pair
    consists of a random document and another document of its cluster, or of the same document twice
    if the cluster has only one.

    Pair p consists of the documents ``start + k`` and ``start + other`` of cluster c. The first
    document is found by its number ``d``. If ``connects`` is 1, only documents that are not the
    first of their cluster are numbered, so cluster c begins at number starts[c] - c. Otherwise,
    ``connects`` is 0 and d is the document.
    """
    bits, permuted, random_below = draw(on), permute(on), below(on)

    @on.elementwise
    def cluster_pairs(i, first, key, distinct, length, count, starts, src, dst):
        e, clusters = i + np.uint64(first), np.uint64(count)
        band = e // np.uint64(distinct)
        band_key = bits(key, band, TWO) & WORD
        p = permuted(band_key, distinct, length, e % np.uint64(distinct))
        n = starts[clusters]
        d, connects = p, ONE
        if p >= n - clusters:
            d, connects = random_below(n, bits(key, p, ZERO)), ZERO
        c, end = ZERO, clusters
        while end - c > ONE:  # the last cluster that begins at d or before is in c .. end - 1
            middle = (c + end) >> ONE
            if starts[middle] - connects * middle <= d:
                c = middle
            else:
                end = middle
        start, size = starts[c], starts[c + ONE] - starts[c]
        k = d + connects * (c + ONE) - start
        x = bits(key, p, ONE)
        other = random_below(k, x) if connects else (k + ONE + random_below(size - ONE, x)) % size
        src[i], dst[i] = start + k, start + other

    return cluster_pairs


def record_keys(on: Any) -> Any:
    """Write ``each`` edges from every record to keys, which are the vertices after the records.

    A key is drawn in two steps: one of the 2^QUANTILE_BITS intervals between quantiles, and then
    a uniform key in this interval.
    """
    bits = draw(on)

    @on.elementwise
    def record_keys(i, first, key, records, each, quantiles, src, dst):
        e = i + np.uint64(first)
        x = bits(key, e, ZERO)
        interval = x >> QUANTILE
        low = quantiles[interval]
        within = (quantiles[interval + ONE] - low) * (x & WORD) >> HALF
        src[i], dst[i] = e // np.uint64(each), np.uint64(records) + low + within

    return record_keys


def relabel(on: Any) -> Any:
    """Relabel the vertices of a column by a random permutation; ``out`` may be the column."""
    permuted = permute(on)

    @on.elementwise
    def relabel(i, key, n, bits, column, out):
        out[i] = permuted(key, n, bits, np.uint64(column[i]))

    return relabel


def repeat(on: Any) -> Any:
    """Write each of m edges ``total / m`` times, in random order and directions."""
    permuted, random_bits = permute(on), draw(on)

    @on.elementwise
    def repeat(i, first, order_key, direction_key, total, bits, m, src, dst, out_src, out_dst):
        copy = i + np.uint64(first)
        e = permuted(order_key, total, bits, copy) % np.uint64(m)
        u, v = src[e], dst[e]
        if random_bits(direction_key, copy, ZERO) & ONE:
            u, v = v, u
        out_src[i], out_dst[i] = u, v

    return repeat
