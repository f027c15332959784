"""The small changes of a file's functions: other comparisons, operators, numbers, dropped calls."""

import ast
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

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

    def text(self, old: bytes) -> bytes:
        """Return the text of the file with this change."""
        return old[: self.start] + self.new.encode() + old[self.end :]


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
            return ast.BoolOp(ast.And(), [ast.Constant(None), node.value])  # names stay bound
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


def changes_of(path: Path, name: str) -> Iterator[Change]:
    """Yield every change of the functions of a file, with the file's `name` in the checkout."""
    text = path.read_bytes()
    starts = [0, *accumulate(len(line) + 1 for line in text.split(b"\n"))]
    for node, function in places(ast.parse(text)):
        new = changed(node)
        if new is not None and isinstance(node, ast.expr | ast.stmt):
            start = starts[node.lineno - 1] + node.col_offset
            end = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
            # The functions after it stay at their lines, by which their code is found.
            lines = "\n" * text[start:end].count(b"\n")
            yield Change(name, node.lineno, function, start, end, f"({ast.unparse(new)}{lines})")
