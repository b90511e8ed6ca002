#!/usr/bin/env python3
"""One table from the JSON files of Google Benchmark. Usage: summary.py FILE.json..."""

import json
import os
import sys

UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
KNOWN = {"name", "run_name", "run_type", "repetitions", "repetition_index", "threads", "iterations", "real_time",
         "cpu_time", "time_unit", "family_index", "per_family_instance_index", "bytes_per_second", "items_per_second"}


def short(value, unit):
    for factor, prefix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= factor:
            return f"{value / factor:.4g} {prefix}{unit}".rstrip()
    return f"{value:.4g} {unit}".rstrip()


def seconds(value):
    for factor, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if value >= factor:
            return f"{value / factor:.4g} {unit}"
    return f"{value * 1e9:.4g} ns"


def rows(path):
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    program = os.path.basename(path).removesuffix(".json")
    for entry in report["benchmarks"]:
        counters = [f"{key}={short(value, '')}" for key, value in entry.items()
                    if key not in KNOWN and isinstance(value, (int, float))]
        rate = short(entry["bytes_per_second"], "B/s") if "bytes_per_second" in entry else \
            short(entry["items_per_second"], "/s") if "items_per_second" in entry else ""
        yield program, entry["name"], seconds(entry["cpu_time"] * UNITS[entry["time_unit"]]), rate, " ".join(counters)


def main():
    table = [("program", "benchmark", "CPU time", "rate", "counters")]
    for path in sys.argv[1:]:
        table.extend(rows(path))
    widths = [max(len(row[i]) for row in table) for i in range(4)]
    for row in table:
        print("  ".join([row[0].ljust(widths[0]), row[1].ljust(widths[1]), row[2].rjust(widths[2]),
                         row[3].rjust(widths[3]), row[4]]).rstrip())


if __name__ == "__main__":
    main()
