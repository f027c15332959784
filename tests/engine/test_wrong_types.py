"""Every public function and method with odd arguments: only errors of ours are raised.

Odd are wrong types, numbers out of range and unusable texts. Results do not depend on the trainer.
"""

import inspect
import io
import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from functools import cache
from itertools import chain
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np
import pytest
from generated import examples
from hypothesis import given
from hypothesis import strategies as st

import engine
from engine.core.arguments import check_whole, check_workers, checked
from engine.core.registry import Named
from engine.recording.merge_record import STRIDE
from engine.wordpiece.trainer import WordPieceTrainer

HANDOUT = str(Path(__file__).parents[2] / "samples" / "handout.txt")
COUNTS = {b"low": 5, b"lower": 2}
WORDS = {"low": 5, "lower": 2}
Call = tuple[Callable[..., Any], dict[str, Any]]


class Odd:
    """A value that no function takes."""


NUMBERS = [0, 1, 2, 99, -5, 2**31, 2**32 + 108, 2**63, 2**64, 10**400, float("inf"), float("-inf")]
TEXTS = ["", "\ud800", "\0", "all", "gpt 2", "a" * 9999, "é\ufffd"]
BYTES = [b"", b"\xff", b"a" * 9999, bytearray(b"a")]
LISTS = [
    *(("a", "a"), ["", ""], ["<s>", "<s>"], [99999], [-1], [2**64], [(b"a", b"b")], range(3)),
    *([(b"ab", b"c"), (b"a", b"b")], (1, 2), (-1, -1), (2**40, 1), (1, 2**40), (107, 2**32 + 251)),
]
TABLES = [{b"": 1}, {"": 1}, {b"a": 0}, {0: b"a"}, {-1: b"a"}, {2**64: b"a"}, {b"a": 1, "a": 1}]
PATHS = [Path(), Path("\0"), Path("a" * 300), Path("missing", "a")]
ODD_OF: dict[Any, list[Any]] = {
    **dict.fromkeys((int, float), NUMBERS),
    **dict.fromkeys((str, Literal), TEXTS),
    **dict.fromkeys((bytes, bytearray), BYTES),
    **dict.fromkeys((Path, PathLike), PATHS),
    **dict.fromkeys((list, tuple, Sequence, Iterable, Set, set, frozenset), LISTS),
    **dict.fromkeys((dict, Mapping), TABLES),
    Callable: [3, "len", ()],
}
"""Type of an annotation → values of it that are out of range for most."""

WRONG = [
    *(None, True, 5, -1, 2.5, float("nan"), 10**30, "x", b"x", Odd(), np.float32(72)),
    *([], [1], [2.5], [True], ["x"], [b"x"], [None], [[1]], ("x",), [("x", "y")], [(1, 2.5)]),
    *({}, {"ab": 3}, {b"ab": 2.5}, {b"ab": -1}, {b"ab": 2**62 + 1}, {1: 2}, {1: "x"}, {None: None}),
]


@cache
def odd_values(function: Callable[..., Any], name: str) -> list[Any]:
    """Return odd values for an argument: wrong types, and what is odd of each type it has."""
    made = function.__init__ if inspect.isclass(function) else function  # type: ignore[misc]
    try:
        left = [get_type_hints(inspect.unwrap(getattr(made, "__func__", made)))[name]]
    except (KeyError, NameError, TypeError):  # the types are imported for type checkers alone
        return [*WRONG, *chain.from_iterable(ODD_OF.values())]
    found = dict[int, Any]()
    while left:
        hint = left.pop()
        left += [each for each in get_args(hint) if not isinstance(each, str | list)]
        values = ODD_OF.get(get_origin(hint) or hint, ())
        found |= {id(value): value for value in values}
    return [*WRONG, *found.values()]


@cache
def tokenizer() -> engine.Tokenizer:
    return engine.Tokenizer(*engine.train_bpe(HANDOUT, 262, []), ["<s>"])


