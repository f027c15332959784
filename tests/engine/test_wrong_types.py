"""Every public function with arguments of wrong types: only errors of ours are raised."""

from __future__ import annotations

import inspect
import io
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import engine
from engine import (
    ArgumentError,
    BpeError,
    ChunkLog,
    Phase,
    PhasedTrainer,
    StepRecorder,
    TextbookTrainer,
    TextComparison,
    Timeline,
    Tokenizer,
    Trainer,
    UnigramTimeline,
    UnigramTrainer,
    ask,
    check,
    continue_bpe,
    count_pretokens,
    find_chunk_boundaries,
    find_even_cuts,
    find_tail,
    longest_match,
    train_bpe,
)
from engine.core.arguments import check_whole, check_workers, checked
from engine.core.registry import Named

HANDOUT = str(Path(__file__).parents[2] / "samples" / "handout.txt")
COUNTS = {b"low": 5, b"lower": 2}
WORDS = {"low": 5, "lower": 2}
Call = tuple[Callable[..., Any], dict[str, Any]]


class Odd:
    """A value that no function takes."""


WRONG = [
    *(None, True, 5, -1, 2.5, float("nan"), 10**30, "x", b"x", Odd(), np.float32(72)),
    *([], [1], [2.5], [True], ["x"], [b"x"], [None], [[1]], ("x",), [("x", "y")], [(1, 2.5)]),
    *({}, {"ab": 3}, {b"ab": 2.5}, {b"ab": -1}, {b"ab": 2**62 + 1}, {1: 2}, {1: "x"}, {None: None}),
]


@cache
def tokenizer() -> Tokenizer:
    return Tokenizer(*train_bpe(HANDOUT, 262, []), ["<s>"])


def calls(out: Path) -> Iterator[Call]:
    """Yield each public function with arguments that it takes; `out` is free."""
    vocab, merges, chosen = tokenizer().vocab, tokenizer().merges, tokenizer()
    counting = {"path": HANDOUT, "pattern": "gpt2", "special_tokens": [], "workers": 1}
    options = {"tie_rule": "lexicographic", "min_count": 1}
    sizes = {"vocab_size": 258, "special_tokens": [], "max_token_length": 9, "units": "bytes"}
    yield (
        train_bpe,
        {
            "input_path": HANDOUT,
            "pattern": "gpt2",
            "trainer": "fast",
            "workers": 1,
            "on_progress": id,
            "on_step": id,
            "specials_first": False,
            **options,
            **sizes,
        },
    )
    yield Trainer, {"counts": COUNTS, "algorithm": "native", "most_words": 2, **options, **sizes}
    yield count_pretokens, {**counting, "on_progress": id, "on_chunk": id}
    yield (
        Tokenizer,
        {"vocab": vocab, "merges": merges, "special_tokens": [], "pattern": "gpt2"}
        | {"encoder": "native", "alphabet": None, "table": None, "pipeline": None},
    )
    named: dict[str, dict[str, Any]] = {
        "encode": {"text": "low", "on_step": id},
        "encode_traced": {"text": "low"},
        "encode_compactly": {"text": "low"},
        "encode_batch": {"texts": ["low"], "workers": 1},
        "encode_iterable": {"chunks": ["low"]},
        "encode_stream": {"blocks": [b"low"], "workers": 1},
        "encode_stream_compactly": {"blocks": [b"low"], "workers": 1},
        "decode": {"ids": [108]},
        "decode_bytes": {"ids": [108]},
        "in_template": {"ids": [108]},
        "allowing": {"tokens": ["<s>"]},
        "steps": {"pretoken": b"low"},
        "from_files": {"vocab_path": HANDOUT, "merges_path": HANDOUT, "special_tokens": []},
        "load": {"path": HANDOUT, "merges_path": None, "special_tokens": [], "pattern": "gpt2"},
        "save": {"path": out / "saved", "format": "gpt2"},
    }
    for name, arguments in named.items():
        yield getattr(chosen, name), arguments
    timeline = Timeline(COUNTS, Trainer(COUNTS, 258).steps())
    yield Timeline, {"counts": COUNTS, "steps": [], "record": None, "pattern": "gpt2"}
    yield timeline.seek, {"step": 1}
    frame = timeline.seek(1)
    named = {
        "count_of": {"pair": (108, 111)},
        "top_pairs": {"limit": 3},
        "encode": {"text": "low"},
        "decode": {"ids": [108]},
        "unknown_in": {"text": "low"},
        "tie_reason": {"winner": (108, 111), "rival": (111, 119)},
    }
    for name, arguments in named.items():
        yield getattr(frame, name), arguments
    yield longest_match, {"source": chosen, "text": "low"}
    yield find_tail, {"tokenizer": chosen, "text": "low"}
    yield (
        check,
        {
            "vocab": vocab,
            "merges": merges,
            "corpus": HANDOUT,
            "vocab_size": 262,
            "special_tokens": [],
            "pattern": "gpt2",
            "tie_rule": "lexicographic",
        },
    )
    yield StepRecorder, {"path": out / "steps.jsonl"}
    recorder = StepRecorder(out / "others.jsonl")
    yield recorder, {"left": b"l", "right": b"o", "count": 1, "new_id": 256}
    yield TextComparison, {"tokenizers": [chosen], "data": b"low"}
    yield TextComparison([chosen], b"low").agreed_around, {"start": 0, "end": 1}
    yield continue_bpe, {"tokenizer": chosen, "input_path": HANDOUT, "merges": 1, "workers": 1}
    yield ask, {"kind": "next-pair", "frame": frame, "seed": "", "about": None, "rows": 6}
    of_words = {"counts": WORDS, "vocab_size": 8, "special_tokens": [], "unknown_token": "<unk>"}
    yield UnigramTrainer, of_words
    yield TextbookTrainer, {**of_words, "ngram": 2, "units": "words"}
    trained = UnigramTrainer(WORDS, 8)
    list(trained.steps())
    yield UnigramTimeline, {"record": trained.record, "events": (), "words": None}
    phases = [Phase("gpt2", 257), Phase("none", 258)]
    yield PhasedTrainer, {"counts": COUNTS, "phases": phases, "recount": lambda _: COUNTS}
    for function in (find_chunk_boundaries, find_even_cuts):
        file = io.BytesIO(b"a<s>b")
        yield function, {"file": file, "desired_num_chunks": 2, "split_special_token": b"<s>"}
    yield ChunkLog, {"most": 5}


