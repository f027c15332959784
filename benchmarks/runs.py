"""What the benchmarks share: runs in fresh processes, interleaved; medians; a table.

A benchmark is a script that measures one thing when it is called with `--one NAME`, and prints
what it found as a line of JSON: names and numbers, or `{"skipped": reason}`.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence

Figures = dict[str, float]


def interleaved(names: Sequence[str], arguments: Sequence[str], rounds: int) -> dict[str, Figures]:
    """The medians for each name, over rounds in which each has its turn in a fresh process.

    Taking turns makes the ratios true on a machine whose speed changes from minute to minute.
    """
    found: dict[str, list[Figures]] = {name: [] for name in names}
    skipped: set[str] = set()
    for _ in range(rounds):
        for name in names:
            if name in skipped:
                continue
            figures = _run([*arguments, "--one", name])
            if "skipped" in figures:
                skipped.add(name)
                print(f"{name} skipped: {figures['skipped']}")
            else:
                found[name].append(figures)
    return {name: _medians(runs) for name, runs in found.items() if runs}


def _run(arguments: Sequence[str]) -> Figures:
    command = [sys.executable, sys.argv[0], *arguments]
    run = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if run.returncode:
        raise SystemExit(f"failed: {' '.join(command)}")
    figures: Figures = json.loads(run.stdout.splitlines()[-1])
    return figures


def _medians(runs: Sequence[Figures]) -> Figures:
    return {key: statistics.median(run[key] for run in runs) for key in runs[0]}


def peak_megabytes() -> float:
    """The most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def table(rows: Mapping[str, Figures], columns: Sequence[str]) -> str:
    """The figures in aligned columns, a row a name."""
    cells = [["", *columns]]
    for name, figures in rows.items():
        cells.append([name, *(f"{figures[c]:.2f}" if c in figures else "–" for c in columns)])
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in cells
    )
