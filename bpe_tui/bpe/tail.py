"""The unstable tail on the encoding screen: tokens that may change if the text goes on."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import cast

from bpe_tui.session.host import Notifier
from bpe_tui.views.encoded_text import describe_reach
from bpe_tui.views.panel import Panel, sentence
from bpe_tui.views.targets import ToText
from bpe_tui.widgets.lines import Drawn
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.rows import Row, RowsOnDemand, cursor_sign, left, paragraph, right
from bpe_tui.widgets.visible import visible_bytes, visible_text
from engine.bpe.frame import Frame
from engine.core.errors import TailError
from engine.encoding.tail import Tail, find_tail
from engine.encoding.tokenizer import Tokenizer
from engine.text.pretokenize import to_bytes

EXAMPLES = {"the cat sat ": "a space at the end", 'see <a href="http:': "a URL"}
"""Texts that show the problem, and what they end in."""
CHANGES = len("  changes  ")


class TailPanel(Panel):
    """The end of `text` that may change, and its completions; Enter types one."""

    ID = "tail"
    KEEPS_CURSOR = True

    text: Drawn[str] = Drawn("")
    _asked: tuple[Frame, str] | None = None
    _found: Tail | TailError | None = None
    _made: tuple[Frame, Tokenizer] | None = None
    """The tokenizer of a frame, for all that is typed there."""

    def rows_of(self, frame: Frame, width: int) -> Sequence[Row]:
        asked = (frame, self.text)
        if self._asked != asked:
            self._asked, self._found = asked, None
            # In a thread: a space may be the beginning of every second token.
            find = partial(self._find, frame, self.text)
            cast("Notifier", self.app).jobs.find(self, "tail", find, self._take)
        cells = _token_cells(width)
        examples = [_example(text, what, cells) for text, what in EXAMPLES.items()]
        if isinstance(self._found, Tail):
            return self._rows_of(frame, self._found, examples, width)
        self.say("tail of the text")
        told = "" if self._found is None else f"{visible_text(str(self._found), spaces=False)}."
        return [*paragraph(told, width, "loss"), *examples]

    def _find(self, frame: Frame, text: str) -> Tail | TailError:
        if self._made is None or self._made[0] is not frame:
            tokenizer = frame.tokenizer()
            self._made = frame, tokenizer if frame.cuts_specials else tokenizer.allowing(())
        try:
            return find_tail(self._made[1], text)
        except TailError as error:
            return error

    def _take(self, found: Tail | TailError) -> None:
        self._found = found
        self.rebuild()

    def _rows_of(
        self, frame: Frame, tail: Tail, examples: Sequence[Row], width: int
    ) -> Sequence[Row]:
        """Return the examples, the tail as it is, and its completions."""
        painter = self.painter(frame)
        found = plural(len(tail.completions), "completion")
        self.say(f"tail of the text  {found}", f"{describe_reach(tail)} │ ↵ types one")
        if not tail.ids:
            return [*examples, *sentence("Nothing can change: no text, or a special token.", width)]
        cells = _token_cells(width)
        now = [right("now  ", CHANGES, "dim"), *left(painter.tokens(tail.ids), cells - 2)]
        head = [right("changes  ", CHANGES), *left([("tokens", "")], cells)]
        self.name_columns([*head, ("if this follows", "")])

        def row(place: int) -> Row:
            each = tail.completions[place]
            longer = (to_bytes(self.text) + each.added).decode("utf-8", "replace")
            return Row(
                [
                    cursor_sign(place + len(top) == self.cursor),
                    right(f"{number(each.changed) if each.changed else ''}  ", CHANGES - 2, "loss"),
                    *left(painter.tokens(each.ids), cells - 2),
                    ("  ", ""),
                    (visible_bytes(each.added), "gain") if each.added else ("nothing", "dim"),
                ],
                ToText(longer),
            )

        top = [*examples, Row(now)]
        return RowsOnDemand(len(tail.completions), row, top)


def _token_cells(width: int) -> int:
    """Return the cells of the tokens: half of those after the changes."""
    return max((width - CHANGES) // 2, 8)


def _example(text: str, what: str, cells: int) -> Row:
    """Return a row that types an example, in the columns of the completions."""
    name = right("try  ", CHANGES, "dim")
    shown = left([(visible_text(text), "strong")], cells - 2)
    return Row([name, *shown, (f"  {what}", "dim")], ToText(text))
