"""Change the code at random places, and list the changes that no quick test notices.

    python tests/mutate.py [CHANGES [SEED …]]

Each change turns a comparison, swaps `and` and `or` or `+` and `-`, takes a `not` away, adds one
to a number, or drops a call. Each package gets that number of changes, for each seed. All quick
tests run once in a copy of the checkout, to find the functions that each calls. Then a change meets
the tests that call its function. One that survives may change nothing that anyone sees.
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
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from called_functions import CallsOfTests

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("engine", "bpe_tui")
SECONDS = 60.0
"""Seconds of tests for a change, as long as they took at first; it meets no more of them."""
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
        if isinstance(child, ast.Assert | ast.JoinedStr | ast.arguments | ast.Raise):
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


def pass_in(folder: Path, tests: Sequence[str], seconds: float) -> bool:
    """Whether tests pass in a copy, and take not much longer than `seconds`."""
    pytest = [sys.executable, "-m", "pytest", "-x", "-n", "0", "-p", "no:cacheprovider"]
    command = ["timeout", "-s", "KILL", str(30 + 4 * seconds), *pytest, "-o", "addopts=", *tests]
    env = os.environ | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(command, cwd=folder, env=env, capture_output=True).returncode == 0


def survives(folder: Path, change: Change, calls: CallsOfTests) -> bool:
    """Whether the tests that call the function pass with a change of it."""
    tests = calls.tests_of(change.path, change.function, SECONDS)
    path = folder / change.path
    old, times = path.read_bytes(), path.stat()
    path.write_bytes(old[: change.start] + change.new.encode() + old[change.end :])
    try:
        return not tests or pass_in(folder, tests, sum(calls.seconds[each] for each in tests))
    finally:
        path.write_bytes(old)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))  # compiled files still fit


def main() -> None:
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    seeds = [*map(int, sys.argv[2:])] or [random.randrange(10**6)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "checkout")
        copy_checkout(folder)
        calls = CallsOfTests.of_run(folder, Path(name, "calls"))
        for seed in seeds:
            for package in PACKAGES:
                files = sorted((ROOT / package).rglob("*.py"))
                found = [change for path in files for change in changes_of(path)]
                survived = 0
                for change in sorted(random.Random(seed).sample(found, wanted)):
                    if survives(folder, change, calls):
                        survived += 1
                        old = (ROOT / change.path).read_bytes()[change.start : change.end].decode()
                        print(f"{change.path}:{change.line}: {old} -> {change.new}", flush=True)
                print(f"seed {seed}: {survived} of {wanted} survive in {package}", flush=True)


if __name__ == "__main__":
    main()
