"""Which actions do nothing for what is open, and why."""

from __future__ import annotations

from dataclasses import replace

import pytest
from program import HANDOUT

from bpe_tui.session.config import Config, RunConfig, TokenizerConfig
from bpe_tui.session.refusals import NO_ORIGIN, OF_CONFIGS, refusal_of
from bpe_tui.session.session import ForkedFrom, Session
from engine.text.corpus import Reading

COUNTED = {f"app.show('{kind}')" for kind in ("race", "family", "check")}
CHECK, MODEL, MORE = "app.open('CHECK')", "app.model", "app.continue_tokenizer"
CHAT = "app.chat"
RUN, TOKENIZER = RunConfig(HANDOUT), TokenizerConfig(("gpt2",))
OF_TOKENIZERS = {CHECK, MODEL, "app.what_if", "app.predict"}


@pytest.mark.parametrize(
    ("config", "refused"),
    [
        (RUN, {MORE, CHAT}),
        (RunConfig("-"), {CHECK, MODEL, MORE, CHAT}),
        (replace(RUN, reading=Reading(more=("-",))), {CHECK, MODEL, MORE, CHAT}),
        (replace(RUN, phases="gpt2:300,none:400"), {CHECK, MORE, CHAT}),
        (replace(RUN, units="characters"), {CHECK, MORE, CHAT}),
        (TOKENIZER, {*COUNTED, *OF_TOKENIZERS, MORE}),
        (replace(TOKENIZER, corpus=HANDOUT), OF_TOKENIZERS),
        (replace(TOKENIZER, corpus="-"), {*OF_TOKENIZERS, MORE}),
        (replace(TOKENIZER, corpus=HANDOUT, continued=5), OF_TOKENIZERS - {"app.predict"}),
    ],
)
def test_what_is_open_decides_which_actions_are_refused(config: Config, refused: set[str]) -> None:
    session = Session(config)
    assert {action for action in OF_CONFIGS if refusal_of(action, session)} == refused


def test_only_a_fork_is_left() -> None:
    session = Session(RUN)
    assert refusal_of("app.leave_run", session) == NO_ORIGIN
    session.forked_from = ForkedFrom(2, "otherwise", None, None, RUN, None)  # type: ignore[arg-type]
    assert refusal_of("app.leave_run", session) is None
    assert refusal_of("app.show('race')", session) is None
