"""A question about languages that take turns: which of them does the next merge serve?"""

from __future__ import annotations

from engine.bpe.frame import Frame
from engine.core.errors import QuestionError
from engine.core.wording import Sentence, say
from engine.learning.questions.question import Choice, Kind, Level, Option, Question, Request

CLOSE = 1.05
"""The second language is close if the worst off has this many times its tokens a character."""


def _pose_turn(frame: Frame, request: Request) -> Question:
    """Ask which language is served next, from the tokens and characters of each."""
    languages = frame.languages
    served = None if languages is None else languages.served_at(frame.step)
    if languages is None or served is None:
        raise QuestionError("no language is served next; parity lets languages take turns")
    rates = [languages.rate(place, frame.step) for place in range(len(languages.names))]
    if rates.count(rates[served]) > 1 or rates[served] < max(rates):
        raise QuestionError(f"the numbers do not say whose turn is next at step {frame.step:,}")
    second = sorted(rates)[-2]
    options = tuple(
        Option(
            (name.encode("utf-8", "surrogateescape"),),
            f"{tokens[frame.step]:,} tokens, {characters:,} characters",
            f"{rate:.3f}",
            rate,
        )
        for name, tokens, characters, rate in zip(
            languages.names, languages.tokens, languages.characters, rates, strict=True
        )
    )

    def explain() -> tuple[Sentence, ...]:
        name = languages.names[served].encode("utf-8", "surrogateescape")
        rate = f"{rates[served]:.3f}"
        return (say("{name} has the most tokens a character: {rate}.", name=name, rate=rate),)

    def explain_wrong(place: int) -> tuple[Sentence, ...]:
        rate, name = f"{rates[place]:.3f}", languages.names[place]
        return (
            say("{name} has {rate} tokens a character, and another has more.",
                name=name.encode("utf-8", "surrogateescape"), rate=rate),
        )  # fmt: skip

    return Question(
        frame,
        say("Languages take turns: which one does the next merge serve?",
            shorter="Which language is served next?"),
        Choice(options),
        served,
        explain=explain,
        explain_wrong=explain_wrong,
        hint=say("divide the tokens of each by its characters."),
        advice=say("The one worst off is served: it has the most tokens a character."),
        find_level=lambda: Level.CLOSE if rates[served] < CLOSE * second else Level(0),
    )  # fmt: skip


TURN = Kind("turn", (Frame,), "BPE", _pose_turn)
