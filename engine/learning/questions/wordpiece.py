"""Questions about WordPiece: the best score, the longest match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, islice, pairwise

from engine.core.errors import QuestionError
from engine.core.wording import Sentence, amount, frequency, say
from engine.learning.questions.pair_choice import TIE_LOST, by_rule, tie_hint
from engine.learning.questions.question import (
    CUT,
    SPACE,
    Choice,
    Cuts,
    Kind,
    Level,
    Option,
    Question,
    Request,
    Wrong,
    edged,
    in_turn,
    pair_words,
)
from engine.text.pretokenize import to_bytes, to_text
from engine.wordpiece.frame import WordPieceFrame
from engine.wordpiece.score import ScoredPair, score_text
from engine.wordpiece.tokenizer import Outcome
from engine.wordpiece.words import CONTINUES, inner

# -- WordPiece: which pair has the highest score

CANDIDATES = 200
"""Number of the best pairs to draw from, for each row."""
CLOSE_SCORE = 0.8
"""A choice is close if the second score is at least this share of the best."""


def _pose_best_score(frame: WordPieceFrame, request: Request) -> Question:
    """Ask which pair merges next, from the counts that make up the scores."""
    most = max(2, request.rows)
    ranked = frame.top_pairs(CANDIDATES * most)
    if frame.next_pair is None:
        raise QuestionError(f"no pair merges after step {frame.step:,}")
    if len(ranked) < 2:
        raise QuestionError(f"only one pair is left at step {frame.step:,}")
    right = ranked[0]

    rivals = _rivals(frame, ranked, most - 1)
    scored = request.chance.shuffled([right, *rivals])
    hint = say("a rare piece makes a score high: compare the products below the counts.")
    if right.tied:
        hint = tie_hint(len(frame.tied), frame.tie_rule)
    return Question(
        frame,
        say("Which pair merges next?"),
        Choice(
            tuple(
                Option(pair_words(frame, each.pair), str(each.score), _value(each))
                for each in scored
            )
        ),
        scored.index(right),
        explain=lambda: _why_best_score(frame, right),
        explain_wrong=lambda row: _why_not_best_score(frame, scored[row]),
        hint=hint,
        more_hints=(_score_of(frame, scored[0]),),
        advice=_advice_on_scores(frame),
        given=_left_out(frame, right),
        find_level=lambda: _best_score_level(frame, right),
        pairs=tuple(each.pair for each in scored),
        tied=frozenset(frame.tied if len(frame.tied) > 1 else ()),
    )


def _score_of(frame: WordPieceFrame, scored: ScoredPair) -> Sentence:
    return say("{pair} scores {score}.", pair=pair_words(frame, scored.pair), score=_value(scored))


def _rivals(frame: WordPieceFrame, ranked: Sequence[ScoredPair], most: int) -> list[ScoredPair]:
    """Draw the wrong pairs to choose from, with names and fractions about as long as the right one.

    Rare pieces score high. So pairs come first whose numbers are as short, and whose right piece is
    as rare. The most frequent pair, the answer of BPE, is always there.

    Args:
        ranked: pairs from the best one on, which is right.
        most: largest number of pairs.
    """
    right, *others = ranked
    frequent = frame.most_frequent
    added = [] if most < 2 or frequent in (None, right) else [frequent]

    def difference(each: ScoredPair) -> int:
        names = abs(_name_length(frame, each) - _name_length(frame, right))
        return names + 10 * abs(len(str(each.score)) - len(str(right.score)))

    alike = sorted((each for each in others if each not in added), key=difference)
    slots = most - len(added)

    def is_tempting(each: ScoredPair) -> bool:
        shorter = len(str(each.score)) <= len(str(right.score))
        return shorter and each.score.right <= right.score.right

    drawn = [each for each in alike if is_tempting(each)][:slots]
    drawn += [each for each in alike if each not in drawn][: slots - len(drawn)]
    return [*drawn, *added]


def _name_length(frame: WordPieceFrame, scored: ScoredPair) -> int:
    return sum(len(frame.any_token(token)) for token in scored.pair)


def _advice_on_scores(frame: WordPieceFrame) -> Sentence:
    """Return how a score is computed, and which pairs may merge at all."""
    return say(
        "Of the pairs that occur at least {times}, the one of the highest score: its count ÷ (left "
        "count × right count)."
        if len(frame.left_out)
        else "The one of the highest score: its count ÷ (left count × right count).",
        shorter="The highest score: count ÷ (left × right).",
        times=frequency(frame.min_count),
    )


def _left_out(frame: WordPieceFrame, best: ScoredPair) -> tuple[Sentence, ...]:
    """Return a sentence about a pair of higher score that is too rare to merge, if there is one."""
    rare = frame.best_left_out
    if rare is None or rare.score.value <= best.score.value:
        return ()
    return (
        say(
            "Left out by the minimum of {n}: {pair}, {fraction} = {score}.",
            shorter="Too rare: {pair}, {fraction}.",
            n=str(frame.min_count),
            pair=pair_words(frame, rare.pair),
            fraction=str(rare.score),
            score=_value(rare),
        ),
    )


def _value(scored: ScoredPair) -> str:
    """Return the score in a few digits: 6.04·10⁻⁴."""
    return score_text(scored.score.value)


def _why_best_score(frame: WordPieceFrame, best: ScoredPair) -> tuple[Sentence, ...]:
    words, frequent = pair_words(frame, best.pair), frame.most_frequent
    if best.tied:
        n, score = f"{len(frame.tied):,}", _value(best)
        return (
            say("{pair} wins the tie of {n} at {count}.", pair=words, n=n, count=score),
            by_rule(frame.tie_rule),
        )
    first = say(
        "{pair} has the highest score of those that occur {times} or more: {fraction} = {score}."
        if len(frame.left_out)
        else "{pair} has the highest score: {fraction} = {score}.",
        shorter="{pair} scores most: {score}.",
        pair=words,
        times=frequency(frame.min_count),
        fraction=str(best.score),
        score=_value(best),
    )
    if frequent is None or frequent.pair == best.pair:
        return (first,)
    return first, say(
        "The most frequent pair, {pair}, scores {score}: its pieces are common anyway.",
        shorter="The most frequent, {pair}, scores {score}.",
        pair=pair_words(frame, frequent.pair),
        score=_value(frequent),
    )


def _why_not_best_score(frame: WordPieceFrame, chosen: ScoredPair) -> Wrong:
    words, value = pair_words(frame, chosen.pair), _value(chosen)
    if chosen.tied:
        return Wrong(
            TIE_LOST,
            say(
                "{pair} scores {score}, but so does another pair.",
                shorter="{pair} scores {score}, but not alone.",
                pair=words,
                score=value,
            ),
            by_rule(frame.tie_rule),
        )
    first = say(
        "{pair} scores {score}; another pair scores more.",
        shorter="{pair} scores {score}; another, more.",
        pair=words,
        score=value,
    )
    if frame.most_frequent is not None and chosen.pair == frame.most_frequent.pair:
        return Wrong(
            "took the most frequent pair, as BPE does",
            first,
            say(
                "It is the most frequent pair; BPE would merge it.",
                shorter="The most frequent: BPE would merge it.",
            ),
        )
    return Wrong("took a pair of a lower score", first)


def _best_score_level(frame: WordPieceFrame, right: ScoredPair) -> Level:
    if right.tied:
        return Level.TIE
    best, second = (each.score.value for each in frame.top_pairs(2))
    return Level.CLOSE if second >= CLOSE_SCORE * best else Level.CLEAR


BEST_SCORE = Kind("best-score", (WordPieceFrame,), "WordPiece", _pose_best_score)

# -- WordPiece: into which pieces a word is cut

WORDS, DRAWS = 2000, 60
"""Number of different words of the corpus to draw from, and of draws."""
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
    words = [
        text
        for word in islice(frame.run.counts, WORDS)
        if SHORTEST <= len(text := to_text(word)) <= LONGEST
    ]
    easy = None
    for _ in range(DRAWS if words else 0):
        found = _cut_word(frame, request.chance.pick(words), LONGEST)
        if found is None or not found.fitting or len(found.spans) < 2:
            continue
        if found.level > Level.CLEAR:
            return _longest_match_in(frame, found)
        easy = easy or found
    if easy is None:
        raise QuestionError(f"no short word has longer pieces at step {frame.step:,}")
    return _longest_match_in(frame, easy)


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
    pieces = encoder.spell(word)
    if pieces is None or sum(end - start == 1 for start, end in fitting) < len(word):
        return None
    spans = pairwise((0, *(end for _, end in pieces)))
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
        tuple(end for _, end in cut.spans[:-1]),
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
        hint=say("the first piece is {piece}.", piece=pieces[0]),
        advice=say(
            "From the left, the longest piece that fits, again and again. A piece inside a word "
            "begins with {sign}.",
            shorter="From the left, the longest piece that fits.",
            sign=CONTINUES,
        ),
        given=(given,),
        find_level=lambda: cut.level,
    )


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


LONGEST_MATCH = Kind("longest-match", (WordPieceFrame,), "WordPiece", _pose_longest_match)
