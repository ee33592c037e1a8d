"""Print the price of a run, given the hourly prices of machines; see Hong et al. 2020, 4.6.

    python benchmarks/prices.py --price "NVIDIA H200=PER_HOUR"

Times are those of ``papers.py --experiments machines``. The prices of the paper are in US dollars
of 2020: 3.06 for a V100, and 6.669 for 72 cores.
"""

import argparse
import pathlib

import harness
from pages import number, table
from paper_pages import fastest


def main():
    """Print the price of each graph on each machine."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=pathlib.Path, default=harness.HERE)
    parser.add_argument(
        "--price", action="append", type=device_and_price, required=True, metavar="DEVICE=PER_HOUR"
    )
    args = parser.parse_args()
    best, prices = fastest(args.records), dict(args.price)
    devices = {device for device, _ in best}
    if unknown := set(prices) - devices:
        parser.error(f"no record is of {unknown}, but of {devices}")
    print(priced(best, prices))


def device_and_price(text):
    """Return the device and the price per hour of an argument."""
    device, _, price = text.rpartition("=")
    return device, float(price)


def priced(best, prices):
    """Return the price of a million runs on each graph and device as a table."""
    lines = [
        [graph, device, number(row["ms"]["median"]), number(1e6 * price(row, prices[device]))]
        for (device, graph), row in best.items()
        if device in prices
    ]
    return table(["graph", "device", "ms", "price of a million runs"], sorted(lines), 2)


def price(row, per_hour):
    """Return the price of the median run of a record."""
    return per_hour * row["ms"]["median"] / 3.6e6


if __name__ == "__main__":
    main()
