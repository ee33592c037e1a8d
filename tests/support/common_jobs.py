"""Some kernels of common jobs, where compiling all of them would take long and show no more."""

from functools import cache

from cc_rapids.tools import ahead

NAMES = "flatten", "init_singletons"


# As it was when this module was imported: tests put `few_kernels` in its place. Listing the kernels
# takes seconds, and each test that needs some gets the same objects.
kernels_of = cache(ahead.kernels_of_common_jobs)


def few_kernels(engine):
    """Return some of the kernels of an engine by their keys, in the place of all."""
    kernels = kernels_of(engine)
    return {key: k for key, k in kernels.items() if k.part.function.__name__ in NAMES}