RIGHT: dict[str, Any] = {
    **dict.fromkeys(("input_path", "vocab_path", "merges_path", "corpus"), HANDOUT),
    **dict.fromkeys(("on_progress", "on_step"), id),
    **dict.fromkeys(("token_id", "new_id"), 108),
    **dict.fromkeys(("pair", "winner"), (108, 111)),
    **dict.fromkeys(
        ("step", "steps", "length", "workers", "min_count", "start", "end", "count"), 1
    ),
    **dict.fromkeys(("limit", "wanted", "most_words", "ngram", "desired_num_chunks"), 2),
    **dict.fromkeys(("index", "number"), 0),
    **dict.fromkeys(("alphabet", "table", "other", "about", "stop"), None),
    "text": "low",
    "texts": ["low"],
    "chunks": ["low"],
    "blocks": [b"low"],
    "data": b"low",
    "pretoken": b"low",
    "token": b"ow",
    "left": b"l",
    "right": b"o",
    "tokens": ["<s>"],
    "special_tokens": [],
    "split_special_token": b"<s>",
    "ids": [1],
    "rival": (111, 119),
    "seconds": 0.1,
    "counts": COUNTS,
    "words": None,
    "vocab_size": 258,
    "max_token_length": 9,
    "pattern": "gpt2",
    "kind": "next-pair",
    "seed": "",
    "rows": 6,
    "piece": "lo",
}
"""Name of a parameter → an argument that most functions take; of others it is the default."""
SEPARATE = {"extend", "describe"}
"""Methods whose arguments only a program of ours has: steps of a run, functions that show bytes."""


def watched() -> Iterator[object]:
    """Yield what shows a training: players, frames, lists and steps."""
    trainer = engine.Trainer(COUNTS, 300)
    timeline = engine.Timeline(trainer, trainer.steps())
    pieces = engine.UnigramTrainer(WORDS, 8)
    events = list(pieces.steps())
    unigram = engine.UnigramTimeline(pieces.record, events)
    frame = timeline.frame.at(1)
    yield from (timeline, timeline.frame, frame, frame.merge, unigram, unigram.frame)


def calls(out: Path) -> Iterator[Call]:
    """Yield each public function and method with arguments that it takes; `out` is free."""
    chosen = tokenizer()
    timeline = engine.Timeline(COUNTS, engine.Trainer(COUNTS, 258).steps())
    pieces = engine.UnigramTrainer(WORDS, 8)
    list(pieces.steps())
    compared = engine.TextComparison([chosen], b"low")
    right = RIGHT | {"vocab": chosen.vocab, "merges": chosen.merges, "frame": timeline.seek(1)}
    right |= dict.fromkeys(("tokenizer", "source"), chosen)
    right |= {"path": out / "written", "format": "gpt2", "tokenizers": [chosen]}
    right |= {"file": io.BytesIO(b"a<s>b"), "change": engine.ForkChange(), "record": pieces.record}
    of_words = {"counts": WORDS, "vocab_size": 8, "units": "words"}
    phases = [engine.Phase("gpt2", 257), engine.Phase("none", 258)]
    own: list[tuple[Callable[..., Any], dict[str, Any]]] = [
        *((function, {}) for function in (engine.train_bpe, engine.Trainer, engine.Tokenizer)),
        *((function, {}) for function in (engine.longest_match, engine.ask)),
        *((function, {}) for function in (engine.fork, engine.ForkChange, engine.TextComparison)),
        *((function, {}) for function in (chosen.from_file, chosen.from_files)),
        (engine.find_chunk_boundaries, {}),
        (engine.count_pretokens, {"path": HANDOUT}),
        (chosen.load, {"path": HANDOUT, "merges_path": None}),
        (engine.Timeline, {"steps": [], "record": None}),
        (engine.check, {"vocab_size": 262, "tie_rule": "lexicographic"}),
        (engine.why_not, {"start": 0}),
        (engine.convert, {"path": out / "converted"}),
        (engine.write_ids, {"path": out / "ids.txt", "texts": [[b"low"]]}),
        (engine.StepRecorder, {"path": out / "steps.jsonl"}),
        (engine.StepRecorder(out / "others.jsonl"), {}),
        (engine.continue_bpe, {"merges": 1}),
        (engine.UnigramTrainer, of_words),
        (engine.TextbookTrainer, of_words),
        (engine.UnigramTimeline, {"events": ()}),
        (engine.PhasedTrainer, {"phases": phases, "recount": lambda _: COUNTS}),
    ]
    for thing in (chosen, compared, *watched()):
        for name, _ in inspect.getmembers(type(thing), inspect.isfunction):
            if not name.startswith("_") and name not in SEPARATE:
                own.append((getattr(thing, name), {}))
    for function, others in own:
        defaults = {
            name: each.default
            for name, each in inspect.signature(function).parameters.items()
            if each.kind is not each.VAR_KEYWORD
        }
        arguments = {name: (right | others).get(name, defaults[name]) for name in defaults}
        assert inspect.Parameter.empty not in arguments.values(), function
        yield function, arguments


