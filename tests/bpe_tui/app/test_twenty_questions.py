"""Common questions about a tokenizer, and the few keys that answer each.

Each question begins with an open corpus or tokenizer and takes four keys at the most; a text that
is typed is one thing more to do. The answer is read from the screen, as a person would read it, and
its numbers are found by brute force.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
import regex
from _pytest.mark import ParameterSet
from opening import SAMPLE, opened_as, until
from textual import events

from bpe_tui.session.config import Config, RunConfig, TokenizerConfig
from bpe_tui.shell.exports import screen_text
from engine import Tokenizer

MOST_KEYS = 4
HANDOUT = RunConfig(str(SAMPLE.parent / "handout.txt"), pattern="whitespace", vocab_size=1000)
STORIES = RunConfig(str(SAMPLE), vocab_size=700)
LONG = RunConfig(str(SAMPLE), vocab_size=1500)
SWAPPED = SAMPLE.parent / "swapped.json"

# --- brute force: the definition, on the sample's own bytes ---------------------------------------

Symbols = tuple[bytes, ...]
GPT2 = regex.compile(r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")


@cache
def words_after(merges: tuple[tuple[bytes, bytes], ...]) -> Counter[Symbols]:
    """Return the pretokens of the sample in tokens after these merges, with their counts."""
    words: Counter[Symbols] = Counter()
    for document in SAMPLE.read_text("utf-8").split("<|endoftext|>"):
        for pretoken in GPT2.findall(document):
            words[tuple(bytes([byte]) for byte in pretoken.encode())] += 1
    for pair in merges:
        merged: Counter[Symbols] = Counter()
        for word, times in words.items():
            may_join = pair[0] in word and pair[1] in word
            merged[_merged(word, pair) if may_join else word] += times
        words = merged
    return words


def _merged(word: Symbols, pair: tuple[bytes, bytes]) -> Symbols:
    tokens: list[bytes] = []
    rest = list(word)
    while rest:
        joins = tuple(rest[:2]) == pair
        tokens.append(b"".join(rest[:2]) if joins else rest[0])
        del rest[: 1 + joins]
    return tuple(tokens)


def count_of(pair: tuple[bytes, bytes], merges: Iterable[tuple[bytes, bytes]] = ()) -> int:
    """Return the count of a pair after these merges."""
    words = words_after(tuple(merges))
    return sum(times for word, times in words.items() for each in pairwise(word) if each == pair)


@cache
def trained(vocab_size: int = 700) -> Tokenizer:
    """Return the tokenizer of the sample, of 443 merges unless another size is named."""
    from engine import train_bpe

    vocab, merges = train_bpe(SAMPLE, vocab_size, ["<|endoftext|>"])
    return Tokenizer(vocab, merges, ["<|endoftext|>"])


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Save the tokenizer of the sample as its own files and as ranks."""
    folder = tmp_path_factory.mktemp("files")
    trained().save(folder / "ours")
    trained().save(folder / "ours.tiktoken", format="tiktoken")
    return folder


def is_text(token: bytes) -> bool:
    try:
        token.decode()
    except UnicodeDecodeError:
        return False
    return True


# --- the questions --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Question:
    """A question, the place to ask, the keys that answer it, and the answer on the screen.

    `("typed", "low")` among the keys types a text.
    """

    asked: str
    opened: Config | Callable[[Path], Config]
    keys: tuple[str | tuple[str, str], ...]
    answer: tuple[str, ...] | Callable[[], Iterable[str]]


def changes_of_the_first_merge() -> Iterable[str]:
    before, after = count_of((b"t", b"h")), count_of((b"t", b"h"), [(b"h", b"e")])
    yield f"{'t+h':<12}{before:,} → {after:>5,}"


def merges_behind_ranks() -> Iterable[str]:
    left, right = (part.decode().replace(" ", "·") for part in trained().merges[-1])
    yield f"{len(trained().merges)}  {left}+{right}"


