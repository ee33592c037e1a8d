"""Some kernels of common jobs, where compiling all of them would take long and show no more."""

from cc_rapids.tools import ahead

NAMES = "flatten", "init_singletons"


def few_kernels(engine, all_kernels=ahead.kernels_of_common_jobs):
    """Return some of the kernels of an engine by their keys, in the place of all.

    ``all_kernels`` is the function whose place it takes, as it was when this module was imported.
    """
    kernels = all_kernels(engine)
    return {key: k for key, k in kernels.items() if k.part.function.__name__ in NAMES}
