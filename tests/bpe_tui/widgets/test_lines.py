"""Values of a list that its rows show. What its keys do is in the calls `rows` and `found`."""

from __future__ import annotations

from textual.app import App

from bpe_tui.widgets.lines import Drawn, RowList
from bpe_tui.widgets.rows import Row


class Marked(RowList):
    """A list whose rows show a value."""

    def row(self, index: int) -> Row:
        return Row([(str(getattr(self, "mark", "")), "")])


async def test_a_value_that_is_drawn_makes_rows_again_unless_the_class_watches_it() -> None:
    class Drawing(Marked):
        mark: Drawn[int] = Drawn(0)

    class Watching(Marked):
        mark: Drawn[int] = Drawn(0)

        def watch_mark(self) -> None:
            """Do nothing."""

    app = App[None]()
    async with app.run_test(size=(20, 10)) as pilot:
        lists = Drawing("drawing", [Row([])]), Watching("watching", [Row([])])
        await app.mount(*lists)
        await pilot.pause()
        for each in lists:
            each.render_line(0)
            each.mark = 1
        assert [each._in_sight[0] for each in lists] == [
            (Row([("1", "")]), True),
            (Row([("0", "")]), True),
        ]
