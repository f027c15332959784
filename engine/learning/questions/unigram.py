"""Questions about Unigram: pruned pieces, best paths."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from engine.core.errors import QuestionError
from engine.core.wording import Sentence, Words, say
from engine.learning.questions.question import (
    SPACE,
    Chance,
    Choice,
    Kind,
    Level,
    Option,
    Question,
    Request,
    Wrong,
    edged,
    minus,
)
from engine.text.pretokenize import to_bytes
from engine.unigram.frame import UnigramFrame
from engine.unigram.lattice import Path
from engine.unigram.pieces import spelled, unspelled
from engine.unigram.record import Pruned, PruneRule, PruneStep

# -- Unigram: which piece the next prune removes first

CLEAR, SURE = 2.0, 1.2
"""The second piece costs this many times the first: a clear gap, or at least no doubt."""
DRAWN_FROM, PRUNE_DRAWS = 300, 100
"""Number of pruned pieces to draw from, and of draws."""
ENOUGH_PIECES = 3
"""Number of pieces with which the search for more ends."""


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
    pieces: list[PrunedPiece] = []
    wanted = request.chance.share()
    for _ in range(PRUNE_DRAWS if candidates else 0):
        drawn = _of_one_length(request.chance.shuffled(candidates))[: max(2, request.rows)]
        is_fair = by_score or (_estimates_agree(drawn) and _loses_by_rank(drawn, wanted))
        if len(drawn) > len(pieces) and is_fair:
            pieces = drawn
        if len(pieces) >= ENOUGH_PIECES:
            break
    if len(pieces) < 2:
        raise QuestionError("the pieces that go next cost about the same; ask at another step")
    pieces = request.chance.shuffled(pieces)
    first, second, *_ = by_measure = sorted(pieces, key=lambda piece: piece.measure)
    if by_score:
        advice = say("The one of the lowest score.")
        options = [Option((_shown(each.text),), "", minus(each.score)) for each in pieces]
    else:
        advice = say(
            "The one that costs least: how often it is used × by what its score is better.",
            shorter="Least: times used × what is lost each time.",
        )
        options = [
            Option(
                (_shown(each.text),),
                f"{each.used:,.1f} × {each.lost:.2f}",
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
        explain_wrong=lambda row: Wrong(
            "took a piece that costs more to lose", _why_not_first_to_go(pieces[row], by_score)
        ),
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


def _of_one_length(pieces: Sequence[PrunedPiece]) -> list[PrunedPiece]:
    """Return pieces as long as the first, with different measures: short ones often cost less."""
    found: list[PrunedPiece] = []
    for piece in pieces:
        if len(_shown(piece.text)) == len(_shown(pieces[0].text)) and all(
            _differ(piece.measure, other.measure) for other in found
        ):
            found.append(piece)
    return found


def _loses_by_rank(pieces: Sequence[PrunedPiece], share: float) -> bool:
    """Whether the piece that goes first has a wanted rank by what is lost at each use.

    Args:
        share: the rank from 0 to 1, drawn: else the smallest loss would be a good guess.
    """
    first = min(pieces, key=lambda piece: piece.measure)
    rank = sorted(piece.lost for piece in pieces).index(first.lost)
    return rank == int(share * len(pieces))


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

PATH_WORDS, MOST_PATH_WORDS, PATH_DRAWS = 5000, 50_000, 400
"""Number of the most frequent words to draw from, of words if these will not do, and of draws."""
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
    # With fewer pieces than the others, the best path is easily guessed: only on a small corpus.
    fallback, wanted = None, chance.share()
    # Where frequent words are one piece each, rarer ones have several paths of as many pieces.
    for first, end in ((0, PATH_WORDS), (PATH_WORDS, MOST_PATH_WORDS)):
        words = [
            word
            for word in islice(frame.words, first, end)
            if SHORTEST_PATH <= len(word) <= LONGEST_PATH and word.isprintable()
        ]
        for _ in range(PATH_DRAWS if words else 0):
            word = chance.pick(words)
            best, *others = frame.lattice(word).n_best(SEARCHED_PATHS)
            paths = [best, *(path for path in others if len(path.edges) <= MOST_PIECES)]
            if len(best.edges) > MOST_PIECES or not _is_clear(paths):
                continue
            if (alike := _alike(paths, most)) and _has_rank(alike, wanted):
                return _best_path_of(frame, word, alike, chance)
            if len(frame.words) <= PATH_WORDS:
                fallback = fallback or (word, paths[:most])
    if fallback is None:
        raise QuestionError(f"no short word has two paths to choose from at step {frame.step:,}")
    return _best_path_of(frame, *fallback, chance)


def _is_clear(paths: Sequence[Path]) -> bool:
    """Whether there are two paths, and the first is better by a visible amount."""
    return len(paths) > 1 and paths[0].score - paths[1].score >= APART


def _has_rank(paths: Sequence[Path], share: float) -> bool:
    """Whether the best path has a wanted rank by its number nearest to 0, or by its last one.

    Args:
        share: which of both, and the rank, drawn: else that number would be a good guess.
    """
    scores = [[-edge.score for edge in path.edges] for path in paths]
    numbers = [min(each) if share < 0.5 else each[-1] for each in scores]
    return sorted(numbers).index(numbers[0]) == int(2 * share % 1 * len(paths))


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
            " ".join(f"\u2212 {-edge.score:5.2f}" for edge in path.edges),
            minus(path.score),
        )
        for path in paths
    ]
    lead = best.score - second.score
    return Question(
        frame,
        say("Which path through “{word}” wins?", word=_shown(word)),
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
        explain_wrong=lambda row: Wrong(
            _mistake_in_path(paths, paths[row], best), _why_not_best_path(word, paths[row])
        ),
        hint=say("what all paths share adds the same: compare the other numbers."),
        more_hints=(
            say(
                "{path} adds up to {score}.",
                path=_path_words(word, paths[0]),
                score=minus(paths[0].score),
            ),
        ),
        advice=say("The greatest sum of scores: nearest to 0."),
        find_level=lambda: Level.CLOSE if lead < CLOSE_PATHS else Level.CLEAR,
    )


def _path_words(word: str, path: Path) -> Words:
    return edged(_shown(word[edge.start : edge.end]) for edge in path.edges)


def _shown(text: str) -> bytes:
    """Return a piece as it occurs in the corpus: a space for each ▁."""
    return to_bytes(unspelled(text))


def _mistake_in_path(paths: Sequence[Path], chosen: Path, best: Path) -> str:
    """Return the name of the mistake that leads to another path than the best."""
    fewest = min(len(path.edges) for path in paths)
    if len(chosen.edges) == fewest < len(best.edges):
        return "took the path of the fewest pieces"
    return "took a path of a smaller sum"


def _why_not_best_path(word: str, path: Path) -> Sentence:
    words, total = _path_words(word, path), minus(path.score)
    return say(
        "{path} adds up to {score}; another path to more.",
        shorter="{path} has {score}; another, more.",
        path=words,
        score=total,
    )


BEST_PATH = Kind("best-path", (UnigramFrame,), "Unigram", _pose_best_path)
