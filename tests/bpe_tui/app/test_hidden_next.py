"""With `--hide-next`, or `H`, screens 0 and 1 do not tell which merge comes next."""

from __future__ import annotations

from dataclasses import replace

import pytest
from generated import first_quick
from opening import opened_as
from program import HANDOUT
from textual.pilot import Pilot
from textual.widgets import Static

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.explain.screen import ExplainScreen
from bpe_tui.session.config import RunConfig, Viewpoint
from bpe_tui.session.opening_command import command_that_opens
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.rows import plain_text

CASES = [
    (step, rules, view)
    for step, rules in ((4, ("first-seen", "smallest-ids")), (0, ("lexicographic", "first-seen")))
    for view in ("training", "explain")
]
"""A step, and two tie rules that agree on the handout up to it, but not on the next merge."""


def shown(app: BpeTuiApp) -> dict[str, list[str]]:
    """Return the title, rows and roles of each panel in sight, and the sentence about the step."""
    panels = {
        str(panel.id): [
            str(panel.border_title),
            *(
                f"{plain_text(row.spans)} {[role for _, role in row.spans]}"
                for row in map(panel.row, range(panel.row_count))
            ),
        ]
        for panel in app.screen.query(Lines)
        if panel.display
    }
    said = {"said": [str(each.render()) for each in app.screen.query("#narration").results(Static)]}
    return panels | said


async def drawn(
    rule: str, view: str, step: int, *keys: str, hides: bool
) -> list[dict[str, list[str]]]:
    """Return what a screen shows at a step, then after each key."""
    viewpoint = Viewpoint(step, view, "the newest", hide_next=hides)
    config = RunConfig(HANDOUT, 275, tie_rule=rule, pattern="whitespace", viewpoint=viewpoint)
    async with opened_as(config) as (app, pilot):
        found = [await settled(app, pilot)]
        for key in keys:
            await pilot.press(key)
            found.append(await settled(app, pilot))
        return found


async def settled(app: BpeTuiApp, pilot: Pilot[int]) -> dict[str, list[str]]:
    if isinstance(app.screen, ExplainScreen):
        app.screen.clock.finish()
    before = None
    while before != (now := shown(app)):
        before = now
        await pilot.pause(0.01)
    return now


@pytest.mark.parametrize(("step", "rules", "view"), first_quick(CASES))
async def test_screens_whose_next_merges_differ_look_alike_while_these_are_hidden(
    step: int, rules: tuple[str, str], view: str
) -> None:
    one, other = [await drawn(rule, view, step, "H", hides=True) for rule in rules]
    assert one[0] == other[0]
    assert one[1] != other[1], "H shows it"


@pytest.mark.slow
async def test_the_key_hides_over_steps_and_the_command_says_so() -> None:
    [hidden] = await drawn("first-seen", "training", 4, hides=True)
    assert hidden == (await drawn("first-seen", "training", 3, "H", "right", hides=False))[-1]
    *_, hinted = await drawn("first-seen", "explain", 4, "P", "H", hides=False)
    assert any("Hint: " in row for row in hinted["pick"]), "a question is asked"
    config = RunConfig("/a.txt")
    command = command_that_opens(config, replace(config.viewpoint, hide_next=True))
    assert command == "bpe-tui open /a.txt --hide-next"


@pytest.mark.slow
async def test_another_model_hides_nothing() -> None:
    config = RunConfig(HANDOUT, model="wordpiece", viewpoint=Viewpoint(hide_next=True))
    async with opened_as(config) as (app, pilot):
        assert not app.hides_next
        await pilot.press("H")
        assert (
            app.notices.now == "Only BPE's merges to come are hidden; M trains BPE on this corpus."
        )
