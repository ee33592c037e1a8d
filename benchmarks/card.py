"""The limits of a card: the rate of copies, and that of random reads of tables of many sizes.

``cc_rapids.plots.CARDS``, whose limits figures draw, holds the rates of the newest record of each
card, rounded to two digits. Each thread reads 4 bytes at places that it computes, and has eight
reads under way. The kernel is CUDA C, so it measures the card without any code of this package.
"""

from functools import partial

import harness
import numpy as np

from cc_rapids.tools.bench import spread, timed

TABLES = 1 << 18, 1 << 20, 1 << 24, 1 << 25, 1 << 26, 1 << 27, 1 << 30
COPIED = 1 << 31
THREADS, BLOCKS, ROUNDS, TOGETHER = 256, 1 << 14, 16, 8
READ = """
extern "C" __global__ void read(const unsigned* table, unsigned mask, unsigned* found) {
    unsigned x = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 1, sum = 0;
    for (int k = 0; k < ROUNDS; ++k) {
        #pragma unroll
        for (int i = 0; i < TOGETHER; ++i) {
            x = x * 1664525u + 1013904223u;
            unsigned place = x ^ (x >> 15);
            sum += table[(place * 739981u >> 3) & mask];
        }
    }
    if (sum == 1) *found = sum;
}
"""
OPTIONS = f"-DROUNDS={ROUNDS}", f"-DTOGETHER={TOGETHER}"


def main():
    """Measure, and keep the record."""
    import cupy

    args = harness.arguments(__doc__, "cuda").parse_args()
    backend, base = harness.begin(args)

    def device_ms(work):
        return spread(timed(backend, lambda _: work(), [None], args.runs).device)

    given, taken = (cupy.zeros(COPIED // 4, np.uint32) for _ in range(2))
    spent = device_ms(lambda: cupy.copyto(taken, given))
    found = {"copy": 2e3 * COPIED / spent["median"], "copy_ms": spent, "reads": []}
    read, word = cupy.RawKernel(READ, "read", OPTIONS), cupy.zeros(1, np.uint32)
    many = BLOCKS * THREADS * ROUNDS * TOGETHER
    for size in TABLES:
        given[:] = 0  # so that only its reads bring a table into a cache
        launch = (BLOCKS,), (THREADS,), (given, np.uint32(size // 4 - 1), word)
        spent = device_ms(partial(read, *launch))
        found["reads"].append({"table": size, "rate": 1e3 * many / spent["median"], "ms": spent})
    harness.keep(args.out, "card", base | found)


if __name__ == "__main__":
    main()
