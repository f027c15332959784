"""The commands of `--plain` on a Unigram training."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from bpe_tui.unigram.model import save_frame
from bpe_tui.unigram.narration import (
    STAYS,
    cost_text,
    count_text,
    describe_removal,
    describe_unknown,
    goes_text,
    increase_text,
    narrate,
    narrate_back,
    score_text,
    worth,
)
from bpe_tui.widgets.language import listed, plural, tr
from bpe_tui.widgets.visible import visible_text
from bpe_tui.words.transcript import AT_THE_END, DECODE, LISTED, MOVES, PlainCommand, Transcript
from engine.core.events import finished
from engine.unigram.frame import UnigramFrame, count_changes
from engine.unigram.pieces import spelled
from engine.unigram.record import NEVER, EmStep, PruneStep
from engine.unigram.textbook import TextbookRecord
from engine.unigram.units import SPACE

BEST = 5
"""Number of segmentations listed for a text."""


class UnigramTranscript(Transcript[UnigramFrame]):
    """A transcript of recorded iterations of EM and prunes."""

    STEPS = "step"
    SPACE = SPACE
    COMMANDS = (
        *MOVES,
        PlainCommand("prune [back]", "To the next prune, or the one before."),
        PlainCommand("step", "The step in full: what went, which expected counts changed."),
        PlainCommand("pieces [N]", "The most probable pieces."),
        PlainCommand("piece TEXT", "A piece: its score, what takes its place, what that costs."),
        PlainCommand("encode TEXT", "A text with the pieces of this step, and the next best."),
        DECODE,
        PlainCommand("save FILE", "Save the pieces of this step as a tokenizer.json."),
        *AT_THE_END,
    )
    SAVED = "the pieces", "a file to save in, like save tokenizer.json"

    def narrate(self) -> str:
        return narrate(self.frame)[0]

    def narrate_back(self) -> str:
        return narrate_back(self.frame)[0]

    def prune(self, rest: str) -> Iterator[str]:
        here, prunes = self.frame.step, self.frame.prunes
        before = [step for step in prunes if step < here]
        after = [step for step in prunes if step > here]
        found = before[::-1] if rest == "back" else after
        if not found:
            to_next = "There is no prune after this step."
            yield tr("There is no prune before this step." if rest == "back" else to_next)
            return
        self._player.seek(found[0])
        yield self.describe_step()

    def step(self, rest: str) -> Iterator[str]:
        yield self.describe_step()
        step, record = self.frame.came_by, self.frame.record
        if isinstance(record, TextbookRecord):
            yield from self._removals_from_here(self.frame, record)
        elif isinstance(step, PruneStep):
            earlier, pruned = self.frame.at(self.frame.step - 1), step.removed
            for piece in pruned[:LISTED]:
                template = "expected to cost {loss_increase} nats"
                cost = (
                    tr(template, loss_increase=cost_text(piece.loss_increase))
                    if piece.loss_increase
                    else tr("which no best segmentation used")
                )
                instead = _instead(earlier, piece.text)
                template = "Gone is {text}, {cost}; {instead} replace it."
                yield tr(template, text=visible_text(piece.text), cost=cost, instead=instead)
            if (others := len(pruned) - LISTED) > 0:
                yield tr("{pieces} went.", pieces=plural(others, "other piece"))
        if not isinstance(step, EmStep):
            return
        vanished = step.removed
        if vanished:
            named = listed(visible_text(piece.text) for piece in vanished[:LISTED])
            template = " and {vanished} more"
            more = tr(template, vanished=len(vanished) - LISTED) if len(vanished) > LISTED else ""
            template = "Too rare to keep were {pieces}: {named}{more}."
            yield tr(template, pieces=plural(len(vanished), "piece"), named=named, more=more)
        changes = count_changes(self.frame)
        columns = (changes.numbers, changes.before, changes.after)
        for index, before, after in zip(*(column[:LISTED] for column in columns), strict=True):
            text = visible_text(self.frame.record.texts[int(index)])
            yield tr(
                "The expected count of {text} went from {before} to {after}.",
                text=text,
                before=count_text(float(before)),
                after=count_text(float(after)),
            )

    def _removals_from_here(self, frame: UnigramFrame, record: TextbookRecord) -> Iterator[str]:
        """Yield the n-grams whose removal here costs least: the table of the screen."""
        increases = record.increases_at(frame.step).round(9)
        for at in np.argsort(increases, kind="stable")[:LISTED].tolist():
            text = visible_text(record.texts[int(frame.numbers[at])])
            increase = float(increases[at])
            goes = goes_text(frame, int(frame.goes_at[at]))
            template = "{text}, {worth}, loss without it {loss}, {increase}: {goes}."
            yield tr(
                template,
                text=text,
                worth=worth(frame, at),
                loss=score_text(frame.loss + increase, 3),
                increase=increase_text(frame, increase),
                goes=tr(STAYS) if goes == STAYS else tr("goes at step {goes}", goes=goes),
            )
        if (others := frame.size - LISTED) > 0:
            yield tr("{ngrams} would cost more, or as much.", ngrams=plural(others, "other n-gram"))

    def pieces(self, rest: str) -> Iterator[str]:
        return self.numbered(rest, "pieces", self._most_probable)

    def _most_probable(self, most: int) -> Iterator[str]:
        frame = self.frame
        order = np.argsort(-frame.scores, kind="stable")[:most]
        for at in order.tolist():
            text = visible_text(frame.record.texts[int(frame.numbers[at])])
            yield f"{text}, {worth(frame, at)}."

    def piece(self, rest: str) -> Iterator[str]:
        if not rest:
            yield tr("Say a piece, like piece {space}the.", space=SPACE)
            return
        frame, found = self.frame, self._number(rest)
        if found is None:
            yield tr("{rest} is no piece, and was none.", rest=visible_text(spelled(rest)))
            return
        text, at = frame.record.texts[found], frame.index_of(found)
        shown = visible_text(text)
        if at is None:
            gone_at = int(frame.record.steps_removing(np.array([found]))[0]) + 1
            template = "{shown} is no piece any more: it went at step {gone_at}."
            yield tr(template, shown=shown, gone_at=gone_at)
            return
        template = "{shown} has the id {ids}: {frame}."
        yield tr(template, shown=shown, ids=str(frame.ids[at]), frame=worth(frame, at))
        if isinstance(frame.record, TextbookRecord):
            yield describe_removal(frame, frame.record, found)
            yield from self._leaving(frame, at)
            return
        if found < frame.record.characters:
            yield tr("As a single character it is never removed.")
            return
        yield tr("Without it {frame} would replace it.", frame=_instead(frame, text))
        increase = float(finished(frame.removals()).loss_increases[found])
        change = tr("change the loss by {increase} nats a pretoken", increase=cost_text(increase))
        unused = tr("change nothing: no best segmentation uses it")
        yield tr("To remove it would {change}.", change=change if increase else unused)
        yield from self._leaving(frame, at)

    def _leaving(self, frame: UnigramFrame, at: int) -> Iterator[str]:
        if (goes_at := int(frame.goes_at[at])) != NEVER:
            yield tr("It goes at step {goes_at}.", goes_at=goes_at)

    def _number(self, typed: str) -> int | None:
        """Return the number of the typed piece of the seed, with or without a leading ▁."""
        known, text = self.frame.record.columns.number_of, spelled(typed)
        found = [known[each] for each in (text, SPACE + text) if each in known]
        here = (piece for piece in found if self.frame.index_of(piece) is not None)
        return next(here, found[0] if found else None)

    def encoded(self, text: str) -> Iterator[str]:
        found = self.frame.segmentations(text, BEST)
        for best in found[:1]:  # none if no piece covers a part of the text
            tokens, characters = plural(len(best.pieces), "piece"), plural(len(text), "character")
            score = score_text(best.score)
            yield tr(
                "{tokens} for {characters}, score {score}: {pieces}.",
                tokens=tokens,
                characters=characters,
                score=score,
                pieces=_listed(best.pieces),
            )
        yield tr("In ids: {str}.", str=" ".join(map(str, self.frame.encode(text))))
        if unknown := describe_unknown(self.frame, text):
            yield unknown
        for path in found[1:]:
            template = "Less probable, score {score}: {pieces}."
            yield tr(template, score=score_text(path.score), pieces=_listed(path.pieces))

    def decoded(self, ids: Sequence[int]) -> str:
        return visible_text(self.frame.decode(ids))

    def save_in(self, path: Path) -> Iterator[str]:
        if left_out := save_frame(self.frame, path):
            yield left_out


def _instead(frame: UnigramFrame, text: str) -> str:
    """Return the replacement of a piece: `▁hug and s, score −8.20,`."""
    path = frame.alternative(text)
    assert path is not None  # its characters are pieces
    parts = [visible_text(text[edge.start : edge.end]) for edge in path.edges]
    template = "{others} and {last}, score {score},"
    return tr(template, others=listed(parts[:-1]), last=parts[-1], score=score_text(path.score))


def _listed(pieces: Iterable[str]) -> str:
    return listed(map(visible_text, pieces))
