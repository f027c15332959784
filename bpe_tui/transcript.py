"""The stepper without a screen: a command a line in, sentences out.

For screen readers, pipes and scripts. Nothing is drawn and nothing moves; what has been said stays.
Textual is never loaded.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bpe_tui.narration import (
    narrate,
    narrate_back,
    narrate_end,
    narrate_tie,
    times,
    told_pair,
    told_unknown,
)
from bpe_tui.typed_steps import parse_step
from bpe_tui.visible import number, plural, shorten, visible_bytes, visible_text
from engine.errors import BpeError
from engine.frame import Frame
from engine.pretokenize import to_bytes
from engine.timeline import Timeline
from engine.trainer import StopReason

LISTED = 10
"""So many pairs, changes or pretokens are told unless a number is given."""


class Transcript:
    """Answers commands about a recorded run."""

    def __init__(self, timeline: Timeline, stop_reason: StopReason) -> None:
        self._timeline = timeline
        self._stop_reason = stop_reason

    @property
    def frame(self) -> Frame:
        return self._timeline.frame

    def start(self) -> str:
        """The first sentence."""
        merges = plural(len(self._timeline), "merge")
        return f"{narrate(self.frame)} {merges} are recorded; help tells the commands."

    def answer(self, line: str) -> Iterator[str]:
        """The sentences that answer a line; an empty one is `next`."""
        word, _, rest = line.lstrip().rstrip("\r\n").partition(" ")
        command = COMMAND_OF.get(word or "next")
        if command is None:
            shown = shorten(visible_text(word, spaces=False), 30)
            yield f"There is no command {shown}; help tells the commands."
            return
        try:
            # To `encode` a space matters.
            yield from command.run(self, rest if command.name == "encode" else rest.strip())
        except BpeError as error:
            yield f"{visible_text(str(error), spaces=False)}."

    # -- commands

    def next(self, rest: str) -> Iterator[str]:
        return self.play("1") if not rest else self.play(rest)

    def play(self, rest: str) -> Iterator[str]:
        steps = self._number(rest)
        if steps is None:
            yield f"Say how many steps to play, like play {LISTED}."
            return
        for _ in range(steps):
            before = self.frame.step
            if self._timeline.forward().step == before:
                yield f"There is no step after {number(before)}. {self._ending()}"
                return
            yield self._told()

    def back(self, rest: str) -> Iterator[str]:
        steps = self._number(rest or "1")
        if steps is None:
            yield "Say how many steps to go back, like back 3."
            return
        for _ in range(steps):
            if self.frame.step == 0:
                yield "There is no step before 0."
                return
            yield narrate_back(self._timeline.back())

    def go(self, rest: str) -> Iterator[str]:
        last = len(self._timeline)
        step = parse_step(rest, self.frame.step, last) if rest else None
        if step is None:
            yield f"Say a step from 0 to {number(last)}, or like 50%, +10, -10."
            return
        self._timeline.seek(step)
        yield self._told()

    def tie(self, rest: str) -> Iterator[str]:
        step = self.frame.tied_step(-1 if rest == "back" else 1)
        if step is None:
            where = "before" if rest == "back" else "after"
            yield f"No merge {where} this one was tied."
            return
        self._timeline.seek(step)
        yield self._told()
        yield narrate_tie(self.frame)

    def why(self, rest: str) -> Iterator[str]:
        yield narrate_tie(self.frame)
        merge = self.frame.merge
        if merge is None or len(merge.tied) == 1:
            return
        for rule, pair in self.frame.at(self.frame.step - 1).queue.choices.items():
            if pair != merge.pair:
                yield f"The tie rule {rule} would have merged {told_pair(self.frame, pair)}."

    def merge(self, rest: str) -> Iterator[str]:
        frame, merge = self.frame, self.frame.merge
        yield self._told()
        if merge is None:
            return
        yield f"Its id is {merge.new_id}. It is in {plural(merge.pretokens, 'pretoken')}."
        for touched in frame.touched(LISTED):
            word, after = visible_bytes(touched.pretoken), self._tokens(touched.after)
            yield f"The pretoken {word}, {times(touched.count)}, is {after} now."
        for change in merge.changes[:LISTED]:
            pair = told_pair(frame, change.pair)
            before, after = number(change.before), number(change.after)
            yield f"The count of {pair} went from {before} to {after}."
        if (more := len(merge.changes) - LISTED) > 0:
            yield f"{plural(more, 'other count')} changed."

    def pairs(self, rest: str) -> Iterator[str]:
        wanted = self._number(rest or str(LISTED))
        if wanted is None:
            yield f"Say how many pairs to tell, like pairs {LISTED}."
            return
        pairs = self.frame.top_pairs(wanted)
        if not pairs:
            yield "There is no pair left."
        for place, (pair, count) in enumerate(pairs, 1):
            yield f"{place}. {told_pair(self.frame, pair)}, {times(count)}."

    def encode(self, rest: str) -> Iterator[str]:
        if not rest:
            yield "Say a text to encode, like encode the cat."
            return
        ids = [token_id for piece in self.frame.encode(rest) for token_id in piece.ids]
        tokens, size = plural(len(ids), "token"), plural(len(to_bytes(rest)), "byte")
        yield f"{tokens} for {size}: {self._tokens(ids)}."
        yield f"In ids: {' '.join(map(str, ids))}."
        if unknown := told_unknown(self.frame, rest):
            yield unknown

    def save(self, rest: str) -> Iterator[str]:
        if not rest:
            yield "Say a directory to save in, like save my-tokenizer."
            return
        self.frame.tokenizer().save(Path(os.path.expanduser(rest)))
        step, place = number(self.frame.step), visible_text(rest, spaces=False)
        yield f"Saved the tokenizer of step {step} in {place}."

    def help(self, rest: str) -> Iterator[str]:
        yield "In what is told, · stands for a space."
        for command in COMMANDS:
            yield f"{command.usage}: {command.help}"

    # -- what they share

    def _told(self) -> str:
        """What happened at this step, and at the last why there is no more."""
        at_end = self.frame.step == len(self._timeline)
        return f"{narrate(self.frame)} {self._ending()}" if at_end else narrate(self.frame)

    def _ending(self) -> str:
        return narrate_end(self._stop_reason)

    def _tokens(self, ids: Iterable[int]) -> str:
        return ", ".join(visible_bytes(self.frame.token(token_id)) for token_id in ids)

    def _number(self, text: str) -> int | None:
        digits = text.replace(",", "")
        return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10 else None


@dataclass(frozen=True)
class PlainCommand:
    """A command of the transcript: how it is typed, what it does."""

    usage: str
    help: str
    run: Callable[[Transcript, str], Iterator[str]]

    @property
    def name(self) -> str:
        return self.usage.split()[0]


COMMANDS = (
    PlainCommand("next", "One merge forward; an empty line does the same.", Transcript.next),
    PlainCommand("back [N]", "One merge back, or N.", Transcript.back),
    PlainCommand("go STEP", "To a step: 128, 50%, +10, -10.", Transcript.go),
    PlainCommand("play N", "N merges forward, each told.", Transcript.play),
    PlainCommand(
        "tie [back]", "To the next merge that was tied, or the one before.", Transcript.tie
    ),
    PlainCommand("why", "Why this pair merged; what other tie rules would take.", Transcript.why),
    PlainCommand("merge", "The merge in full: pretokens, counts changed.", Transcript.merge),
    PlainCommand("pairs [N]", "The most frequent pairs.", Transcript.pairs),
    PlainCommand("encode TEXT", "A text with the merges of this step.", Transcript.encode),
    PlainCommand("save DIR", "Save the tokenizer of this step.", Transcript.save),
    PlainCommand("help", "The commands.", Transcript.help),
    PlainCommand("quit", "Leave; so does the end of the input.", lambda transcript, rest: iter(())),
)
COMMAND_OF = {command.name: command for command in COMMANDS}
