"""Questions about costs: which of some texts is the fewest tokens?

Drawn texts have one length. The cheapest is at any place of the byte order, and of the frequency of
its letters, equally often: none of them says anything. A learner's own text is compared with other
ways to write it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from engine.bpe.frame import Frame
from engine.core.errors import QuestionError
from engine.core.wording import Sentence, amount, edged, say
from engine.learning.questions.answer_forms import CUT, SPACE, Choice, Option
from engine.learning.questions.question import Kind, Level, Misconception, Question, Request, Wrong
from engine.learning.questions.words_in_sight import Commonness
from engine.text.pretokenize import to_bytes, to_text

MOST_TEXTS, LONGEST_TEXT = 6, 80
"""Largest number of texts, and of characters of a text."""
DRAWN = 3
"""Number of texts that are drawn."""
WORDS, SHORTEST_WORD, LONGEST_WORD = 5000, 4, 14
"""Number of different words of the corpus to draw from, and the numbers of bytes of such a word."""
DRAWS = 240


@dataclass(frozen=True)
class Cost:
    """A text and its tokens."""

    text: str
    tokens: tuple[bytes, ...]

    @property
    def said(self) -> Sentence:
        """A sentence with the number of tokens, and the tokens."""
        return say(
            "{text} is {n}: {tokens}.",
            text=to_bytes(self.text),
            n=amount(len(self.tokens), "token"),
            tokens=edged(self.tokens),
        )


def _pose_fewer(frame: Frame, request: Request) -> Question:
    """Ask which of some texts costs the fewest tokens."""
    costs = _drawn(frame, request) if request.about is None else _named(frame, request.about)
    first, second, *_ = sorted(costs, key=lambda cost: len(cost.tokens))
    shown = request.chance.pick(costs)
    return Question(
        frame,
        say("Which costs the fewest tokens? Predict, then see."),
        Choice(
            tuple(
                Option((to_bytes(cost.text),), revealed=f"{len(cost.tokens):,}") for cost in costs
            )
        ),
        costs.index(first),
        explain=lambda: (first.said, second.said),
        explain_wrong=lambda row: Wrong("took a text of more tokens", costs[row].said),
        find_hints=lambda _: (
            say(
                "{text} begins with the token {token}.",
                text=to_bytes(shown.text),
                token=shown.tokens[0],
            ),
        ),
        advice=say(
            "What was frequent in training is few tokens; a space and capitals count."
            if frame.step
            else "No merge is made yet, so each byte is a token."
        ),
        find_level=lambda: (
            Level.CLEAR if len(second.tokens) > 1 + len(first.tokens) else Level.CLOSE
        ),
        facts=costs,
    )


def _shortest(costs: Sequence[Cost]) -> list[int]:
    """Return the row of the text with the fewest characters, if one alone has them."""
    lengths = [len(cost.text) for cost in costs]
    return [lengths.index(min(lengths))] if lengths.count(min(lengths)) == 1 else []


def _cost(frame: Frame, text: str) -> Cost:
    ids = (token for each in frame.encode(text) for token in each.ids)
    return Cost(text, tuple(map(frame.any_token, ids)))


def _named(frame: Frame, about: str) -> Sequence[Cost]:
    """Return the costs of texts, with `|` between them."""
    texts = [part.replace(SPACE, " ") for part in about.split(CUT)]
    if not 1 < len(texts) <= MOST_TEXTS or not all(0 < len(text) <= LONGEST_TEXT for text in texts):
        raise QuestionError(
            f"name 2 to {MOST_TEXTS} texts of up to {LONGEST_TEXT} characters, with {CUT} between"
        )
    costs = [_cost(frame, text) for text in texts]
    if not _has_one_cheapest(costs):
        raise QuestionError("two of these texts cost the fewest tokens")
    return costs


def _has_one_cheapest(costs: Sequence[Cost]) -> bool:
    numbers = [len(cost.tokens) for cost in costs]
    return all(numbers) and numbers.count(min(numbers)) == 1


def _drawn(frame: Frame, request: Request) -> Sequence[Cost]:
    """Draw words of one length, all with a capital letter or none."""
    chance = request.chance
    by_length: dict[tuple[int, bool], list[str]] = {}
    for word in islice(frame.counts, WORDS):
        text = to_text(word)
        if SHORTEST_WORD <= len(word) <= LONGEST_WORD and text.isprintable() and CUT not in text:
            for is_title, each in ((False, text), (True, text.title())):
                by_length.setdefault((len(to_bytes(each)), is_title), []).append(each)
    pools = [list(dict.fromkeys(words)) for words in by_length.values()]
    pools = [pool for pool in pools if len(pool) >= DRAWN]
    wanted, common = (chance.below(DRAWN), chance.below(DRAWN)), Commonness(frame)
    for _ in range(DRAWS if pools else 0):
        pool = chance.pick(pools)
        texts = [chance.pick(pool) for _ in range(DRAWN)]
        costs = [_cost(frame, text) for text in texts]
        if len({*texts}) == DRAWN and _has_one_cheapest(costs):
            best = min(costs, key=lambda cost: len(cost.tokens))
            ranks = sorted(texts), sorted(texts, key=common.of_text)
            if tuple(rank.index(best.text) for rank in ranks) == wanted:
                return costs
    raise QuestionError(f"no words of one length differ in their tokens at step {frame.step:,}")


def ways_to_write(frame: Frame, text: str, word: str) -> str:
    """Return what to ask about a typed text: its lines, or other ways to write one word of it.

    Ways that cost as many tokens as another are left out, from the costliest on.

    Raises:
        QuestionError: nothing is to be compared.

    >>> from engine import Timeline, Trainer
    >>> counts = {b" egg": 5, b"egg": 1}
    >>> timeline = Timeline(counts, Trainer(counts, 259).steps())
    >>> ways_to_write(timeline.seek(3), "an egg", " egg")
    'egg|Egg|EGG'
    """
    lines = [line for line in dict.fromkeys(text.splitlines()) if line.strip()]
    bare = word.strip()
    ways = lines if len(lines) > 1 else [bare, f" {bare}", bare.title(), bare.upper()]
    costs: dict[int, str] = {}
    for way in ways:
        costs.setdefault(len(_cost(frame, way).tokens), way)
    kept = [way for way in dict.fromkeys(ways) if way in costs.values() and CUT not in way]
    if len(kept) < 2 or not bare:
        raise QuestionError("all ways to write this cost the same: type a longer word or two lines")
    return CUT.join(way[:LONGEST_TEXT] for way in kept[:MOST_TEXTS])


FEWER = Kind(
    "fewer",
    (Frame,),
    "BPE",
    _pose_fewer,
    (Misconception("took the text of the fewest characters", _shortest),),
)
