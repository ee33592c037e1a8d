"""Matrix Market files as SciPy reads them, whichever kind of array its release returns."""

import inspect

import scipy.io


def read_by_scipy(path):
    """The entries of a file, in coordinates; SciPy 1.18 warns where none of its kinds is named."""
    named = "spmatrix" in inspect.signature(scipy.io.mmread).parameters
    return scipy.io.mmread(path, **({"spmatrix": False} if named else {})).tocoo()
