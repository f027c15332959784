"""Finding commands by words, wherever they work."""

from __future__ import annotations

from functools import cache

import pytest
from opening import opened, until

from bpe_tui.app.palette import (
    FoundCommand,
    all_commands,
    answers,
    corrected,
    useful_first,
)
from bpe_tui.session.commands import COMMANDS
from bpe_tui.session.models import MODELS
from bpe_tui.shell.commands import commands_on
from bpe_tui.shell.panel_screen import PanelScreen


@cache
def found_in(model: str) -> list[FoundCommand]:
    """Return what the palette has on the training screen of a model."""
    return list(all_commands(MODELS[model].screen("training"), MODELS[model]))


@pytest.mark.parametrize(
    ("label", "kind", "queries"),
    [
        ("never encoded", "vocabulary", "unreachable"),
        ("save", "", "convert"),
        ("heap view", "", "heap, stale, lazy deletion, priority queue"),
        (
            "charts",
            "",
            "most frequent pretokens, zipf, compression, compresion, bytes per token, histogram",
        ),
        ("compare", "encoding", "compare"),
        ("tie", "", "ties"),
        ("encode", "", "unknown, decode ids, unk"),
        ("light", "", "dark mode"),
        ("why", "", "why"),
        ("leave", "", "cancel"),
        ("back", "", "undo, return"),
        ("race", "", "naive, benchmark, complexity"),
        ("characters", "", "emoji"),
        ("what if", "", "forbid, fork, tie rule"),
        ("export", "", "screenshot"),
        ("open", "", "huggingface, minbpe, tiktoken, cl100k, ranks"),
        ("lessons", "", "tutorial"),
        ("vocabulary", "", "dead tokens"),
        ("check", "", "homework"),
        ("zoom", "", "fullscreen"),
        ("pipeline", "", "nfd, nfkc, normalization, lowercase, accents"),
        ("model", "", "pmi, mutual information, viterbi, sentencepiece, bert"),
        ("inspect", "", "perplexity, entropy"),
        ("family", "", "fertility, oov"),
        ("suspend", "", "background"),
        ("help", "", "glossary"),
    ],
)
def test_the_best_answer_of_the_palette_is_the_right_command(
    label: str, kind: str, queries: str
) -> None:
    found = found_in("bpe")
    for query in queries.split(", "):  # what people call it, if it is no word of the screen
        best = (answers(query, found) or answers(corrected(query, found), found))[0]
        assert (query, best.command.label, best.kind) == (query, label, kind)


USEFUL = (
    "move, heap view, pseudocode, why, "  # of the focused panel
    "breakpoints …, pretokens, merges, hide next, characters, "  # of one, two, three screens
    "stops, tie, tie before, next, play, speed, speed, type, "  # of four
    "leave, back, next, predict, what if, go to, open, save, copy command, help, "  # in the footer
    "back, start, end, panel, "
    "explain, encode, vocabulary, charts, inspect, race, family, pipeline, check, "
    "panel, zoom, lessons, next scene, scene before, model, suspend, "
    "export, edges, light, language, palette, messages, quit, "
    "origin, start, end, next scene, scene before, add merges, open, quit"  # refused, or again
)
"""The commands of the training screen with the focus on the pairs, in the palette's order."""


async def test_the_most_useful_commands_come_first_and_refused_ones_last() -> None:
    async with opened(vocab_size=300) as (app, pilot):
        assert isinstance(app.screen, PanelScreen)
        app.screen.show_panel("pairs")
        await pilot.pause()
        assert ", ".join(command.label for command in useful_first(app.screen)) == USEFUL


def test_a_command_is_better_that_is_named_so_and_that_is_here() -> None:
    """An answer has 1, for its name 2, for its words 1.75, for beginnings 1, for here 0.5."""
    for query, best in (
        ("merge", [("merges", "m", "1 training", 4.5), ("add merges", "A", "everywhere", 4.25)]),
        ("erge", [("hide next", "H", "1 training", 1.5)]),
        ("undo", [("back", "⌫", "everywhere", 4.25)]),
        ("seldom", [("seldom", "M", "Unigram", 3.7)]),
        ("guess", [("predict", "P", "everywhere", 4.25)]),  # on all screens but two
        ("", []),
    ):
        found = answers(query, found_in("bpe"))[: len(best)]
        shown = [(e.command.label, *e.where("training"), e.score(query)) for e in found]
        assert (query, shown) == (query, best)


@pytest.mark.parametrize("model", MODELS)
def test_every_command_is_found_from_every_model(model: str) -> None:
    # On screens of no session: the comparison, the start page.
    alone = {"screen.difference(1)", "screen.difference(-1)", "app.open('CHECK')"}
    for kind in ("training", "vocabulary", "encoding"):
        found = list(all_commands(MODELS[model].screen(kind), MODELS[model]))
        actions = {each.command.action for each in found}
        assert {command.action for command in COMMANDS} - alone <= actions
        here = len(commands_on(MODELS[model].screen(kind)))
        elsewhere = [(each.command.action, each.command.label) for each in found[here:]]
        assert len(elsewhere) == len({*elsewhere})  # each once


@pytest.mark.slow
async def test_a_page_key_before_the_list_has_lines_does_not_fail_nor_tab_without_room() -> None:
    async with opened(vocab_size=300) as (app, pilot):
        await pilot.press("ctrl+p", "pagedown", "pageup", "escape")
        await pilot.press("ctrl+p", *"zzz", "pagedown", "escape")  # a line that leads nowhere
        await pilot.resize_terminal(1, 1)
        await pilot.press("tab", "shift+tab")  # no panel has room
        await until(pilot, lambda: app.screen.id == "training")