def run(function: Callable[..., Any], arguments: dict[str, Any]) -> None:
    """Call a function, and read the first items of what it yields."""
    found = function(**arguments)
    if isinstance(
        found,
        engine.Trainer | engine.UnigramTrainer | engine.TextbookTrainer | engine.PhasedTrainer,
    ):
        found = found.steps()
    if inspect.isgenerator(found) or isinstance(found, map):
        list(found)


FILES = {"path", "input_path", "vocab_path", "merges_path", "corpus"}
"""Arguments that name files: any text does, and 0 is the standard input."""


def raw_errors(calls: Iterable[Call], every: int) -> list[object]:
    """Return the calls with one odd argument that raise an error of Python's.

    Args:
        every: of all calls one in so many is made.
    """
    raw: list[object] = []
    place = 0
    for function, arguments in calls:
        odd = [(name, each) for name in arguments for each in odd_values(function, name)]
        for name, value in odd:
            place += 1
            if place % every == 0 and (name not in FILES or not isinstance(value, str | int)):
                try:
                    run(function, {**arguments, name: value})
                except engine.BpeError:
                    continue
                except Exception as error:
                    raw.append((function, name, value, error))
    return raw


@pytest.mark.parametrize("every", [pytest.param(1, marks=pytest.mark.slow), 61])
def test_an_odd_argument_gives_a_result_or_an_error_of_ours(every: int, tmp_path: Path) -> None:
    assert not raw_errors(calls(tmp_path), every)


@pytest.mark.slow
@examples(300)
@given(st.data())
def test_arguments_that_are_odd_together_are_errors_of_ours(data: st.DataObject) -> None:
    with TemporaryDirectory() as out:
        function, arguments = data.draw(st.sampled_from([*calls(Path(out))]))
        odd = {
            name: data.draw(st.sampled_from([value, *odd_values(function, name)]))
            for name, value in arguments.items()
            if name not in FILES
        }
        with suppress(engine.BpeError):
            run(function, {**arguments, **odd})


def test_every_property_has_a_value_or_an_error_of_ours() -> None:
    for thing in watched():
        for name in dir(type(thing)):
            if not name.startswith("_"):
                try:
                    getattr(thing, name)
                except engine.BpeError:
                    assert name in {"touched", "places_before"}  # they are counted first


@pytest.mark.parametrize("option", ["min_count", "max_token_length", "most_words", "vocab_size"])
@pytest.mark.parametrize("value", [-(2**70), -1, 0, 1, 2, 3, 280, 2**31 - 1, 2**32, 2**64])
def test_all_trainers_give_one_answer_or_one_error(option: str, value: int) -> None:
    counts = {b"low": 5, b"lower": 2, b" of the": 3, b"a: b": 4, b"aaaa": 7}
    answers = set[object]()
    for name in engine.TRAINERS:
        try:
            trainer = engine.Trainer(counts, **{"vocab_size": 280, option: value}, algorithm=name)  # type: ignore[arg-type]
            list(trainer.steps())
        except engine.BpeError as error:
            answers.add(str(error))
        else:
            answers.add((tuple(trainer.merges), trainer.stop_reason))
    assert len(answers) == 1


def test_texts_are_no_lists_of_letters() -> None:
    with pytest.raises(engine.SpecialTokenError, match=r"write \['all'\]"):
        tokenizer().allowing("all")
    with pytest.raises(engine.CountsError, match="pretokens are all bytes, of Unigram all texts"):
        engine.UnigramTrainer({b"low": 5})  # type: ignore[dict-item]


