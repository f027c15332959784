"""Helpers of the benchmarks: runs in fresh processes, in turns; medians or minima; a table.

A run prints what it found as its last line, in JSON: names and numbers, or `{"skipped": reason}`.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import perf_counter

from processes import PeakMemory

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from engine.native import KERNEL, WHY_NO_KERNEL

Figures = dict[str, float]


def taking_turns(
    commands: Mapping[str, Sequence[str]],
    rounds: int,
    choose: Callable[[list[float]], float] = statistics.median,
) -> dict[str, Figures]:
    """Run each command once a round, in a fresh process; return the chosen figures of each name.

    Taking turns makes the ratios true on a machine whose speed changes from minute to minute.
    `commands` are the arguments for Python. To what a run tells are added `whole s`, its time from
    start to end; `peak MB`, the memory of all its processes; `peak MB, one`, that of the largest.
    """
    found: dict[str, list[Figures]] = {name: [] for name in commands}
    skipped: set[str] = set()
    for _ in range(rounds):
        for name, command in commands.items():
            if name in skipped:
                continue
            figures = _run(command)
            if "skipped" in figures:
                skipped.add(name)
                print(f"{name} skipped: {figures['skipped']}")
            else:
                found[name].append(figures)
    return {
        name: {key: choose([run[key] for run in runs]) for key in runs[0]}
        for name, runs in found.items()
        if runs
    }


def _run(arguments: Sequence[str]) -> Figures:
    command = [sys.executable, *arguments]
    began = perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        memory = PeakMemory(run.pid)
        said, _ = run.communicate()
        seconds = perf_counter() - began
        memory.stop()
    if run.returncode:
        raise SystemExit(f"failed: {' '.join(command)}")
    figures: Figures = json.loads(said.splitlines()[-1])
    return {
        **figures,
        "whole s": seconds,
        "peak MB": memory.together / 1e6,
        "peak MB, one": memory.alone / 1e6,
    }


def table(rows: Mapping[str, Figures], columns: Sequence[str]) -> str:
    """Return the figures in aligned columns, a row for each name, and a note without the kernel."""
    cells = [["", *columns]]
    for name, figures in rows.items():
        cells.append([name, *(f"{figures[c]:.2f}" if c in figures else "–" for c in columns)])
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in cells
    ]
    if KERNEL is None:
        lines.append(f"bpe-tui was measured without its compiled kernel: {WHY_NO_KERNEL}")
    return "\n".join(lines)
