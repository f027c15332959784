"""Questions about WordPiece: into which pieces a word is cut, and which pair merges next."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise

from engine.core.errors import QuestionError
from engine.core.wording import Sentence, amount, edged, frequency, say
from engine.learning.questions.answer_forms import CUT, SPACE, Choice, Cuts, Option
from engine.learning.questions.question import (
    Kind,
    Level,
    Misconception,
    Question,
    Request,
    Wrong,
    in_turn,
    pair_words,
)
from engine.text.pretokenize import to_bytes, to_text
from engine.wordpiece.frame import WordPieceFrame
from engine.wordpiece.score import ScoredPair, score_text
from engine.wordpiece.tokenizer import Outcome
from engine.wordpiece.words import CONTINUES, inner

DRAWS = 1000
"""Number of words to draw: few are cut otherwise by each wrong idea."""
SHORTEST, LONGEST = 4, 12
"""Characters of a word that is drawn."""
LONGEST_ASKED = 24
"""Largest number of characters of a word that is named."""

Span = tuple[int, int]
"""Start and end of a piece in its word."""


@dataclass(frozen=True)
class CutWord:
    """A word and its pieces.

    Attributes:
        spans: the word's pieces.
        fitting: pieces of several characters that fit somewhere, taken or not.
    """

    word: str
    spans: tuple[Span, ...]
    fitting: tuple[Span, ...]

    def piece(self, span: Span) -> bytes:
        """Return a part of the word as a piece: with `##`, unless the word begins there."""
        return to_bytes(_written(self.word, span))

    @property
    def bars(self) -> tuple[int, ...]:
        """The right answer: where the pieces end, but for the last."""
        return tuple(end for _, end in self.spans[:-1])

    @cached_property
    def misleading(self) -> int:
        """The number of wrong ideas that lead to the right answer."""
        return sum(self.bars in wrong.find_answers(self) for wrong in WRONG_CUTS)

    @property
    def level(self) -> Level:
        """Level of the question: the number of longer pieces that fit but are not taken."""
        return Level(min(sum(span not in self.spans for span in self.fitting), 3))


def _pose_longest_match(frame: WordPieceFrame, request: Request) -> Question:
    """Ask for the cuts of a word, from the pieces that fit in it."""
    if request.about is not None:
        named = _cut_word(frame, request.about, LONGEST_ASKED)
        if named is None:
            raise QuestionError(
                f"{request.about} is not one word of 2 to {LONGEST_ASKED} characters that are all "
                "pieces"
            )
        return _longest_match_in(frame, named)
    words = [text for word in frame.run.counts if SHORTEST <= len(text := to_text(word)) <= LONGEST]
    best: CutWord | None = None
    for _ in range(DRAWS if words else 0):
        found = _cut_word(frame, request.chance.pick(words), LONGEST)
        if found is None or not found.fitting or len(found.spans) < 2:
            continue
        if best is None or found.misleading < best.misleading:
            best = found
        if not best.misleading:
            break
    if best is None:
        raise QuestionError(f"no short word has longer pieces at step {frame.step:,}")
    return _longest_match_in(frame, best)


def _cut_word(frame: WordPieceFrame, word: str, longest: int) -> CutWord | None:
    """Cut a word; `None` if it cannot be asked about: each of its characters must be a piece."""
    if not 2 <= len(word) <= longest or not word.isprintable() or {CUT, SPACE} & {*word}:
        return None
    tokenizer = frame.tokenizer
    explained = list(tokenizer.explain(word))
    if [(each.word, each.outcome) for each in explained] != [(word, Outcome.SPELLED)]:
        return None
    encoder = tokenizer.encoder
    fitting = [
        span
        for span in combinations(range(len(word) + 1), 2)
        if _written(word, span) in encoder.ids
    ]
    spans = pairwise((0, *(end for _, end in encoder.spell(word) or ())))
    return CutWord(word, tuple(spans), tuple(span for span in fitting if span[1] - span[0] > 1))


def _written(word: str, span: Span) -> str:
    start, end = span
    return inner(word[start:end]) if start else word[start:end]


def _longest_match_in(frame: WordPieceFrame, cut: CutWord) -> Question:
    shown, pieces = cut.word.encode(), list(map(cut.piece, cut.spans))
    fitting: list[str | bytes] = []
    for piece in sorted(set(map(cut.piece, cut.fitting))):
        fitting += [", ", piece]
    given = say("No piece of several characters fits, only single ones.")
    if fitting:
        given = say(
            "Pieces that fit somewhere: {pieces}; and each single character.",
            pieces=tuple(fitting[1:]),
        )
    return Question(
        frame,
        say("Into which pieces is “{word}” cut?", word=shown),
        Cuts(cut.word),
        cut.bars,
        explain=lambda: (
            say(
                "{word} is {n}: {tokens}.",
                word=shown,
                n=amount(len(pieces), "piece"),
                tokens=edged(pieces),
            ),
            say("First {pieces}: each time the longest that fits.", pieces=in_turn(pieces)),
        ),
        explain_wrong=lambda bars: _why_not_cut(cut, bars),
        find_hints=lambda _: _hints(cut),
        advice=say(
            "From the left, the longest piece that fits, again and again. A piece inside a word "
            "begins with {sign}.",
            sign=CONTINUES,
        ),
        given=(given,),
        find_level=lambda: cut.level,
        facts=cut,
    )


def _cut_from_the_right(cut: CutWord) -> list[tuple[int, ...]]:
    starts, end = list[int](), len(cut.word)
    while end:
        end = min((start for start, at in cut.fitting if at == end), default=end - 1)
        starts.append(end)
    return [tuple(sorted(starts)[1:])]


def _cut_into_shortest(cut: CutWord) -> list[tuple[int, ...]]:
    ends, start = list[int](), 0
    while start < len(cut.word):
        start = min((end for at, end in cut.fitting if at == start), default=start + 1)
        ends.append(start)
    return [tuple(ends[:-1])]


def _cut_around_longest(cut: CutWord) -> list[tuple[int, ...]]:
    taken = set[int]()  # the places inside of pieces
    for start, end in sorted(cut.fitting, key=lambda span: (span[0] - span[1], span)):
        if taken.isdisjoint(range(start, end + 1)):
            taken.update(range(start + 1, end))
    return [tuple(place for place in range(1, len(cut.word)) if place not in taken)]


def _hints(cut: CutWord) -> tuple[Sentence, ...]:
    """Return the number of pieces, then a piece that is a trap, if there is one."""
    left = [span for span in cut.fitting if span not in cut.spans]
    number = say("it is {n}.", n=amount(len(cut.spans), "piece"))
    if not left:
        return (number,)
    return number, say("{piece} fits somewhere, but is not taken.", piece=cut.piece(left[0]))


def _why_not_cut(cut: CutWord, bars: tuple[int, ...]) -> Wrong:
    spans = pairwise((0, *bars, len(cut.word)))
    start, end = wrong = next(span for span in spans if span not in cut.spans)
    piece = cut.piece(wrong)
    if end - start > 1 and wrong not in cut.fitting:
        return Wrong(
            "took a piece that is not in the vocabulary",
            say("{piece} is no piece of this vocabulary.", piece=piece),
        )
    return Wrong(
        "took a shorter piece than the longest that fits",
        say("{piece} is a piece, but a longer one fits there.", piece=piece),
    )


# -- the pair that merges next

SCORED = 60
"""Number of pairs with the highest scores; the wrong ones are drawn from them."""


def _pose_best_score(frame: WordPieceFrame, request: Request) -> Question:
    """Ask which of some pairs has the highest score, from the counts that give it."""
    scored, frequent = frame.top_pairs(SCORED), frame.most_frequent
    if not scored or frequent is None:
        raise QuestionError(f"no pair merges after step {frame.step:,}")
    right, *others = scored
    # A pair that is tied with the right one would be as good an answer.
    lower = [each for each in others if each.score.value < right.score.value]
    if frequent.score.value < right.score.value:
        lower = [frequent, *request.chance.shuffled(each for each in lower if each != frequent)]
    if not lower:
        raise QuestionError(f"all pairs in front are tied at step {frame.step:,}")
    rows = request.chance.shuffled([right, *lower[: max(request.rows, 2) - 1]])
    return Question(
        frame,
        say("Which pair has the highest score?"),
        Choice(
            tuple(
                Option(
                    pair_words(frame, each.pair),
                    revealed=score_text(each.score.value),
                    amount=float(each.score.value),
                )
                for each in rows
            )
        ),
        rows.index(right),
        explain=lambda: _why_best_score(frame, right, frequent),
        explain_wrong=lambda row: _why_not_best_score(frame, rows[row], frequent),
        find_hints=lambda _: (
            say("the right one occurs {times}.", times=frequency(right.score.count)),
        ),
        advice=say("Divide the count of each pair by the counts of both its parts."),
        given=tuple(
            say("{pair}: {fraction}", pair=pair_words(frame, each.pair), fraction=str(each.score))
            for each in rows
        ),
        pairs=tuple(each.pair for each in rows),
    )


def _why_best_score(
    frame: WordPieceFrame, right: ScoredPair, frequent: ScoredPair
) -> tuple[Sentence, ...]:
    first = say(
        "{pair} has the highest score, {fraction} = {score}.",
        pair=pair_words(frame, right.pair),
        fraction=str(right.score),
        score=score_text(right.score.value),
    )
    if frequent.pair == right.pair:
        return (first,)
    named = pair_words(frame, frequent.pair)
    return first, say("{pair} occurs most often, but both its parts are common.", pair=named)


def _why_not_best_score(frame: WordPieceFrame, chosen: ScoredPair, frequent: ScoredPair) -> Wrong:
    named, score = pair_words(frame, chosen.pair), score_text(chosen.score.value)
    if chosen == frequent:
        template = "{pair} occurs most often, but its score is only {score}."
        return Wrong("took the most frequent pair", say(template, pair=named, score=score))
    template = "{pair} scores {score}, and another pair more."
    return Wrong("took a pair of a lower score", say(template, pair=named, score=score))


WRONG_CUTS = (
    Misconception(
        "took the longest piece from the end",
        _cut_from_the_right,
        say("So cuts who begins at the end of the word; WordPiece begins at its start."),
    ),
    Misconception("took the longest piece of the word first", _cut_around_longest),
    Misconception("took the shortest piece that fits", _cut_into_shortest),
)
LONGEST_MATCH = Kind(
    "longest-match", (WordPieceFrame,), "WordPiece", _pose_longest_match, WRONG_CUTS
)
BEST_SCORE = Kind("best-score", (WordPieceFrame,), "WordPiece", _pose_best_score)
