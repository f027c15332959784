"""Questions about a run, a registry of their kinds: one file a kind, one line here.

    question = ask("next-pair", timeline.seek(3), seed="7")     # a Frame of BPE at step 3
    question.asks, question.advice, question.given              # sentences to show
    question.form                                               # how it is answered: see `form`
    attempt = Attempt(question)
    grade = attempt.try_answer(question.form.read("2"))         # the second row
    grade.right, grade.said, grade.why                          # at once, with the numbers
    question.hint, question.model_answer

The kind, the frame and the seed decide the question, on every machine.
"""

from __future__ import annotations

from typing import Any

from engine.core.errors import QuestionError
from engine.core.registry import Registry
from engine.learning.questions.best_path import BestPath
from engine.learning.questions.best_score import BestScore
from engine.learning.questions.count_change import CountAfter
from engine.learning.questions.cuts import PlaceCuts
from engine.learning.questions.decode_ids import DecodeIds
from engine.learning.questions.encode_by_hand import EncodeByHand
from engine.learning.questions.first_to_go import FirstToGo
from engine.learning.questions.longest_match import LongestMatch
from engine.learning.questions.next_pair import NextPair, TieWinner
from engine.learning.questions.question import Chance, Question, Wish
from engine.learning.questions.stale_entry import StaleEntry

KINDS: Registry[type[Question[Any]]] = Registry(
    "kind of question",
    {
        kind.NAME: kind
        for kind in (
            NextPair,
            TieWinner,
            CountAfter,
            EncodeByHand,
            PlaceCuts,
            StaleEntry,
            DecodeIds,
            BestScore,
            LongestMatch,
            FirstToGo,
            BestPath,
        )
    },
)
"""In the order in which they are offered."""


def ask(
    kind: str, frame: Any, seed: str = "", *, about: str | None = None, rows: int = 6
) -> Question[Any]:
    """The question of a kind about a frame of whichever model.

    Args:
        kind: a name in `KINDS`.
        frame: BPE's `Frame`, a `WordPieceFrame` or a `UnigramFrame`.
        seed: decides what is left open.
        about: what to ask about, where the kind leaves a choice: a pair as `o|t`, a word, a text,
            ids. `None`: the seed decides.
        rows: how many rows there may be to choose from.

    Raises:
        UnknownNameError: there is no such kind.
        QuestionError: it cannot be asked there; says why.

    >>> from engine import Timeline, Trainer
    >>> counts = {b"low": 5, b"lower": 2, b"widest": 3, b"newest": 6}
    >>> timeline = Timeline(counts, Trainer(counts, 258).steps())
    >>> question = ask("tie", timeline.frame)
    >>> print(question.asks, [str(grade.said) for grade in map(question.grade, (0, 1))])
    2 pairs stand 9 times each: which one merges? ['e│s loses to another pair that is tied with \
it.', 's│t wins the tie of 2 at 9.']
    """
    found = KINDS[kind]
    if not isinstance(frame, found.OF):
        raise QuestionError(f"{kind} is asked about {found.MODEL}, and this is another model")
    return found.of(frame, Wish(Chance(f"{seed}:{kind}:{frame.step}"), about, rows))


OF_WHAT_FOLLOWS = ("next-pair", "best-score", "first-to-go", "best-path")
"""What is asked before a step, in this order; the last is for steps of Unigram that prune not."""


def predict(frame: Any, seed: str = "", *, rows: int = 6) -> Question[Any]:
    """The question what the next step will do, of whichever model.

    Raises:
        QuestionError: it cannot be asked there; says why.
    """
    refusal = QuestionError("nothing is asked about this model")
    for kind in (kind for kind in OF_WHAT_FOLLOWS if kind in kinds_for(frame)):
        try:
            return ask(kind, frame, seed, rows=rows)
        except QuestionError as error:
            refusal = error
    raise refusal


def kinds_for(frame: Any) -> list[str]:
    """The kinds that are asked about such frames, whatever their step."""
    return [name for name, kind in KINDS.items() if isinstance(frame, kind.OF)]
