"""Common questions about a tokenizer, and the few keys that answer each.

Each question begins with an open corpus or tokenizer and takes four keys at the most; a text that
is typed is one thing more to do. The answer is read from the screen, as a person would read it.
Its numbers are those of the engine.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from _pytest.mark import ParameterSet
from opening import SAMPLE, opened_as, session_of, until
from textual import events

from bpe_tui.session.config import Config, RunConfig, TokenizerConfig
from bpe_tui.shell.exports import screen_text
from engine import Tokenizer, count_pretokens
from engine.bpe.frame import Frame

MOST_KEYS = 4
HANDOUT = RunConfig(str(SAMPLE.parent / "handout.txt"), pattern="whitespace", vocab_size=1000)
STORIES = RunConfig(str(SAMPLE), vocab_size=700)
LONG = RunConfig(str(SAMPLE), vocab_size=1500)
SWAPPED = SAMPLE.parent / "swapped.json"
OURS, RANKS = Path("ours"), Path("ours.tiktoken")
"""The tokenizer of the stories, and its tokens as ranks."""


@cache
def at(step: int) -> Frame:
    """Return the frame of a step of the long run."""
    frame = session_of(LONG).frame
    assert isinstance(frame, Frame)
    return frame.at(step)


def tokenizer() -> Tokenizer:
    """Return the tokenizer of the stories, of 443 merges."""
    return at(443).tokenizer()


def count_of(pair: bytes, step: int = 0) -> int:
    """Return the count of a pair of bytes at a step."""
    return at(step).count_of((pair[0], pair[1]))


def tokens(step: int) -> int:
    return int(at(step).statistics.tokens_in_corpus(step)[-1])


def count_of_the() -> str:
    return f"{count_pretokens(SAMPLE)[b' the']:,}"


# --- the questions --------------------------------------------------------------------------------


class Question(NamedTuple):
    """A question, the place to ask, the keys that answer it, and the answer on the screen.

    The key `=low` types a text, in which `·` is a blank. Any text may be at the `…` of an answer.
    """

    asked: str
    opened: Config
    keys: str
    answer: str | Callable[[], str]


def text_of(token: int) -> str:
    return at(1000).tokenizer().decode([token]).replace(" ", "·")


def taken_of_t_and_h() -> int:
    return count_of(b"th") - count_of(b"th", 1)


def tokens_that_no_text_gives() -> str:
    swapped = Tokenizer.load(SWAPPED)
    texts = {number: token.decode("utf-8", "ignore") for number, token in swapped.vocab.items()}
    spelled = {n: text for n, text in texts.items() if text.encode() == swapped.vocab[n]}
    out_of_reach = [n for n, text in spelled.items() if swapped.encode(text) != [n]]
    return f"{len(out_of_reach)} of {len(texts)} tokens"


def last_merge() -> str:
    merges = tokenizer().merges
    left, right = (part.decode().replace(" ", "·") for part in merges[-1])
    return f"{len(merges)}  {left}+{right}"


TWENTY = (
    Question(
        "which pair is next, and why?",
        STORIES,
        "",
        lambda: f"Next h+e occurs {count_of(b'he'):,} times, more often",
    ),
    Question(
        "what is it tied with?",
        HANDOUT,
        "right",
        "Why the highest count, tied with e+s … merge 1 │ 2 pairs tied",
    ),
    Question(
        "what was a count before and after?",
        STORIES,
        "right",
        lambda: f"t+h {count_of(b'th'):,} → {count_of(b'th', 1):,}",
    ),
    Question(
        "which words does a merge touch?",
        STORIES,
        "right",
        lambda: f"{count_of_the()} ·the → ·the",
    ),
    Question(
        "who took of a pair?",
        LONG,
        "w =t|h",
        lambda: f"“t”+“h”: {count_of(b'th'):,} at step 0. … 1 h+e … −{taken_of_t_and_h():,}",
    ),
    Question(
        'why is " lowest" not one token?',
        LONG,
        "2 w =·lowest",
        "“ow”+“est”: the two never occur side by side",
    ),
    Question(
        "which tokens are never encoded?",
        TokenizerConfig((str(SWAPPED),)),
        "escape 3 F d",
        tokens_that_no_text_gives,
    ),
    Question(
        "what would another rule take here?",
        HANDOUT,
        "right",
        "Other rules would take … e+s first-seen (minbpe),",
    ),
    Question(
        "what would another rule learn?",
        HANDOUT,
        "i down enter",
        "The first difference is merge 1 … + 2 es+t",
    ),
    Question("which alternative matched 12?", STORIES, "2 =don't·12", "·12 … numbers"),
    Question(
        "where in the corpus is ·the?",
        STORIES,
        "w =·the enter enter",
        lambda: f"{count_of_the()} ·the → ·the",
    ),
    Question(
        "which merge made ing?",
        LONG,
        "w =ing",
        lambda: f"Merge {1 + tokenizer().merges.index((b'in', b'g'))} makes it",
    ),
    Question(
        "what do 1,000 merges buy?",
        LONG,
        "4",
        lambda: f"1,000 {at(1000).bytes_per_token:.2f} {tokens(1000):,}",
    ),
    Question("what is 你好 in bytes?", STORIES, "2 a =你好", "bytes E4 BD A0 E5 A5 BD"),
    Question(
        "what is id 300?",
        LONG,
        "end 3 / =300",
        lambda: f"300 {tokenizer().decode([300])} … merge tree of {tokenizer().decode([300])}",
    ),
    Question(
        "which text is [1014, 270]?",
        LONG,
        "end 3 / =[1014,·270]",
        lambda: f"1,014 {text_of(1014)} … 270 {text_of(270)}",
    ),
    Question(
        "what if merge 3 were forbidden?",
        HANDOUT,
        "g =3 enter i enter",
        "what if: forbid merge 3, made here: o+w … The first difference is merge 3",
    ),
    Question(
        "which entries are stale, and why?",
        STORIES,
        "right",
        lambda: f"{count_of(b'th'):,} {count_of(b'th', 1)} … he took {taken_of_t_and_h():,}",
    ),
    Question(
        "how much work does naive do?",
        HANDOUT,
        "6",
        "the whole run: who needs how much? … × 1.0 … naive",
    ),
    Question(
        "what does WordPiece learn here?",
        HANDOUT,
        "M down enter",
        "handout.txt │ WordPiece … w+##i 3 / (3 × 3) 0.333",
    ),
    Question(
        "which pretokens are the most frequent?",
        STORIES,
        "4",
        lambda: f"2 {count_of_the()} … ·the",
    ),
)
"""The questions of a course, in the order in which it comes to them."""

FILES = (
    Question(
        "which merges are behind these ranks?",
        TokenizerConfig((str(RANKS),)),
        "escape 1",
        last_merge,
    ),
    Question(
        "how many tokens has this file?",
        TokenizerConfig((str(OURS),), str(SAMPLE)),
        "end",
        lambda: f"{tokens(443):,} tokens",
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
async def test_a_question_is_answered_in_four_keys(question: Question) -> None:
    keys = question.keys.split()
    assert sum(not key.startswith("=") for key in keys) <= MOST_KEYS
    if question in FILES:
        tokenizer().save(OURS, overwrite=True)
        tokenizer().save(RANKS, format="tiktoken", overwrite=True)
    async with opened_as(question.opened) as (app, pilot):
        for key in keys:
            if key.startswith("="):
                app.post_message(events.Paste(key[1:].replace("·", " ")))
            else:
                await pilot.press(key)
            await pilot.pause()
        answer = question.answer() if callable(question.answer) else question.answer
        for part in map(squeezed, answer.split("…")):
            await until(pilot, lambda part=part: part in squeezed(screen_text(app.screen)))
