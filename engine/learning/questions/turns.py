"""A question about languages that take turns: which of them does the next merge serve?"""

from __future__ import annotations

from engine.bpe.frame import Frame
from engine.core.errors import QuestionError
from engine.core.wording import Sentence, say
from engine.learning.questions.question import Choice, Kind, Option, Question, Request


def _pose_turn(frame: Frame, request: Request) -> Question:
    """Ask which language is served next, from the tokens and characters of each."""
    languages = frame.languages
    served = None if languages is None else languages.served_at(frame.step)
    if languages is None or served is None:
        raise QuestionError("no language is served next; parity lets languages take turns")
    rates = [languages.rate(place, frame.step) for place in range(len(languages.names))]
    if rates.count(rates[served]) > 1 or rates[served] < max(rates):
        raise QuestionError(f"the numbers do not say whose turn is next at step {frame.step:,}")
    names = [name.encode("utf-8", "surrogateescape") for name in languages.names]
    sizes = zip(languages.tokens, languages.characters, strict=True)
    notes = [f"{tokens[frame.step]:,} tokens, {size:,} characters" for tokens, size in sizes]
    rows = request.chance.shuffled(range(len(names)))  # the order in which they were given may tell

    def explain(row: int = rows.index(served)) -> tuple[Sentence, ...]:
        place = rows[row]
        right = "{name} has the most tokens a character: {rate}."
        wrong = "{name} has {rate} tokens a character, and another has more."
        said = right if place == served else wrong
        return (say(said, name=names[place], rate=f"{rates[place]:.3f}"),)

    return Question(
        frame,
        say(
            "Languages take turns: which one does the next merge serve?",
            shorter="Which language is served next?",
        ),
        Choice(
            tuple(
                Option((names[place],), notes[place], f"{rates[place]:.3f}", rates[place])
                for place in rows
            )
        ),
        rows.index(served),
        explain=explain,
        explain_wrong=explain,
        hint=say("divide the tokens of each by its characters."),
        advice=say("The one worst off is served: it has the most tokens a character."),
    )


TURN = Kind("turn", (Frame,), "BPE", _pose_turn)
