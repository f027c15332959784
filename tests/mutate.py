"""Change the code at random places, and list the changes that no quick test notices.

    python tests/mutate.py [CHANGES [SEED …]]

Each change turns a comparison, swaps `and` and `or` or `+` and `-`, takes a `not` away, adds one
to a number, or drops a call. Each package gets that number of changes, for each seed. All quick
tests run once in a copy of the checkout, to find the functions that each calls. Then a change meets
the tests that call its function, the likeliest first. A survivor may change nothing that is seen.
"""

from __future__ import annotations

import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from itertools import accumulate, product
from pathlib import Path
from typing import Any, NamedTuple

from called_functions import CallsOfTests

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("engine", "bpe_tui")
MOST_TESTS, MOST_SECONDS = 150, 300
"""Number of tests that a change meets, and their processor time if they run for ever."""
PAIRS = [
    (ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.Is, ast.IsNot),
    (ast.In, ast.NotIn), (ast.And, ast.Or), (ast.Add, ast.Sub), (ast.Mult, ast.FloorDiv),
]  # fmt: skip
OTHER: dict[type[Any], type[Any]] = {a: b for pair in PAIRS for a, b in (pair, pair[::-1])}
"""Operator → the one that replaces it."""


class Change(NamedTuple):
    """A change in a function: the bytes of a file from `start` to `end` become `new`."""

    path: str
    line: int
    function: int
    start: int
    end: int
    new: str


def changed(node: ast.AST) -> ast.AST | None:
    """Return what a node becomes; None if it is not to be changed."""
    match node:
        case ast.Compare(left=left, ops=[op], comparators=others):
            return ast.Compare(left, [OTHER[type(op)]()], others)
        case ast.BoolOp(op=op, values=values):
            return ast.BoolOp(OTHER[type(op)](), values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return operand
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OTHER:
            return ast.BinOp(left, OTHER[type(op)](), right)
        case ast.Constant(value=int(number)) if not isinstance(number, bool):
            return ast.Constant(number + 1)
        case ast.Expr(value=ast.Call()):
            return ast.Constant(None)
    return None


def places(node: ast.AST, function: int = 0) -> Iterator[tuple[ast.AST, int]]:
    """Yield all that runs in functions, with the line where its function begins."""
    for child in ast.iter_child_nodes(node):
        types = getattr(node, "annotation", None), getattr(node, "returns", None)
        if isinstance(child, ast.Assert | ast.JoinedStr | ast.arguments | ast.Raise):
            continue
        if child in types or getattr(child, "name", "") == "__repr__":
            continue
        if function:
            yield child, function
        line = function
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            line = min(each.lineno for each in (child, *child.decorator_list))
        yield from places(child, line)


def changes_of(path: Path) -> Iterator[Change]:
    """Yield every change of the functions of a file."""
    text, name = path.read_bytes(), path.relative_to(ROOT).as_posix()
    starts = [0, *accumulate(len(line) + 1 for line in text.split(b"\n"))]
    for node, function in places(ast.parse(text)):
        new = changed(node)
        if new is not None and isinstance(node, ast.expr | ast.stmt):
            start = starts[node.lineno - 1] + node.col_offset
            end = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
            yield Change(name, node.lineno, function, start, end, f"({ast.unparse(new)})")


def copy_checkout(folder: Path) -> None:
    """Copy all files that git knows, and the kernel of the installed package if it has one."""
    listed = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True)
    for name in filter(None, listed.split("\0")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name)
    installed = find_spec("engine")
    assert installed is not None
    for kernel in Path(str(installed.origin)).parent.glob("native/kernel.library"):
        shutil.copy2(kernel, folder / "engine" / "native")


def pass_in(folder: Path, tests: Sequence[str]) -> bool:
    """Whether tests pass in a copy, and do not run for ever."""
    pytest = [sys.executable, "-m", "pytest", "-x", "-n", "0", "-p", "no:cacheprovider"]
    limits = ["timeout", "-s", "KILL", "1800", "prlimit", f"--cpu={MOST_SECONDS}"]
    env = os.environ | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [*limits, *pytest, "-o", "addopts=", *tests]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True).returncode == 0


def survives(folder: Path, change: Change, calls: CallsOfTests) -> bool:
    """Whether the tests that call the function pass with a change of it."""
    batches = calls.tests_of(change.path, change.function, MOST_TESTS)
    path = folder / change.path
    old, times = path.read_bytes(), path.stat()
    path.write_bytes(old[: change.start] + change.new.encode() + old[change.end :])
    try:
        return all(pass_in(folder, tests) for tests in batches)
    finally:
        path.write_bytes(old)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))  # compiled files still fit


def main() -> None:
    wanted, *seeds = [*map(int, sys.argv[1:])] or [40]
    seeds = seeds or [random.randrange(10**6)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "checkout")
        copy_checkout(folder)
        calls = CallsOfTests.of_run(folder, Path(name, "calls"))
        for seed, package in product(seeds, PACKAGES):
            found = [c for path in (ROOT / package).rglob("*.py") for c in changes_of(path)]
            survived = 0
            for change in sorted(random.Random(seed).sample(sorted(found), wanted)):
                if survives(folder, change, calls):
                    survived += 1
                    old = (ROOT / change.path).read_bytes()[change.start : change.end].decode()
                    print(f"{change.path}:{change.line}: {old} -> {change.new}", flush=True)
            print(f"seed {seed}: {survived} of {wanted} survive in {package}", flush=True)


if __name__ == "__main__":
    main()
