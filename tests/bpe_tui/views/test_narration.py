"""The first line of a screen names what is open; the last one says why playing stopped."""

from __future__ import annotations

import pytest
from opening import SAMPLE, session_of

from bpe_tui.session.config import Config, RunConfig, TokenizerConfig, in_phases
from bpe_tui.session.jobs import Working
from bpe_tui.views.narration import add_stop, heading

HANDOUT, SWAPPED = (str(SAMPLE.with_name(name)) for name in ("handout.txt", "swapped.json"))
CUT_SO = RunConfig(HANDOUT, pattern="whitespace", tie_rule="smallest-ids", vocab_size=262)
CHARACTERS = RunConfig(HANDOUT, units="characters", vocab_size=20)
PHASES = in_phases(RunConfig(HANDOUT, phases="gpt2:260,none:262"))
CONTINUED = TokenizerConfig((SWAPPED,), HANDOUT, continued=2)
PLAIN = "handout.txt │ 95 B │ 1 document"
OVER = (
    "swapped.json │ course-json format │ 316 tokens │ pattern gpt2 │ over handout.txt │ "
    "8 distinct pretokens"
)


@pytest.mark.parametrize(
    ("config", "facts", "tied"),
    [
        (CUT_SO, f"{PLAIN} │ pattern whitespace │ ties smallest-ids (rustbpe)", "3 of 5 merges"),
        (CHARACTERS, f"{PLAIN} │ units characters", "4 of 6 merges"),
        (PHASES, f"{PLAIN} │ phases gpt2:260,none:262", "3 of 5 merges"),
        (TokenizerConfig((SWAPPED,), HANDOUT), OVER, ""),
        (CONTINUED, f"{OVER} │ 2 new merges", "1 of 62 merges"),
    ],
)
def test_the_heading_names_what_is_open_with_unusual_options(
    config: Config, facts: str, tied: str
) -> None:
    session, busy = session_of(config), " │ training … │ counting 75%"
    end = f" │ {tied} tied" if tied else ""
    assert heading(session, 200) == heading(session, len(facts + end)) == facts + end
    assert heading(session, 1) == facts.partition(" │ ")[0]
    session.stop_reason, session.working = None, Working("counting", 3, 4)
    if isinstance(config, TokenizerConfig):
        busy = " │ replaying …"
    assert heading(session, 200) == facts + busy + end


def test_the_last_line_says_why_playing_stopped_in_the_longest_way_that_fits() -> None:
    session = session_of(RunConfig(HANDOUT, pattern="whitespace", vocab_size=1000))
    session.breakpoints.add("step 2")

    def said(*rooms: int) -> list[str]:
        return [add_stop(session, ("A sentence.", "Short."), room) for room in rooms]

    assert said(200, 3) == ["A sentence.", "Short."]
    session.run_to_breakpoint()
    session.tick(0)
    assert said(30, 29, 10) == [
        "Stopped at step 2. A sentence.",
        "Stopped at step 2. Short.",
        "Short.",
    ]
    session.seek(3)
    session.run_to_breakpoint()
    assert said(200) == ["Running to the next breakpoint … A sentence."]
    session.seek_end()
    assert said(200, 74, 34, 11) == [
        "A sentence. Training ended: no pair is left: every pretoken is one token.",
        "A sentence. Training ended: no pair is left: every pretoken is one token.",
        "A sentence. The end: no pair left.",
        "A sentence.",
    ]
