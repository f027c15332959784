"""Questions about WordPiece (scores, longest match) and Unigram (pruned pieces, best paths)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, pairwise
from typing import NamedTuple

from engine.core.errors import QuestionError
from engine.core.wording import Sentence, Words, amount, frequency, say
from engine.learning.questions.pair_choice import by_rule, tie_hint
from engine.learning.questions.question import (
    CUT,
    SPACE,
    Chance,
    Choice,
    Cuts,
    Kind,
    Level,
    Option,
    Question,
    Request,
    edged,
    in_turn,
    minus,
    pair_words,
)
from engine.text.pretokenize import to_bytes, to_text
from engine.unigram.frame import UnigramFrame
from engine.unigram.lattice import Path
from engine.unigram.pieces import spelled, unspelled
from engine.unigram.record import Pruned, PruneRule, PruneStep
from engine.wordpiece.frame import WordPieceFrame
from engine.wordpiece.score import ScoredPair, score_text
from engine.wordpiece.tokenizer import Outcome
from engine.wordpiece.words import CONTINUES, inner

# -- WordPiece: which pair has the highest score

CANDIDATES = 6
"""Number of the best pairs to choose from, for each row."""
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
    right, frequent = ranked[0], frame.most_frequent

    def length(scored: ScoredPair) -> int:
        return sum(len(frame.any_token(token)) for token in scored.pair)

    # Names of about the same length: long pieces are rare ones, and often score high.
    alike = sorted(ranked[1:], key=lambda each: abs(length(each) - length(right)))
    ranked = [right, *alike[: most - 1]]
    if frequent is not None and frequent.pair not in {each.pair for each in ranked}:
        ranked = [*ranked[:-1], frequent] if len(ranked) > 2 else [*ranked, frequent]
    scored = request.chance.shuffled(ranked)
    hint = say("its left piece is {piece}.", piece=frame.any_token(right.pair[0]))
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
        advice=_advice_on_scores(frame),
        given=_left_out(frame, right),
        find_level=lambda: _best_score_level(frame, right),
        pairs=tuple(each.pair for each in scored),
        tied=frozenset(frame.tied if len(frame.tied) > 1 else ()),
    )


def _advice_on_scores(frame: WordPieceFrame) -> Sentence:
    """Return how a score is computed, and which pairs may merge at all."""
    return say(
        "Of the pairs that occur at least {times}, the one of the highest score: its count ÷ (left "
        "count · right count)."
        if len(frame.left_out)
        else "The one of the highest score: its count ÷ (left count · right count).",
        shorter="The highest score: count ÷ (left · right).",
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


def _why_not_best_score(frame: WordPieceFrame, chosen: ScoredPair) -> tuple[Sentence, ...]:
    words, value = pair_words(frame, chosen.pair), _value(chosen)
    if chosen.tied:
        return (
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
        return first, say("It is the most frequent pair; BPE would merge it.")
    return (first,)


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
        say("Into which pieces is {word} cut?", word=shown),
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
        explain_wrong=lambda bars: (_why_not_cut(cut, bars),),
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


def _why_not_cut(cut: CutWord, bars: tuple[int, ...]) -> Sentence:
    spans = pairwise((0, *bars, len(cut.word)))
    start, end = wrong = next(span for span in spans if span not in cut.spans)
    piece = cut.piece(wrong)
    if end - start > 1 and wrong not in cut.fitting:
        return say("{piece} is no piece of this vocabulary.", piece=piece)
    return say("{piece} is a piece, but a longer one fits there.", piece=piece)


LONGEST_MATCH = Kind("longest-match", (WordPieceFrame,), "WordPiece", _pose_longest_match)

# -- Unigram: which piece the next prune removes first

CLEAR, SURE = 2.0, 1.2
"""The second piece costs this many times the first: a clear gap, or at least no doubt."""
DRAWN_FROM, PRUNE_DRAWS = 300, 20
"""Number of pruned pieces to draw from, and of draws."""


class PrunedPiece(NamedTuple):
    """A piece that the next prune removes.

    Attributes:
        measure: the number that decides: the loss added by its removal, or its score.
        used: expected number of uses in the corpus.
        lost: how much lower the score of the best other segmentation of its text is.
    """

    text: str
    measure: float
    score: float
    used: float
    lost: float


def _pose_first_to_go(frame: UnigramFrame, request: Request) -> Question:
    """Ask which of some pieces the next prune removes first."""
    step = frame.leads_on
    if not isinstance(step, PruneStep):
        raise QuestionError(f"after step {frame.step:,} no prune follows; ask before one")
    by_score = step.rule is PruneRule.SCORE
    printable = [piece for piece in step.removed if piece.text.isprintable()]
    candidates = list(_measured(frame, printable[:DRAWN_FROM], by_score))
    for _ in range(PRUNE_DRAWS):
        pieces: list[PrunedPiece] = []
        shuffled = request.chance.shuffled(candidates)
        # Names of about the same length: short pieces often cost less.
        for piece in sorted(
            shuffled, key=lambda piece: abs(len(piece.text) - len(shuffled[0].text))
        ):
            if all(_differ(piece.measure, other.measure) for other in pieces):
                pieces.append(piece)
            if len(pieces) == max(2, request.rows):
                break
        if len(pieces) > 1 and (by_score or _estimates_agree(pieces)):
            break
    else:
        raise QuestionError("the pieces that go next cost about the same; ask at another step")
    pieces = request.chance.shuffled(pieces)
    first, second, *_ = by_measure = sorted(pieces, key=lambda piece: piece.measure)
    if by_score:
        advice = say("The one of the lowest score.")
        options = [Option((_shown(each.text),), "", minus(each.score)) for each in pieces]
    else:
        advice = say(
            "The one that costs least: how often it is used · by what its score is better.",
            shorter="Least: times used · what is lost each time.",
        )
        options = [
            Option(
                *((_shown(each.text),), f"{each.used:,.1f} · {each.lost:.2f}"),
                f"+{each.measure:.2g}",
            )
            for each in pieces
        ]
    is_clear = not by_score and second.measure > CLEAR * first.measure
    return Question(
        frame,
        say("Which of these pieces goes first?"),
        Choice(tuple(options)),
        pieces.index(first),
        explain=lambda: _why_first_to_go(frame, first, second, by_score),
        explain_wrong=lambda row: (_why_not_first_to_go(pieces[row], by_score),),
        hint=say("{piece} is the last of them to go.", piece=_shown(by_measure[-1].text)),
        advice=advice,
        find_level=lambda: Level.CLEAR if is_clear else Level.CLOSE,
    )


def _measured(
    frame: UnigramFrame, pruned: Sequence[Pruned], by_score: bool
) -> Iterator[PrunedPiece]:
    for piece in pruned:
        index = frame.index_of(piece.number)
        instead = frame.alternative(piece.text)
        if index is None or instead is None:
            continue
        used, lost = float(frame.expected_counts[index]), piece.score - instead.score
        if by_score:
            yield PrunedPiece(piece.text, piece.score, piece.score, used, lost)
        elif piece.loss_increase > 0 and used >= 1 and lost > 0:
            yield PrunedPiece(piece.text, piece.loss_increase, piece.score, used, lost)


def _differ(one: float, other: float) -> bool:
    """Whether two measures differ by more than rounding on any machine."""
    return abs(one - other) > 0.02 * max(abs(one), abs(other))


def _estimates_agree(pieces: Sequence[PrunedPiece]) -> bool:
    """Whether the numbers that are given lead to the piece that really goes first."""
    first, *others = sorted(pieces, key=lambda piece: piece.used * piece.lost)
    surely_more = SURE * first.used * first.lost
    return first == min(pieces, key=lambda piece: piece.measure) and all(
        surely_more <= other.used * other.lost for other in others
    )


def _why_first_to_go(
    frame: UnigramFrame, first: PrunedPiece, second: PrunedPiece, by_score: bool
) -> tuple[Sentence, ...]:
    text = _shown(first.text)
    if by_score:
        return (
            say("{piece} has the lowest score, {score}.", piece=text, score=minus(first.score)),
            say("The next one has {score}.", score=minus(second.measure)),
        )
    instead = frame.alternative(first.text)
    pieces = () if instead is None else _path_words(first.text, instead)
    return (
        say("{piece} raises the loss least, by {n}.", piece=text, n=f"{first.measure:.2g}"),
        say(
            "{pieces} replace it. The next one raises it by {n}.",
            shorter="The next one raises it by {n}.",
            pieces=pieces,
            n=f"{second.measure:.2g}",
        ),
    )


def _why_not_first_to_go(chosen: PrunedPiece, by_score: bool) -> Sentence:
    if by_score:
        return say(
            "{piece} has the score {score}; another has a lower one.",
            shorter="{piece} has {score}; another, less.",
            piece=_shown(chosen.text),
            score=minus(chosen.score),
        )
    return say(
        "{piece} raises the loss by {n}; another raises it less.",
        shorter="{piece} costs {n}; another, less.",
        piece=_shown(chosen.text),
        n=f"{chosen.measure:.2g}",
    )


FIRST_TO_GO = Kind("first-to-go", (UnigramFrame,), "Unigram", _pose_first_to_go)

# -- Unigram: which path through a word wins

PATH_WORDS, PATH_DRAWS = 5000, 100
"""Number of the most frequent words to draw from, and of draws."""
SHORTEST_PATH, LONGEST_PATH = 3, 12
"""Characters of a word."""
MOST_PATHS, MOST_PIECES = 4, 5
SEARCHED_PATHS = 24
"""Number of the best paths among which those with as many pieces as the best are found."""
APART, CLOSE_PATHS = 0.05, 1.0
"""Least lead of the best path, to be seen in two decimals; with a smaller lead than the second
number the choice is close."""


def _pose_best_path(frame: UnigramFrame, request: Request) -> Question:
    """Ask which segmentation of a word has the greatest sum of scores."""
    most, chance = min(max(2, request.rows), MOST_PATHS), request.chance
    if request.about is not None:
        word = spelled(request.about.replace(SPACE, " "))
        paths = frame.lattice(word).n_best(SEARCHED_PATHS) if len(word) <= 2 * LONGEST_PATH else []
        if not word or not _is_clear(paths):
            raise QuestionError(f"{request.about} has no two paths of clearly different scores")
        return _best_path_of(frame, word, _alike(paths, most) or paths[:most], chance)
    words = [
        word
        for word in islice(frame.words, PATH_WORDS)
        if SHORTEST_PATH <= len(word) <= LONGEST_PATH and word.isprintable()
    ]
    fallback = None  # with fewer pieces than the others, the best path is easily guessed
    for _ in range(PATH_DRAWS if words else 0):
        word = chance.pick(words)
        best, *others = frame.lattice(word).n_best(SEARCHED_PATHS)
        paths = [best, *(path for path in others if len(path.edges) <= MOST_PIECES)]
        if len(best.edges) > MOST_PIECES or not _is_clear(paths):
            continue
        if alike := _alike(paths, most):
            return _best_path_of(frame, word, alike, chance)
        fallback = fallback or (word, paths[:most])
    if fallback is None:
        raise QuestionError(f"no short word has two paths to choose from at step {frame.step:,}")
    return _best_path_of(frame, *fallback, chance)


def _is_clear(paths: Sequence[Path]) -> bool:
    """Whether there are two paths, and the first is better by a visible amount."""
    return len(paths) > 1 and paths[0].score - paths[1].score >= APART


def _alike(paths: Sequence[Path], most: int) -> list[Path]:
    """Return paths with as many pieces as the best one; [] if only that one has."""
    alike = [path for path in paths if len(path.edges) == len(paths[0].edges)][:most]
    return alike if len(alike) > 1 else []


def _best_path_of(
    frame: UnigramFrame, word: str, found: Sequence[Path], chance: Chance
) -> Question:
    paths = chance.shuffled(found)
    best, second, *_ = sorted(paths, key=lambda path: -path.score)
    options = [
        Option(
            _path_words(word, path),
            " ".join(f"\u2212 {-edge.score:.2f}" for edge in path.edges),
            minus(path.score),
        )
        for path in paths
    ]
    lead = best.score - second.score
    first_differs = len({path.edges[0] for path in paths}) > 1
    edge = best.edges[0 if first_differs else -1]
    return Question(
        frame,
        say("Which path through {word} wins?", word=_shown(word)),
        Choice(tuple(options)),
        paths.index(best),
        explain=lambda: (
            say(
                "{path} has the greatest sum, {score}.",
                path=_path_words(word, best),
                score=minus(best.score),
            ),
            say(
                "The next one here has {score}, {n} less.",
                score=minus(second.score),
                n=f"{lead:.2f}",
            ),
        ),
        explain_wrong=lambda row: (_why_not_best_path(word, paths[row]),),
        hint=say(
            "its first piece is {piece}." if first_differs else "its last piece is {piece}.",
            piece=_shown(word[edge.start : edge.end]),
        ),
        advice=say("The greatest sum of scores: nearest to 0."),
        find_level=lambda: Level.CLOSE if lead < CLOSE_PATHS else Level.CLEAR,
    )


def _path_words(word: str, path: Path) -> Words:
    return edged(_shown(word[edge.start : edge.end]) for edge in path.edges)


def _shown(text: str) -> bytes:
    """Return a piece as it occurs in the corpus: a space for each ▁."""
    return to_bytes(unspelled(text))


def _why_not_best_path(word: str, path: Path) -> Sentence:
    words, total = _path_words(word, path), minus(path.score)
    return say(
        "{path} adds up to {score}; another path to more.",
        shorter="{path} has {score}; another, more.",
        path=words,
        score=total,
    )


BEST_PATH = Kind("best-path", (UnigramFrame,), "Unigram", _pose_best_path)
