"""The screens that sum a BPE tokenizer up: vocabulary, inspection, charts; saving."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input, Static

from bpe_tui.bpe.inspection_rows import SECTIONS
from bpe_tui.bpe.training_screen import BPE_VIEW
from bpe_tui.panels import charts
from bpe_tui.panels.inspection_screen import InspectionScreen
from bpe_tui.panels.token_table import VocabularyPanel
from bpe_tui.panels.vocabulary_screen import VocabularyScreen
from bpe_tui.session.declarations import CHARTS as NAME
from bpe_tui.session.declarations import INSPECTION, VOCABULARY
from bpe_tui.session.session import Session
from bpe_tui.shell.dialog import SaveFile
from bpe_tui.widgets.language import plural, tr
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.rows import cursor_sign
from bpe_tui.words.narration import how_trained
from engine.analysis.inspection import Inspection
from engine.bpe.frame import Frame
from engine.formats import DEFAULT_FORMAT, FORMATS, WRITABLE, save
from engine.formats.tokenizer_format import Opened, TokenizerFormat, describe_obstacle


class BpeVocabularyScreen(VocabularyScreen):
    """The tokens at the timeline's step."""

    NAME = VOCABULARY
    VIEW = BPE_VIEW
    TABLE = VocabularyPanel

    def facts_of(self, frame: Frame) -> Sequence[str]:
        counted = tr("no corpus, so nothing is counted; o opens one")
        if frame.has_corpus:
            counted = tr("{n} tokens in the corpus", n=frame.token_count)
        return tr("Vocabulary"), plural(frame.vocab_size, "token"), counted


class BpeInspectionScreen(InspectionScreen):
    """The five sections of BPE's inspection."""

    NAME = INSPECTION
    VIEW = BPE_VIEW
    TILES = SECTIONS

    def facts_of(self, frame: Frame) -> Sequence[str]:
        return "Tokenizer", plural(frame.vocab_size, "token")

    def how_trained(self, session: Session, frame: Frame) -> Sequence[tuple[str, str]]:
        rule, units = frame.tie_rule, frame.units
        return how_trained(
            session,
            ("distinct pretokens", number(len(frame.run.counts))),
            ("tie rule", f"{rule.name}: {tr(rule.summary)}"),
            *([] if units.spells_all else [("units", f"{units.name}: {tr(units.lesson)}")]),
        )

    def inspection_of(self, frame: Frame, opened: Opened | None) -> Inspection:
        return Inspection.of_frame(frame, opened)


class BpeChartsScreen(charts.ChartsScreen):
    """The four charts of BPE, and two tables: the gains of merges, and frequent pretokens."""

    NAME = NAME
    VIEW = BPE_VIEW
    TILES = (
        charts.course(
            "compression",
            "How well is the text compressed?",
            "How well compressed?",
            lambda found, steps: found.bytes_per_token(steps),
            lambda frame: tr("{n} bytes per token", n=f"{frame.bytes_per_token:.2f}"),
        ),
        charts.GAINS,
        charts.COUNTS,
        charts.ZIPF,
        charts.frequent(),
        charts.lengths("How long are the tokens?", "bytes"),
    )


_DEFAULT = FORMATS[DEFAULT_FORMAT]
_PREFERRED = (_DEFAULT, *(FORMATS[name] for name in WRITABLE))
"""Formats in the order of preference; the first that can hold the tokenizer is chosen."""


class SaveTokenizer(SaveFile):
    """A window that asks for a format and a path, and writes the tokenizer there.

    Args:
        format: name of the format to begin with, if it can hold the tokenizer.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "choose(-1)", "format", show=False, priority=True),
        Binding("down", "choose(1)", "format", show=False, priority=True),
    ]
    NAMELESS = "Name a file, or a directory for the formats that fill one."

    def __init__(self, frame: Frame, suggestion: str, format: str = DEFAULT_FORMAT) -> None:
        self._frame = frame
        self._stem = self._suggested = suggestion
        own = [FORMATS[format]] if format in WRITABLE else []
        self.chosen: TokenizerFormat = next(
            (each for each in (*own, *_PREFERRED) if self._unsayable(each) is None), _DEFAULT
        )
        self._suggested += self.chosen.suffix
        super().__init__(
            tr("save the {model} tokenizer of step {step}", model="BPE", step=frame.step),
            self._describe_format(),
            self._suggested,
        )

    def compose_more(self) -> ComposeResult:
        yield Static(id="save-formats")

    def on_mount(self) -> None:
        self._show_formats()

    # -- the format

    def action_choose(self, by: int) -> None:
        place = (WRITABLE.index(self.chosen.name) + by) % len(WRITABLE)
        before, self.chosen = self.chosen, FORMATS[WRITABLE[place]]
        field = self.query_one("#dialog-input", Input)
        if field.value == self._suggested:
            self._suggested = field.value = self._stem + self.chosen.suffix
        elif before.suffix and field.value.endswith(before.suffix):
            field.value = field.value.removesuffix(before.suffix) + self.chosen.suffix
        field.cursor_position = len(field.value)
        self._show_formats()
        self.say(self._describe_format())

    def _show_formats(self) -> None:
        lines = []
        for name in WRITABLE:
            mark, _ = cursor_sign(name == self.chosen.name)
            kind = FORMATS[name].suffix or tr("a directory")
            if self._unsayable(FORMATS[name]):
                kind = tr("cannot hold this tokenizer")
            lines.append(f"{mark}{name:<16}{kind}")
        self.query_one("#save-formats", Static).update(Content("\n".join(lines)))

    def _unsayable(self, format: TokenizerFormat) -> str | None:
        """Return why a format cannot hold the tokenizer, as far as known without writing it."""
        return describe_obstacle(self._frame.run.alphabet, format)

    def _describe_format(self) -> str:
        """Return the contents and ids that a format will have, or why it is impossible."""
        if unsayable := self._unsayable(self.chosen):
            return f"{unsayable[0].upper()}{unsayable[1:]}."
        tokens = f"{plural(self._frame.vocab_size, 'token')}"
        anew = (
            tr(" It prescribes the ids: they are given anew.") if self.chosen.prescribes_ids else ""
        )
        template = "↑ ↓ choose: {summary}; {tokens}.{anew}"
        return tr(template, summary=tr(self.chosen.summary), tokens=tokens, anew=anew)

    # -- the place

    def write(self, path: Path, overwrite: bool) -> None:
        save(self._frame.tokenizer(), path, self.chosen.name, overwrite=overwrite, renumber=True)