def tokens_of_a_file() -> Iterable[str]:
    documents = SAMPLE.read_text("utf-8").split("<|endoftext|>")
    yield f"{sum(len(trained().encode(document)) for document in documents):,} tokens"


def tokens_that_no_text_gives() -> Iterable[str]:
    tokenizer = Tokenizer.load(SWAPPED)
    out_of_reach = [
        number
        for number, token in tokenizer.vocab.items()
        if is_text(token) and tokenizer.encode(token.decode()) != [number]
    ]
    yield f"{len(out_of_reach)} of {len(tokenizer.vocab)} tokens"


def most_frequent_pair() -> Iterable[str]:
    count = count_of((b"h", b"e"))
    yield f"Next h+e  occurs {count:,} times, more often"


def words_of_the_first_merge() -> Iterable[str]:
    times = words_after(())[tuple(bytes([byte]) for byte in b" the")]
    yield f"{times:,}  ·the          → ·the"


def life_of_t_and_h() -> Iterable[str]:
    """Return what the first merge took of the pair, and what it left."""
    pair, first = (b"t", b"h"), (b"h", b"e")
    before, after = count_of(pair), count_of(pair, [first])
    yield f"t+h: {before:,} at step 0."
    yield "1  h+e "
    yield f"−{before - after:,} "


def never_side_by_side() -> Iterable[str]:
    merges = trained(1500).merges
    assert (b"es", b"t") in merges or (b"e", b"st") in merges
    assert not count_of((b"ow", b"est"), merges)
    yield "ow+est: the two never occur side by side"


def words_of_the_corpus_with_the() -> Iterable[str]:
    times = words_after(())[tuple(bytes([byte]) for byte in b" the")]
    yield f"{times:,}  ·the "


def merge_of_ing() -> Iterable[str]:
    rank = trained(1500).merges.index((b"in", b"g"))
    yield f"Merge {rank + 1} makes it"


def what_1000_merges_buy() -> Iterable[str]:
    size = sum(len(b"".join(word)) * times for word, times in words_after(()).items())
    tokens = sum(
        len(word) * times for word, times in words_after(tuple(trained(1500).merges[:1000])).items()
    )
    yield f"1,000        {size / tokens:.2f}  {tokens:,}"


def bytes_of_a_greeting() -> Iterable[str]:
    first, second = (" ".join(f"{byte:02X}   " for byte in char.encode()) for char in "你好")
    yield f"bytes       {first} {second}".rstrip()


def token_300() -> Iterable[str]:
    yield f"│ {trained(1500).decode([300])} "


def two_ids() -> Iterable[str]:
    yield f"│ {trained(1500).decode([1014, 270]).replace(' ', '·')} "


def the_most_stale_entry() -> Iterable[str]:
    before, after = count_of((b"t", b"h")), count_of((b"t", b"h"), [(b"h", b"e")])
    yield f"{before:,}   {after}"
    yield f"he took {before - after:,}"


def frequent_pretokens() -> Iterable[str]:
    times = words_after(())[tuple(bytes([byte]) for byte in b" the")]
    yield f"2 {times:,} "
    yield " ·the "


