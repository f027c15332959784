"""Plain text instead of screens: a question, and the stepper of a recorded run.

For screen readers, pipes and scripts: a command a line in, sentences out. Textual is never loaded.
What all models share is here; each adds commands of its own.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from bpe_tui.widgets.language import (
    current_table,
    in_a_row,
    listed,
    plural,
    times,
    tr,
    tr_message,
    tr_sentence,
    visible_message,
)
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.rows import plain_text
from bpe_tui.widgets.visible import SPACE, shorten, visible_bytes, visible_text
from bpe_tui.words.encoded_text import chips
from bpe_tui.words.narration import NO_CORPUS, PASSED_OVER, format_pair, narrate_end, narrate_undone
from bpe_tui.words.typed import TypedTokens, describe_unknown, parse_step, tokens_typed
from engine.analysis.explanation import explain
from engine.core.errors import (
    AnswerError,
    BpeError,
    OutputExistsError,
    QuestionError,
    UnknownNameError,
)
from engine.core.wording import Sentence, describe
from engine.encoding.typed_ids import decode_known, read_ids
from engine.learning.asked_steps import AskedSteps
from engine.learning.questions import OF_WHAT_FOLLOWS, ask, kinds_for
from engine.learning.questions.answer_forms import Answer, Choice, Cuts, Form, Joins
from engine.learning.questions.merges_form import Merges
from engine.learning.questions.question import Attempt, FirstTries, Question
from engine.learning.quiz import another_example
from engine.recording.merge_record import CountChange
from engine.recording.playback import AnyMergeFrame, Player

HELP = "hint helps, show gives the answer, skip goes on, quit leaves."


@dataclass
class PlainQuestion:
    """A question without a screen: its sentences, and a reply to each line of an answer."""

    attempt: Attempt

    def question(self) -> Iterator[str]:
        """Yield the question, the material to answer it, and how to answer."""
        question = self.attempt.question
        yield _plain(question.asks)
        yield _plain(question.advice)
        for given in question.given:
            yield f"  {_plain(given)}"
        form = question.form
        if isinstance(form, Choice):
            yield from self._rows(form)
        elif isinstance(form, Cuts):
            yield f"  {visible_text(form.text)}"
        yield from self._parts(form)
        yield in_a_row(question.how, tr(HELP))

    def answer(self, line: str) -> Iterator[str]:
        """Yield the reply to a line: an answer, or `hint`, `show` or `skip`."""
        attempt, question = self.attempt, self.attempt.question
        word = line.strip()
        if word == "hint":
            attempt.ask_hint()
            yield f"{tr('Hint: ')}{_plain(attempt.hint)}"
            return
        if word in ("show", "skip"):
            attempt.given_up = True
            yield from map(_plain, question.model_answer if word == "show" else ())
            return
        try:
            answer: Answer = question.form.read_on(line.rstrip("\r\n"), attempt.progress)
        except AnswerError as error:
            problem = tr_message(error)
            yield visible_text(f"{problem[:1].upper()}{problem[1:]}", spaces=False)
            return
        grade = attempt.try_answer(answer)
        yield f"{tr(grade.verdict)}{_plain(grade.said)}"
        if grade.why is not None:
            yield _plain(grade.why)
        if grade.right and not grade.done:
            yield from self._parts(question.form)
        elif not grade.right:
            yield tr("Try again.")

    def _rows(self, form: Choice) -> Iterator[str]:
        """Yield the rows to choose from, with the numbers that are shown."""
        for place, option in enumerate(form.options):
            label = describe(option.label, visible_bytes)
            revealed = option.revealed if self.attempt.reveals(place) else ""
            notes = "".join(f"   {note}" for note in (option.note, revealed) if note)
            yield f"  {place + 1}. {label}{notes}"

    def _parts(self, form: Form) -> Iterator[str]:
        """Yield the tokens, after the parts of an answer that are right."""
        progress = self.attempt.progress
        if isinstance(form, Joins):
            yield f"  {' ┊ '.join(map(visible_bytes, form.tokens_after(progress)))}"
        elif isinstance(form, Merges):
            yield from (f"  {_plain(row)}" for row in form.rows(progress))
            yield _plain(tr_sentence(form.task(progress)))


def _plain(sentence: Sentence) -> str:
    return sentence.describe(visible_bytes)


FrameT = TypeVar("FrameT")

LISTED = 10
"""Number of rows that are listed unless a number is given."""


class PlainCommand(NamedTuple):
    """A command of a transcript: how to type it, and what it does. A method has its name."""

    usage: str
    """Its name, then what follows it."""
    help: str


MOVES = (
    PlainCommand("next", "One step forward; an empty line does the same."),
    PlainCommand("back [N]", "One step back, or N."),
    PlainCommand("go STEP", "To a step: 128, 50%, +10, -10."),
    PlainCommand("play N", "N steps forward, each described."),
)
DECODE = PlainCommand("decode IDS", "The text of ids, like decode 104 105 or decode [104, 105].")
PREDICT = PlainCommand(
    "predict [KIND]", "Asks what the next step does, or another kind; answer line by line."
)
AT_THE_END = (
    PREDICT,
    PlainCommand("help", "The commands."),
    PlainCommand("quit", "Leave; so does the end of the input."),
)


@dataclass(eq=False)
class Transcript(ABC, Generic[FrameT]):
    """Answers commands about a recorded run.

    Attributes:
        _player: the recorded steps.
        _stop_reason: why there are no more.
        _asking: the question that the next lines answer.
        _is_about_step: whether it is about the next step, which follows then.
        _answered_to: the step that followed the last such question.
    """

    _player: Player[FrameT]
    _stop_reason: Enum
    _asking: PlainQuestion | None = field(default=None, init=False)
    _is_about_step: bool = field(default=False, init=False)
    _answered_to: int | None = field(default=None, init=False)
    _asked: AskedSteps = field(default_factory=AskedSteps, init=False)
    _score: FirstTries = field(default_factory=FirstTries, init=False)

    COMMANDS: ClassVar[tuple[PlainCommand, ...]]
    STEPS: ClassVar[str]
    """The word for a step, in the singular."""
    SPACE: ClassVar[str] = SPACE
    """The sign for a space."""
    SAVED: ClassVar[tuple[str, str]]
    """Name of the saved thing, and of the place to type: `the tokenizer`, `a directory …`."""

    @property
    def frame(self) -> FrameT:
        return self._player.frame

    def another_example(self, asked: Sequence[Question]) -> Question:
        """Return a question of the kind of those asked, about another example; go to its step.

        Raises:
            QuestionError: none was found.
        """
        found = another_example(self._player, asked[-1].kind, asked)
        self._player.seek(found.frame.step)
        return found

    @abstractmethod
    def narrate(self) -> str:
        """Describe the step that led here."""

    @abstractmethod
    def narrate_back(self) -> str:
        """Describe what going back to this step has undone."""

    @abstractmethod
    def encoded(self, text: str) -> Iterator[str]:
        """Yield sentences with a text in the tokens of this step."""

    @abstractmethod
    def decoded(self, ids: Sequence[int]) -> str:
        """Return the visible text of ids.

        Raises:
            UnknownTokenIdError: no token has one of the ids.
        """

    @abstractmethod
    def save_in(self, path: Path) -> Iterator[str]:
        """Save the tokenizer of this step, and yield sentences about what was left out.

        Raises:
            BpeError: the file cannot be written.
        """

    def start(self) -> str:
        """Return the first sentence."""
        steps = plural(len(self._player), self.STEPS)
        are = tr("is" if len(self._player) == 1 else "are")
        template = "{narrate} {steps} {are} recorded; help lists the commands."
        return tr(template, narrate=self.narrate(), steps=steps, are=are)

    def answer(self, line: str) -> Iterator[str]:
        """Yield the reply to an answer or a command; an empty line means `next`."""
        if self._asking is not None:
            yield from self._asking.answer(line)
            attempt = self._asking.attempt
            if attempt.is_over:
                self._asking = None
                self._score.count(attempt)
                if self._is_about_step:
                    yield from self.next("")  # to the step in question
                    self._asked.count(attempt.question)
                    self._answered_to = self._player.cursor
                score = self._score.describe(current_table())
                yield tr("{score}; predict asks on.", score=f"{score[:1].upper()}{score[1:]}")
            return
        word, _, rest = line.lstrip().rstrip("\r\n").partition(" ")
        name = word or "next"
        if name not in {command.usage.split()[0] for command in self.COMMANDS}:
            shown = shorten(visible_text(word, spaces=False), 30)
            yield tr("There is no command {shown}; help lists the commands.", shown=shown)
            return
        try:
            takes_text = name in ("encode", "explain")  # to which spaces matter
            yield from getattr(self, name)(rest if takes_text else rest.strip())
        except OutputExistsError as error:
            taken = visible_text(str(error).rpartition(": ")[0], spaces=False)
            template = (
                "{taken} is there already, and nothing is overwritten here: name another place."
            )
            yield tr(template, taken=taken)
        except BpeError as error:
            yield tr("{clause}.", clause=visible_message(error))

    # -- questions

    def predict(self, rest: str) -> Iterator[str]:
        """Ask a question; the lines that follow are answers."""
        goes_on = self._answered_to == self._player.cursor
        try:
            question = (
                ask(rest, self.frame) if rest else self._asked.ask(self.frame, goes_on=goes_on)
            )
            attempt = Attempt(question.translated(current_table()))
        except UnknownNameError:
            yield tr("Ask one of {frame}.", frame=listed(kinds_for(self.frame)))
            return
        except QuestionError as error:
            yield tr("That cannot be asked here: {error}.", error=visible_message(error))
            return
        if (step := question.frame.step) != self._player.cursor:
            self._player.seek(step)
            yield tr(PASSED_OVER, step=step)
        self._asking = PlainQuestion(attempt)
        self._is_about_step = not rest or rest in OF_WHAT_FOLLOWS
        yield from self._asking.question()

    # -- commands

    def next(self, rest: str) -> Iterator[str]:
        return self.play(rest or "1")

    def play(self, rest: str) -> Iterator[str]:
        steps = self.number_in(rest)
        if steps is None:
            yield tr("Say how many steps to play, like play {listed}.", listed=LISTED)
            return
        for _ in range(steps):
            before = self._player.cursor
            self._player.forward()
            if self._player.cursor == before:
                template = "There is no step after {before}. {stop_reason}"
                yield tr(template, before=before, stop_reason=narrate_end(self._stop_reason))
                return
            yield self.describe_step()

    def back(self, rest: str) -> Iterator[str]:
        steps = self.number_in(rest or "1")
        if steps is None:
            yield tr("Say how many steps to go back, like back 3.")
            return
        for _ in range(steps):
            if self._player.cursor == 0:
                yield tr("There is no step before 0.")
                return
            self._player.back()
            yield self.narrate_back()

    def go(self, rest: str) -> Iterator[str]:
        last = len(self._player)
        step = parse_step(rest, self._player.cursor, last) if rest else None
        if step is None:
            yield tr("Say a step from 0 to {last}, or like 50%, +10, -10.", last=last)
            return
        self._player.seek(step)
        yield self.describe_step()

    def encode(self, rest: str) -> Iterator[str]:
        if not rest:
            yield tr("Say a text to encode, like encode the cat.")
        else:
            yield from self.encoded(rest)

    def decode(self, rest: str) -> Iterator[str]:
        ids = read_ids(rest)
        if not ids:
            yield tr("Say ids to decode, like decode 104 105.")
            return
        parts = list(decode_known(ids, self.decoded))
        for part in parts:
            if part.text is not None:
                template = "The text of {ids} is {text}."
                yield tr(template, ids=plural(len(part.ids), "id"), text=part.text)
            else:
                yield tr("{clause}.", clause=visible_message(part.problem))

    def save(self, rest: str) -> Iterator[str]:
        what, where = self.SAVED
        if not rest:
            yield tr("Say {where}.", where=tr(where))
            return
        left_out = list(self.save_in(Path(os.path.expanduser(rest))))
        step, place = number(self._player.cursor), visible_text(rest, spaces=False)
        yield tr("Saved {what} of step {step} in {place}.", what=tr(what), step=step, place=place)
        yield from left_out

    def help(self, rest: str) -> Iterator[str]:
        yield tr("In all texts, {space} means a space.", space=self.SPACE)
        for command in self.COMMANDS:
            yield f"{command.usage}: {tr(command.help)}"

    def quit(self, rest: str) -> Iterator[str]:
        """Yield nothing; the reader of the commands stops at this one."""
        return iter(())

    # -- shared by the commands

    def describe_step(self) -> str:
        """Describe this step; at the last one, also why there is no further step."""
        at_end = self._player.cursor == len(self._player)
        return in_a_row(self.narrate(), narrate_end(self._stop_reason) if at_end else "")

    def numbered(
        self, rest: str, things: str, ranked: Callable[[int], Iterator[str]]
    ) -> Iterator[str]:
        """Yield the first things of a ranking, numbered from 1: the typed number, or ten."""
        wanted = self.number_in(rest or str(LISTED))
        if wanted is None:
            template = "Say how many {things} to list, like {things} {listed}."
            yield tr(template, things=things, listed=LISTED)
            return
        for place, sentence in enumerate(ranked(wanted), 1):
            yield f"{place}. {sentence}"

    def number_in(self, text: str) -> int | None:
        """Return the typed number; `None` if the text is not a number."""
        digits = text.replace(",", "")
        return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10 else None


AnyTranscript = Transcript[Any]


MergeFrameT = TypeVar("MergeFrameT", bound=AnyMergeFrame)


class MergeTranscript(Transcript[MergeFrameT]):
    """Answers commands about recorded merges."""

    STEPS = "merge"

    def narrate_back(self) -> str:
        return narrate_undone(self.frame)[0]

    @abstractmethod
    def narrate_tie(self) -> str:
        """Explain how the tie of this merge was broken."""

    @abstractmethod
    def ranked(self, most: int) -> Iterator[str]:
        """Yield the first pairs in the order in which they would merge now."""

    def tie(self, rest: str) -> Iterator[str]:
        step = self.frame.tied_steps.nearest(self.frame.step, -1 if rest == "back" else 1)
        if step is None:
            before, after = (
                "No merge before this one was tied.",
                "No merge after this one was tied.",
            )
            yield tr(before if rest == "back" else after)
            return
        self._player.seek(step)
        yield self.describe_step()
        yield self.narrate_tie()

    def why(self, rest: str) -> Iterator[str]:
        """Explain why the pair merged; or a typed piece, or two tokens."""
        if not rest:
            yield from self.why_merged()
            return
        asked = tokens_typed(self.frame, rest)
        pair = (asked.known[0], asked.known[1]) if len(asked.known) == 2 else None
        lines = explain(self.frame, asked.tokens, pair=pair).lines
        yield from (tr_sentence(line).describe(visible_bytes) for line in lines)
        if not lines:
            yield self._why_no_answer(asked)
        if asked.hint and lines:
            yield asked.hint

    def _why_no_answer(self, asked: TypedTokens) -> str:
        """Say what a model that cannot follow merges needs, such as WordPiece."""
        if not asked.known:
            return describe_unknown(self.frame, asked)
        return (
            tr("Say two tokens, like why th e or why th|e.") if len(asked.ids) == 1 else NO_CORPUS
        )

    @abstractmethod
    def explained(self, text: str) -> Iterator[str]:
        """Yield lines with the way from a text to its tokens at this step."""

    def explain(self, rest: str) -> Iterator[str]:
        if not rest:
            yield tr("Say a text to explain, like explain the cat.")
        else:
            yield from self.explained(rest)

    @abstractmethod
    def why_merged(self) -> Iterator[str]:
        """Explain in full why this pair merged."""

    def pairs(self, rest: str) -> Iterator[str]:
        pairs = list(self.numbered(rest, "pairs", self.ranked))
        yield from pairs or [tr("There is no pair left.")]

    def merge(self, rest: str) -> Iterator[str]:
        frame, merge = self.frame, self.frame.merge
        yield self.describe_step()
        if merge is None:
            return
        template = "Its id is {new_id}. It is in {pretokens}."
        yield tr(template, new_id=str(merge.new_id), pretokens=plural(merge.pretokens, "pretoken"))
        for touched in frame.affected(LISTED):
            word, after = visible_bytes(touched.pretoken), self.listed(touched.after)
            template = "The pretoken {word}, {times}, is {after} now."
            yield tr(template, word=word, times=times(touched.count), after=after)
        yield from self.changed_parts()
        changes: Sequence[CountChange] = merge.changes
        for change in changes[:LISTED]:
            pair = format_pair(frame, change.pair)
            yield self.changed(tr("The count of {pair}", pair=pair), change.before, change.after)
        if more := len(changes[LISTED:]):
            yield tr("{counts} changed.", counts=plural(more, "other count"))

    def changed_parts(self) -> Iterator[str]:
        """Yield sentences about changed counts other than those of pairs."""
        return iter(())

    def changed(self, what: str, before: int, after: int) -> str:
        """Describe a count that a merge changed."""
        return tr("{what} went from {before} to {after}.", what=what, before=before, after=after)

    def listed(self, ids: Iterable[int]) -> str:
        """List tokens within a sentence."""
        return plain_text(chips(map(self.frame.token, ids)), ", ")
