"""Questions about Unigram: which path through a word wins, and which piece is pruned next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import islice

from engine.core.errors import QuestionError
from engine.core.wording import Sentence, Words, amount, edged, say
from engine.learning.questions.answer_forms import SPACE, Choice, Option
from engine.learning.questions.question import Chance, Kind, Level, Question, Request, Wrong, minus
from engine.text.pretokenize import to_bytes
from engine.unigram.frame import UnigramFrame
from engine.unigram.lattice import Path
from engine.unigram.pieces import spelled, unspelled
from engine.unigram.record import Pruned, PruneRule, PruneStep

PATH_WORDS, MOST_PATH_WORDS, PATH_DRAWS = 5000, 50_000, 400
"""Number of the most frequent words to draw from, of words if these will not do, and of draws."""
SHORTEST_PATH, LONGEST_PATH = 3, 12
"""Characters of a word."""
LONGEST_ASKED = 24
"""Largest number of characters of a word that is named."""
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
        paths = frame.lattice(word).n_best(SEARCHED_PATHS) if len(word) <= LONGEST_ASKED else []
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
    return replace(_best_path_of(frame, *fallback, chance), is_fair=False)


def _is_clear(paths: Sequence[Path]) -> bool:
    """Whether there are two paths, and the first is better by a visible amount."""
    if len(paths) < 2:
        return False
    best, second = paths[:2]
    return best.score - second.score >= APART


def _has_rank(paths: Sequence[Path], share: float) -> bool:
    """Whether the best path has a wanted rank by its number nearest to 0, or by its last one.

    Args:
        share: which of both, and the rank, drawn: else that number would be a good guess.
    """
    # One draw decides both: its half is the number, its place in this half is the rank.
    is_nearest, rank = share < 0.5, int(2 * share % 1 * len(paths))
    scores = [[-edge.score for edge in path.edges] for path in paths]
    numbers = [min(each) if is_nearest else each[-1] for each in scores]
    return sorted(numbers).index(numbers[0]) == rank


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
        find_hints=lambda _: (
            say("what all paths share adds the same: compare the other numbers."),
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
    return say("{path} adds up to {score}; another path to more.", path=words, score=total)


# -- the piece that goes next

MOST_PRUNABLE = 4
"""Largest number of pieces to choose from."""


def _pose_next_prune(frame: UnigramFrame, request: Request) -> Question:
    """Ask which of some pieces the next step prunes: one that goes, and others that stay."""
    step, chance = frame.leads_on, request.chance
    if not isinstance(step, PruneStep):
        raise QuestionError(f"no piece is pruned after step {frame.step:,}")
    most = min(max(request.rows, 2), MOST_PRUNABLE)
    leaving = {piece.number: piece for piece in step.removed}
    staying = [number for number in frame.numbers.tolist() if number not in leaving]
    can_go = partial(_can_go, frame)
    right = next(filter(can_go, chance.shuffled(leaving)), None)
    others = list(islice(filter(can_go, chance.shuffled(staying)), most - 1))
    if right is None or not others:
        raise QuestionError(f"no pieces can be compared at step {frame.step:,}")
    rows = chance.shuffled([right, *others])
    names = [_shown(frame.record.texts[number]) for number in rows]
    by_score = step.rule is PruneRule.SCORE
    advice = "The pieces go whose loss costs least: rare ones, or those that others spell as well."
    return Question(
        frame,
        say("Which of these pieces goes next?"),
        Choice(tuple(Option((name,)) for name in names)),
        rows.index(right),
        explain=lambda: _why_pruned(leaving[right], by_score=by_score),
        explain_wrong=lambda row: Wrong(
            "took a piece that stays", say("{piece} stays.", piece=names[row])
        ),
        find_hints=lambda _: (
            say(
                "the right one has {n}.", n=amount(len(unspelled(leaving[right].text)), "character")
            ),
        ),
        advice=say("The least probable pieces go." if by_score else advice),
        given=tuple(_facts_of(frame, number) for number in rows),
    )


def _can_go(frame: UnigramFrame, number: int) -> bool:
    """Whether a piece has several characters, and others that spell it."""
    text = frame.record.texts[number]
    return len(text) > 1 and text.isprintable() and frame.alternative(text) is not None


def _facts_of(frame: UnigramFrame, number: int) -> Sentence:
    """Return how often a piece is used, its score, and the best way to do without it."""
    index = frame.index_of(number)
    assert index is not None, "it is there at this step"
    text, without = frame.record.texts[number], frame.alternative(frame.record.texts[number])
    piece, score = _shown(text), minus(float(frame.scores[index]))
    used = f"{float(frame.expected_counts[index]):,.1f}"
    assert without is not None, "it can go"
    return say(
        "{piece}: used {used} times, score {score}; without it {path}, {other}",
        shorter="{piece}: {used} times, {score}; without it {other}",
        piece=piece,
        used=used,
        score=score,
        path=_path_words(text, without),
        other=minus(without.score),
    )


def _why_pruned(right: Pruned, *, by_score: bool) -> tuple[Sentence, ...]:
    piece = _shown(right.text)
    if by_score:
        template = "{piece} goes: with {score} it is among the least probable."
        return (say(template, piece=piece, score=minus(right.score)),)
    cost = f"{right.loss_increase:.2g}"
    return (say("{piece} goes: without it the loss grows by only {cost}.", piece=piece, cost=cost),)


BEST_PATH = Kind("best-path", (UnigramFrame,), "Unigram", _pose_best_path)
NEXT_PRUNE = Kind("next-prune", (UnigramFrame,), "Unigram", _pose_next_prune)