TWENTY = (
    Question("which pair is next, and why?", STORIES, (), most_frequent_pair),
    Question(
        "what is it tied with?",
        HANDOUT,
        ("right",),
        ("Why  the highest count, tied with  e+s", "merge 1 │ 2 pairs tied"),
    ),
    Question("what was a count before and after?", STORIES, ("right",), changes_of_the_first_merge),
    Question("which words does a merge touch?", STORIES, ("right",), words_of_the_first_merge),
    Question("who took of a pair?", LONG, ("w", ("typed", "t|h")), life_of_t_and_h),
    Question(
        'why is " lowest" not one token?',
        LONG,
        ("2", "w", ("typed", " lowest")),
        never_side_by_side,
    ),
    Question(
        "which tokens are never encoded?",
        TokenizerConfig((str(SWAPPED),)),
        ("escape", "3", "F", "d"),
        tokens_that_no_text_gives,
    ),
    Question(
        "what would another rule take here?",
        HANDOUT,
        ("right",),
        ("Other rules would take", "e+s  first-seen (minbpe),"),
    ),
    Question(
        "what would another rule learn?",
        HANDOUT,
        ("i", "down", "enter"),
        ("The first difference is merge 1", "+      2  es+t"),
    ),
    Question(
        "which alternative matched 12?",
        STORIES,
        ("2", ("typed", "don't 12")),
        ("  ·12  ", "  numbers "),
    ),
    Question(
        "where in the corpus is ·the?",
        STORIES,
        ("w", ("typed", " the"), "enter", "f"),
        words_of_the_corpus_with_the,
    ),
    Question("which merge made ing?", LONG, ("w", ("typed", "ing")), merge_of_ing),
    Question("what do 1,000 merges buy?", LONG, ("4",), what_1000_merges_buy),
    Question("what is 你好 in bytes?", STORIES, ("2", "a", ("typed", "你好")), bytes_of_a_greeting),
    Question("what is id 300?", LONG, ("end", "2", "shift+tab", ("typed", "300")), token_300),
    Question(
        "which text is [1014, 270]?",
        LONG,
        ("end", "2", "shift+tab", ("typed", "[1014, 270]")),
        two_ids,
    ),
    Question(
        "what if merge 3 were forbidden?",
        HANDOUT,
        ("g", ("typed", "3"), "enter", "i", "enter"),
        ("what if: forbid merge 3, made here: o+w", "The first difference is merge 3"),
    ),
    Question("which entries are stale, and why?", STORIES, ("right",), the_most_stale_entry),
    Question(
        "how much work does naive do?",
        HANDOUT,
        ("6",),
        ("the whole run: who needs how much?", "× 1.0", "naive "),
    ),
    Question(
        "what does WordPiece learn here?",
        HANDOUT,
        ("M", "down", "enter"),
        ("handout.txt │ WordPiece", "w+##i         3 / (3 × 3)      0.333"),
    ),
    Question("which pretokens are the most frequent?", STORIES, ("4",), frequent_pretokens),
)
"""The questions of a course, in the order in which it comes to them."""

FILES = (
    Question(
        "which merges are behind these ranks?",
        lambda files: TokenizerConfig((str(files / "ours.tiktoken"),)),
        ("escape", "1"),
        merges_behind_ranks,
    ),
    Question(
        "how many tokens has this file?",
        lambda files: TokenizerConfig((str(files / "ours"),), corpus=str(SAMPLE)),
        ("end",),
        tokens_of_a_file,
    ),
)
"""Questions about files of users."""


def squeezed(text: str) -> str:
    """Return a text with one blank for several: columns may have any width."""
    return " ".join(text.split())


QUICK = (
    "which pair is next, and why?",
    "which merge made ing?",
    "how much work does naive do?",
    "which alternative matched 12?",
)
"""A question about each kind of screen; the others are slow, as each opens the application."""


def questions() -> list[ParameterSet]:
    """Return all questions as parameters; those that are not in `QUICK` are slow."""
    return [
        pytest.param(each, id=each.asked, marks=() if each.asked in QUICK else pytest.mark.slow)
        for each in (*TWENTY, *FILES)
    ]


@pytest.mark.parametrize("question", questions())
async def test_a_question_is_answered_in_four_keys(question: Question, files: Path) -> None:
    assert sum(isinstance(key, str) for key in question.keys) <= MOST_KEYS
    opened = question.opened(files) if callable(question.opened) else question.opened
    async with opened_as(opened) as (app, pilot):
        for key in question.keys:
            if isinstance(key, str):
                await pilot.press(key)
            else:
                app.post_message(events.Paste(key[1]))
            await pilot.pause()
        answer = question.answer() if callable(question.answer) else question.answer
        for part in answer:
            await until(
                pilot, lambda part=part: squeezed(part) in squeezed(screen_text(app.screen))
            )
