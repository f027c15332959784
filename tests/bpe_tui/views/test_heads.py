"""Tables name their columns; the head stays above the rows and hides no row."""

from __future__ import annotations

from opening import opened

from bpe_tui.bpe.walks import PretokensPanel
from bpe_tui.views.narration import (
    fitting_facts,
)
from bpe_tui.widgets.lines import Lines


def test_of_facts_without_room_the_first_is_left_and_the_last_go_first() -> None:
    facts = [(2, "seven"), (1, "two"), (3, "nine")]
    lines = {fitting_facts(facts, room) for room in range(30)}
    assert lines == {"seven", "two │ seven", "two │ seven │ nine"}


TEXT = "The old goat's kite, 1234567 times!"


def lines_of(panel: Lines) -> list[str]:
    return [panel.render_line(y).text.rstrip() for y in range(panel.size.height)]


async def test_a_pretoken_shows_the_alternative_that_matched_it() -> None:
    async with opened() as (app, pilot):
        app.navigation.open_encoding(f"{TEXT} The old", look=True)
        await pilot.pause()
        panel = app.screen.query_one("#pretokens", PretokensPanel)
        numbers = next(line for line in lines_of(panel) if "1234567" in line)
        assert numbers.rstrip().endswith(r"numbers  ` ?\p{N}+`")
        await pilot.press("down")
        foot = str(panel.border_subtitle)
        assert foot.startswith(r"matched by letters  ` ?\p{L}+`"), foot
        app.session.type("")  # before the panel's message about its cursor arrives
        app.changed()
        await pilot.pause()
        assert not app.notices.note
