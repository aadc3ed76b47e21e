# SPDX-License-Identifier: Apache-2.0
"""Run the benchmarks named on the command line, or all: `python -m bench [probe] [scale]`."""

import sys
from importlib import import_module

BENCHMARKS = ["probe", "scale"]


def main() -> None:
    for name in sys.argv[1:] or BENCHMARKS:
        print(f"== {name}", flush=True)
        import_module(f"bench.{name}").main()


main()