def run(function: Callable[..., Any], arguments: dict[str, Any]) -> None:
    """Call a function, and read the first items of what it yields."""
    found = function(**arguments)
    if isinstance(found, Trainer | UnigramTrainer | TextbookTrainer | PhasedTrainer):
        found = found.steps()
    if inspect.isgenerator(found) or isinstance(found, map):
        list(found)


LEGAL = {("path", "x")}
"""Arguments that a function takes: a file to write."""


def test_any_wrong_type_is_an_error_of_ours(tmp_path: Path) -> None:
    raw = []
    for function, arguments in calls(tmp_path):
        for name, wrong in product(arguments, WRONG):
            if not isinstance(wrong, Hashable) or (name, wrong) not in LEGAL:
                try:
                    run(function, {**arguments, name: wrong})
                except BpeError:
                    continue
                except Exception as error:
                    raw.append((function, name, wrong, error))
    assert not raw


@pytest.mark.parametrize("name", dir(engine))
def test_every_public_function_is_called(name: str, tmp_path: Path) -> None:
    """A function that is made by nobody but the library may be left out: records, frames, tails."""
    public = getattr(engine, name)
    if inspect.isfunction(public):
        assert public in [function for function, _ in calls(tmp_path)]


@pytest.mark.parametrize(
    ("hint", "right", "wrong"),
    [
        (int, [3, np.int64(3)], [3.0, True, "x", None]),
        (float, [3, 2.5], [True, "x"]),
        (int | None, [3, None], [2.5]),
        (Any, [None, "x"], []),
        (Callable[[], int], [id], [3]),
        (Named, [SimpleNamespace(name="x")], [SimpleNamespace(), 3]),
        (tuple[int, str], [(1, "x")], [(1,), (1, "x", 2), (1, 2), [1, "x"]]),
        (tuple[int, ...], [(), (1, 2, 3)], [(1, "x"), ("x", 1)]),
        (dict[str, int], [{}, {"x": 1}], [{"x": 1, "y": "x"}, {1: 1}, []]),
        (Mapping, [{"x": 1}], [["x"]]),
        (list, [["x", 1]], [("x", 1)]),
        (Sequence[str], [[], ["x"], ("x", "y")], ["xy", ["x", 1]]),
        (Iterable[bytes], [iter([1])], [b"x", [b"x", "x"]]),
        (str, ["x"], [b"x"]),
    ],
)
def test_an_argument_is_named_if_its_type_is_not_that_of_the_signature(
    hint: Any, right: list[object], wrong: list[object]
) -> None:
    @checked
    def failing(value: hint) -> None:  # type: ignore[valid-type]
        raise ZeroDivisionError

    failing.__wrapped__.__annotations__["value"] = hint  # type: ignore[attr-defined]
    for value in right:
        with pytest.raises(ZeroDivisionError):
            failing(value)
    for value in wrong:
        with pytest.raises(ArgumentError) as caught:
            failing(value)
        assert str(caught.value) == f"value should be of type {hint}, and this is {value!r}"


def test_a_number_out_of_its_range_is_named() -> None:
    for workers in (None, 1, 1 << 10):
        check_workers(workers)
    for workers, said in ((0, "at least 1, and this is 0"), (1025, "at most 1,024; leave it out")):
        with pytest.raises(ArgumentError, match=f"workers is {said}"):
            check_workers(workers)
    check_whole(left=0, right=None, third=-5)


def test_a_number_of_numpy_is_a_number() -> None:
    number: Any = np.int64(258)
    assert tokenizer().decode(np.array([108, 111, 119])) == "low"
    assert tokenizer().decode([number - 150]) == "l"
    assert len(train_bpe(HANDOUT, number, min_count=number - 256)[0]) == 258