def test_there_is_no_token_step_or_merge_beyond_the_ends() -> None:
    trainer = engine.Trainer(COUNTS, 258)
    timeline = engine.Timeline(trainer, trainer.steps())
    frame = timeline.frame
    for token_id in (-1, 258, 10**30):
        for find in (frame.any_token, frame.step_making, frame.token):
            with pytest.raises(engine.UnknownTokenIdError):
                find(token_id)
    for step in (-1, 99):
        for go in (frame.at, frame.merge_at, timeline.seek, timeline.extend_to):
            with pytest.raises(engine.TimelineError):
                go(step)
    with pytest.raises(engine.ArgumentError):
        timeline.seek(1.5)  # type: ignore[arg-type]
    assert (timeline.cursor, len(timeline)) == (0, 2)


@pytest.mark.parametrize("name", engine.TRAINERS)
def test_a_pair_is_not_taken_for_another_one(name: str) -> None:
    trainer = engine.Trainer(COUNTS, 258, algorithm=name)
    frame = engine.Timeline(trainer, trainer.steps()).frame
    pairs = [(108, 111), (2**32 + 108, 111), (107, 111 + STRIDE), (109, 111 - STRIDE)]
    assert [frame.count_of(pair) for pair in pairs] == [7, 0, 0, 0]


@pytest.mark.parametrize("algorithm", engine.TRAINERS)
@pytest.mark.parametrize("tie_rule", engine.TIE_RULES)
def test_a_step_can_be_pickled_with_its_record(algorithm: str, tie_rule: str) -> None:
    trainer = engine.Trainer(COUNTS, 258, algorithm=algorithm, tie_rule=tie_rule)
    for [*_, step] in (trainer.steps(), WordPieceTrainer(COUNTS, 12).steps()):
        assert pickle.loads(pickle.dumps(step)) == step


def test_an_error_can_be_pickled() -> None:
    for error in (engine.SpecialTokenFoundError("m", "<s>", 3), engine.TokenIdsError("m", "x")):
        copy = pickle.loads(pickle.dumps(error))
        assert (str(copy), vars(copy)) == ("m", vars(error))


def test_a_timeline_has_the_pattern_and_special_tokens_of_its_trainer() -> None:
    counts = engine.count_pretokens(HANDOUT, pattern="whitespace")
    trainer = engine.Trainer(counts, 260, ["<s>"], pattern="whitespace")
    begun = engine.Timeline(trainer)
    for timeline in (
        engine.Timeline(trainer, trainer.steps()),
        engine.Timeline(counts, map(trainer.record.__getitem__, range(3))),
    ):
        learnt = timeline.forward(99).tokenizer()
        assert (len(timeline), len(begun)) == (3, 0)
        assert (learnt.pattern.name, learnt.special_tokens) == ("whitespace", ("<s>",))
    assert len(engine.Timeline(trainer)) == 3
    assert begun.frame.tokenizer().special_tokens == ("<s>",)


def public_functions() -> Iterator[Callable[..., Any]]:
    """Yield the functions and methods of public names that take an argument."""
    for public in map(engine.__getattr__, dir(engine)):
        if inspect.isfunction(public):
            yield public
        if inspect.isclass(public) and public.__module__.startswith("engine"):
            for name, method in inspect.getmembers(public, inspect.isfunction):
                if name[0] != "_" and [*inspect.signature(method).parameters] != ["self"]:
                    yield method


def test_every_public_function_and_method_is_called(tmp_path: Path) -> None:
    called = {getattr(each, "__qualname__", "") for each, _ in calls(tmp_path)}
    names = {each.__qualname__ for each in public_functions() if each.__name__ not in SEPARATE}
    assert not names - called


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
        with pytest.raises(engine.ArgumentError) as caught:
            failing(value)
        assert str(caught.value) == f"value should be of type {hint}, and this is {value!r}"


def test_a_number_out_of_its_range_is_named() -> None:
    for workers in (None, 1, 1 << 10):
        check_workers(workers)
    for workers, said in ((0, "at least 1, and this is 0"), (1025, "at most 1,024; leave it out")):
        with pytest.raises(engine.ArgumentError, match=f"workers is {said}"):
            check_workers(workers)
    check_whole(left=0, right=None, third=-5)


def test_a_number_of_numpy_is_a_number() -> None:
    number: Any = np.int64(258)
    assert tokenizer().decode(np.array([108, 111, 119])) == "low"
    assert tokenizer().decode([number - 150]) == "l"
    assert len(engine.train_bpe(HANDOUT, number, min_count=number - 256)[0]) == 258
