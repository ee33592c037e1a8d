"""A small GPU of NumPy arrays, whose threads switch at each access to memory that they share."""

from cc_rapids.backends import cuda

open_gpu = cuda.open_backend  # a real one


def install():
    """Open the simulator as the engine ``cuda`` of this process."""
    from .simulator import Simulator

    cuda.open_backend = Simulator
