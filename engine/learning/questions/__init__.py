"""Questions about a run, and the registry of their kinds.

    question = ask("next-pair", timeline.seek(3), seed="7")     # a Frame of BPE at step 3
    question.asks, question.advice, question.given              # sentences to show
    question.form                                               # the form of its answer
    attempt = Attempt(question)
    grade = attempt.try_answer(question.form.read("2"))         # the second row
    grade.right, grade.said, grade.why                          # at once, with the numbers
    attempt.hint, question.model_answer

The kind, the frame and the seed decide the question, on every machine.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from engine.bpe.frame import Frame
from engine.core.arguments import checked
from engine.core.errors import QuestionError
from engine.core.registry import registry_of
from engine.learning.questions.by_hand import MAKE_MERGES
from engine.learning.questions.counts import COUNT_CHANGE, STALE
from engine.learning.questions.encoding import ENCODE_BY_HAND
from engine.learning.questions.fewer import FEWER
from engine.learning.questions.pair_choice import NEXT_PAIR, TIE
from engine.learning.questions.question import Chance, Question, Request
from engine.learning.questions.reason import REASON
from engine.learning.questions.sizes import TOKENS_LEFT
from engine.learning.questions.unigram import BEST_PATH, NEXT_PRUNE
from engine.learning.questions.wordpiece import BEST_SCORE, LONGEST_MATCH
from engine.unigram.frame import UnigramFrame
from engine.unigram.record import PruneStep
from engine.wordpiece.frame import WordPieceFrame

KINDS = registry_of(
    "kind of question",
    NEXT_PAIR,
    TIE,
    COUNT_CHANGE,
    MAKE_MERGES,
    ENCODE_BY_HAND,
    REASON,
    FEWER,
    STALE,
    TOKENS_LEFT,
    LONGEST_MATCH,
    BEST_SCORE,
    BEST_PATH,
    NEXT_PRUNE,
)
"""All kinds, in the order in which they are offered."""


@checked
def ask(
    kind: str, frame: Any, seed: str = "", *, about: str | None = None, rows: int = 6
) -> Question:
    """Return the question of a kind about a frame of any model.

    Args:
        kind: a name in `KINDS`.
        frame: BPE's `Frame`, a `WordPieceFrame` or a `UnigramFrame`.
        seed: decides what is left open.
        about: what to ask about, where the kind leaves a choice: a pair as `o|t`, a word, a text,
            ids. `None`: the seed decides.
        rows: the largest number of rows to choose from.

    Raises:
        UnknownNameError: there is no such kind.
        QuestionError: the question cannot be asked there; the message gives the reason.

    >>> from engine import Timeline, Trainer
    >>> counts = {b"low": 5, b"lower": 2, b"widest": 3, b"newest": 6}
    >>> timeline = Timeline(counts, Trainer(counts, 258).steps())
    >>> question = ask("tie", timeline.frame)
    >>> print(question.asks, [str(grade.said) for grade in map(question.grade, (0, 1))])
    2 pairs occur 9 times each: which one merges? ['e+s loses to another pair that is tied with \
it.', 's+t wins the tie of 2 at 9.']
    """
    found = KINDS[kind]
    if not isinstance(frame, found.frames):
        raise QuestionError(f"{kind} is asked about {found.model}, and this is another model")
    best: Question | None = None
    for draw in range(found.draws):
        chance = Chance(f"{seed}:{kind}:{frame.step}{f':{draw}' if draw else ''}")
        try:
            posed = found.pose(frame, Request(chance, about, rows))
        except QuestionError:
            if best is None:
                raise
            continue
        posed = replace(posed, kind=kind, misconceptions=found.misconceptions)
        if best is None or posed.misleading < best.misleading:
            best = posed
        if not best.misleading:
            return best
    assert best is not None
    return replace(best, is_fair=False)


OF_WHAT_FOLLOWS = ("next-pair", "tie")
"""Kinds asked before a step: where one pair has the highest count alone, and at a tie."""


def predict(frame: Any, rows: int = 6) -> Question:
    """Return a question about what the next step will do; at an EM step, about its scores.

    Args:
        frame, rows: as for `ask`.

    Raises:
        QuestionError: nothing can be asked there; the message gives the reason.
    """
    if isinstance(frame, WordPieceFrame):
        kind = "best-score"
    elif isinstance(frame, UnigramFrame):
        if frame.leads_on is None:
            raise QuestionError(f"no step follows step {frame.step:,}")
        kind = "next-prune" if isinstance(frame.leads_on, PruneStep) else "best-path"
    else:
        is_tied = isinstance(frame, Frame) and len(frame.queue.tied) > 1
        kind = OF_WHAT_FOLLOWS[is_tied]
    return ask(kind, frame, rows=rows)


def kinds_for(frame: Any) -> list[str]:
    """Return the names of the kinds asked about such frames, at any step."""
    return [name for name, kind in KINDS.items() if isinstance(frame, kind.frames)]
