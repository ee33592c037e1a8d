"""Some kernels of common jobs, where compiling all of them would take long and show no more."""

from functools import cache

import numpy as np

from cc_rapids.backends.dry_run import recorded_launches
from cc_rapids.tools import ahead

NAMES = "flatten", "init_singletons"


# As it was when this module was imported: tests put `few_kernels` in its place. Listing the kernels
# takes seconds, and each test that needs some gets the same objects.
kernels_of = cache(ahead.kernels_of_common_jobs)


@cache
def kernels_of_a_list(engine):
    """Return the kernels of one of the common jobs, by their keys."""
    ids, launched = np.arange(ahead.EDGES, dtype=np.int32), {}
    for recording in ahead.RECORDINGS[engine]:
        with recorded_launches(recording) as backend:
            ahead._solve(ids)
        launched |= backend.launched
    return launched


def few_kernels(engine, names=NAMES):
    """Return some of the kernels of an engine by their keys, in the place of all."""
    kernels = kernels_of_a_list(engine)
    return {key: k for key, k in kernels.items() if k.part.function.__name__ in names}
