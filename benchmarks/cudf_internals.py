"""The time that the private parts of cuDF save: each function of cudf_internals.py both ways.

For small lists, of which the cost of a call is all: microseconds of every function by cuDF's
private parts and by its public interface, and of the whole job, frame to label frame. A public twin
that costs less than 30 us more should be the default.
"""

import time

import cudf
import cupy
import numpy as np
import records

import cc_rapids
from cc_rapids import backends
from cc_rapids.data import cudf_internals

ENOUGH = 30.0  # microseconds


def main():
    """Measure everything and keep the records."""
    args = records.arguments(__doc__)
    args.add_argument("--calls", type=int, default=2000, help="of each function, in a row")
    args = args.parse_args()
    base = records.environment(backends.get("cuda").device_name, args.commit)
    for rows in (6, 10_000):
        for name, call in calls(rows).items():
            times = {}
            for private in (True, False):
                cudf_internals.PRIVATE = private
                times["private" if private else "public"] = microseconds(call, args)
            more = times["public"]["median"] - times["private"]["median"]
            record = {"call": name, "rows": rows} | times | {"more": more, "cheap": more < ENOUGH}
            records.keep(args.out, "cudf_internals", base | record)
    cudf_internals.PRIVATE = True


def calls(rows):
    """Return what is measured, of lists of so many edges: functions by name."""
    ids = np.random.default_rng(0).integers(0, 2 * rows, (2, rows))
    numbers = cudf.DataFrame({"src": ids[0], "dst": ids[1]})
    words = numbers.astype(str)
    columns = {"vertex": cupy.arange(rows), "labels": cupy.arange(rows)}
    own = cudf_internals

    def lend():
        handle = own.handles_in(numbers)["src"]
        with own.Lent(handle, handle.dtype, handle.size):
            pass

    def lend_strings():
        with own.lend_strings(words["src"]):
            pass

    return {
        "handle_in": lambda: own.handles_in(numbers)["src"],
        "handle_of": lambda: own.handle_of(words["src"]),
        "nulls_in": lambda: own.nulls_in(own.handles_in(numbers)["src"]),
        "lend": lend,
        "lend_strings": lend_strings,
        "make_frame": lambda: own.make_frame(cudf.DataFrame, columns),
        "components of numbers": lambda: cc_rapids.components(numbers).labels(),
        "components of strings": lambda: cc_rapids.components(words).labels(),
    }


def microseconds(call, args):
    """Return the spread of the time of a call, the mean of many in a row each time."""
    device = cupy.cuda.Device()
    for _ in range(5):
        call()
    times = []
    for _ in range(args.runs):
        device.synchronize()
        started = time.perf_counter()
        for _ in range(args.calls):
            call()
        device.synchronize()
        times.append((time.perf_counter() - started) / args.calls * 1e6)
    return records.spread(times)


if __name__ == "__main__":
    main()
