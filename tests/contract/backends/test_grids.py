"""Grids: kernels whose blocks of threads wait for each other, on every engine."""

import numpy as np


def test_all_threads_of_a_grid_wait_for_each_other(on):
    """What any wrote before is seen by all after, even where they had read something else."""
    n, rounds = 300_000 if on.on_device else 50, 9
    word, there, back = on.empty(3, np.uint64), on.empty(n, np.int64), on.empty(n, np.int64)
    on.fill(word, 0xFF)
    everyone, far, one = on.grid_sync, np.uint64(104_729), np.uint64(1)

    @on.cooperative
    def pass_on(t, n, step, word, there, back):
        i, k = t, np.uint64(0)
        while i < n:
            there[i] = i
            i += step
        while k < np.uint64(rounds):
            everyone(word, 1)
            i = t
            while i < n:
                back[i] = there[(i + far) % n] + 1
                i += step
            everyone(word, 1)
            i = t
            while i < n:
                there[i] = back[(i + far) % n]
                i += step
            k += one

    pass_on(n, word, there, back)
    wanted = (np.arange(n) + 2 * rounds * int(far)) % n + rounds
    assert on.to_host(there).tolist() == wanted.tolist()
