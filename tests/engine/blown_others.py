# ruff: noqa: E501, a case is read best as one line
"""Blown-up answers, lessons, steps, corpora and counts."""

import json
from collections.abc import Callable
from functools import cache
from typing import Any

from blown import Files, Grow, add, filled, word_of
from fuzz_formats import other_files

# -- answers, lessons, counts, steps, corpora


@cache
def others() -> dict[str, Files]:
    return dict(other_files())


def answers(**changes: Any) -> bytes:
    content = json.loads(others()["answers"]["a.json"])
    return json.dumps(content | changes).encode()


def answer(size: int, **changes: Any) -> bytes:
    content = json.loads(others()["answers"]["a.json"])
    content["answers"][0] |= changes
    return json.dumps(content).encode()


add(
    "answers",
    "entries",
    lambda size: answers(
        answers=json.loads(others()["answers"]["a.json"])["answers"][:1] * (size // 120)
    ),
)
add("answers", "tries", lambda size: answer(size, tried=[0] * (size // 3)))
add("answers", "a long try", lambda size: answer(size, tried=["a" * size]))
add("answers", "a try with many parts", lambda size: answer(size, tried=[list(range(size // 8))]))
add(
    "answers",
    "options",
    lambda size: answers(options={"special_tokens": filled(size, lambda n: f"<{n}>")}),
)
add("answers", "a long learner", lambda size: answers(learner="a" * size))


def lesson(text: str) -> bytes:
    return ('+++\ntitle = "a"\ncorpus = "handout.txt"\n+++\n## One\n' + text).encode()


for _name, _text in {
    "quotes": ">", "brackets": "[", "stars": "*", "underscores": "_a", "backticks": "`", "backticks apart": "` `` ",
    "links": "[a](b)", "open links": "[a](", "pictures": "![", "lists": "- ", "numbered": "1. ", "nested lists": "\n* a\n  ",
    "headings": "## a\n", "fences": "```\n", "shows": "```show\nstep = 1\n```\n", "asks": '```ask\nkind = "tie"\n```\n',
    "entities": "&amp;", "open entities": "&", "tags": "<a ", "comments": "<!--", "less": "<", "escapes": "\\[",
    "rules": "---\n", "definitions": "[a]: b\n", "paragraphs": "a\n\n", "lines": "a\n", "hard breaks": "a  \n", "code": "    a\n",
    "emphasis": "*a **b ", "closers": "a** ", "tables": "|a", "spaces": " ", "tabs": "\t", "words": "word ", "autolinks": "<http://",
    "one list": "- a\n", "quoted lines": "> a\n", "nested quotes": "> > ", "parentheses": "(", "link titles": '[a](b "', "angles": "[a](<",
    "reference links": "[a][b]", "open references": "[a]:",
}.items():  # fmt: skip
    add("lesson", _name, lambda size, t=_text: lesson(t * (min(size - 99, 262_000) // len(t))))  # type: ignore[misc]
for _name, _line in {
    "keys": "k{} = 1\n",
    "tables": "[t{}]\n",
    "dotted": "a.b{} = 1\n",
    "inline": "k{} = {{a = 1}}\n",
}.items():
    add("lesson", f"front with {_name}", lambda size, line=_line: (  # type: ignore[misc]
        "+++\n" + "".join(line.format(n) for n in range(min(size, 1 << 18) // 14)) + "+++\n## One\n").encode())  # fmt: skip
for _name, _front in {
    "a deep key": "a" + ".a" * 120_000 + " = 1",
    "a deep list": "a = " + "[" * 250_000,
    "a large number": "a = " + "9" * 250_000,
}.items():
    _whole = f"+++\n{_front}\n+++\n## One\n".encode()
    add("lesson", f"front with {_name}", lambda size, whole=_whole: whole)  # type: ignore[misc]
add(
    "lesson",
    "show with keys",
    lambda size: lesson("```show\n" + "".join(f"k{n} = 1\n" for n in range(20_000)) + "```\n"),
)
add(
    "lesson",
    "a number for an alert",
    lambda size: lesson("\n".join(f"{n}. a" for n in range(20_000))),
)


def steps(line: Callable[[int], Any]) -> Grow:
    return lambda size: b"".join(json.dumps(each).encode() + b"\n" for each in filled(size, line))


add("steps", "steps", steps(lambda n: {"left": word_of(n), "right": "a"}))
add("steps", "the same step", steps(lambda n: {"left": "a", "right": "b"}))
add("steps", "chains", lambda size: b"".join(
    json.dumps({"left": "a" * n, "right": "a"}).encode() + b"\n" for n in range(1, int(size**0.5))))  # fmt: skip
add(
    "steps",
    "a long token",
    lambda size: json.dumps({"left": "a" * (size // 2), "right": [97] * (size // 8)}).encode(),
)
add(
    "steps",
    "keys",
    lambda size: json.dumps(
        {"left": "a", "right": "b"} | {f"k{n}": 1 for n in range(size // 16)}
    ).encode(),
)
add(
    "steps",
    "a large number",
    lambda size: b'{"left": "a", "right": "b", "count": ' + b"9" * (size // 2) + b"}\n",
)
add("corpus.jsonl", "lines", steps(lambda n: {"text": word_of(n)}))
add("corpus.jsonl", "a long line", lambda size: json.dumps({"text": "ab " * (size // 3)}).encode())
add(
    "corpus.jsonl",
    "keys",
    lambda size: json.dumps({f"k{n}": 1 for n in range(size // 16)} | {"text": "a"}).encode(),
)
add("corpus.jsonl", "a deep list", lambda size: b'{"text": ' + b"[" * size + b"\n")
add("corpus.jsonl", "empty lines", lambda size: b"\n" * size)
add("corpus.jsonl", "escapes", lambda size: b'{"text": "' + b"\\u0061" * (size // 6) + b'"}\n')
add("corpus.jsonl", "spaces", lambda size: b'{"text": "' + b" " * size + b'"}\n')
add("corpus.jsonl", "newlines", lambda size: b'{"text": "' + b"\\n" * (size // 2) + b'"}\n')
