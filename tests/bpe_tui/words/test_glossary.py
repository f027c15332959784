"""The help window explains every sign that a screen draws, and every technical word."""

import unicodedata
from typing import Any

import pytest
from opening import opened, until

from bpe_tui.session.declarations import ALWAYS
from bpe_tui.session.models import MODELS
from bpe_tui.shell.commands import (
    LEGENDS,
    SIGNS,
    WORDS,
    bound_commands,
    commands_on,
    key_of_screen,
    legend_of,
)
from bpe_tui.shell.help_window import help_parts
from bpe_tui.widgets.rows import CHIPS_MEET
from bpe_tui.widgets.visible import width

FURNITURE = frozenset("─╌│╭╮╯╰├┤└┘┌┐┬┴━←→↑↓↵–−—“”×⁰¹²³⁴⁵⁶⁷⁸⁹⁻‹›≤≥√Δ▁▂▃▄▅▆▇█▉▊▋▌▍▎▏中文")
"""Signs that need no explanation: borders, names of keys, typography, bars, a language's name."""


def drawn_on(screen: Any) -> str:
    strips = screen._compositor.render_strips()
    return "".join(segment.text for strip in strips for segment in strip)


def is_part_of_a_curve(sign: str) -> bool:
    return unicodedata.name(sign, "").startswith("BRAILLE")


@pytest.mark.slow  # it walks through all screens
@pytest.mark.parametrize("model", MODELS)
async def test_every_sign_on_a_screen_is_explained(model: str) -> None:
    async with opened(vocab_size=290, model=model) as (app, pilot):
        kinds = ("training", "encoding", "vocabulary", "charts", "inspection", "pipeline")
        for kind in (*kinds, *(("race", "family") if model == "bpe" else ())):
            name = MODELS[model].screen(kind)
            if kind != "training":
                await pilot.press(key_of_screen(kind))
            await until(pilot, lambda: app.screen.id == name)  # noqa: B023
            keys = ("a",) if kind == "encoding" else ("end", "left", "v")
            await pilot.press(*keys)
            assert app.screen.id == name
            lines = (line for part in help_parts(name).values() for line in part)
            explained = FURNITURE | {
                sign for line in lines for sign in f"{line.name}{line.sentence}"
            }
            strange = {sign for sign in drawn_on(app.screen) if not sign.isascii()} - explained
            assert not {sign for sign in strange if not is_part_of_a_curve(sign)}, kind


def test_technical_words_are_explained() -> None:
    for kind in ALWAYS:
        parts = help_parts(kind)
        words = {line.name[0][0] for line in parts["words"]}
        assert words >= {"stale", "rank", "tie", "pretoken", "never encoded", *WORDS}
        assert len(parts["signs"]) == len(SIGNS)


def test_each_explanation_is_one_short_sentence() -> None:
    for sentence in (*WORDS.values(), *(sign.sentence for sign in SIGNS.values())):
        assert sentence.endswith(".")
        assert width(sentence) <= 80


def test_each_screen_has_a_legend_of_declared_signs() -> None:
    assert set(LEGENDS) >= set(ALWAYS)
    assert {name for names in LEGENDS.values() for name in names} <= set(SIGNS)


def test_keys_are_bound_also_if_their_command_is_refused_but_not_in_a_menu() -> None:
    bound = bound_commands.__wrapped__("unigram-training")
    assert bound["6"].action == "app.show('race')"  # says that Unigram has none
    assert (bound["p"].screens, bound["m"].screens) == (
        ("unigram-training",),
        ("unigram-training",),
    )
    assert not {"T", "u"} & bound.keys()  # of the menu of BPE, of the vocabulary
    actions = {each.action for each in commands_on.__wrapped__("unigram-training")}
    assert {"screen.show('pieces')", "screen.forward(1)"} < actions
    assert not {"app.show('race')", "screen.turn('pairs')", "screen.sort"} & actions


def test_the_legend_of_a_model_has_only_signs_that_it_draws() -> None:
    unigram = legend_of("training", MODELS["unigram"])
    assert unigram[0] == (SIGNS["underline"].span, (" space in pieces", "dim"))
    labels = [label for *_, (label, _) in unigram]
    assert not {" joins next", " stale part"} & set(labels)
    assert legend_of("explain", MODELS["unigram"])[0] == unigram[0]
    assert " space in pieces" not in [label for *_, (label, _) in legend_of("training")]


def test_the_legend_has_the_signs_that_the_text_needs_and_draws_them_as_the_screen() -> None:
    cut = (SIGNS["parted"].span, (" cut by tokens", "dim"))
    assert legend_of("explain", needed=["parted"])[0] == cut
    assert legend_of("vocabulary", needed=["parted"]) == legend_of("vocabulary")
    assert (("ab", "fresh"), (" just merged", "dim")) in legend_of("explain")
    assert (("«ab»", "fresh"), (" just merged", "dim")) in legend_of("explain", marks=True)
    byte = (("E4", "base"), CHIPS_MEET, (" byte", "dim"))
    assert byte in legend_of("explain")
    assert (("<E4>", "base"), (" byte", "dim")) in legend_of("inspection")  # in the middle of texts


def test_the_help_of_each_screen_has_each_of_its_commands_to_run() -> None:
    for screen in (*ALWAYS, "start", "unigram-training"):
        commands = [line.found.command for line in help_parts(screen)["keys"] if line.found]
        assert sorted(commands, key=id) == sorted(commands_on(screen), key=id)


def test_the_help_begins_with_the_steps() -> None:
    for kind in ("training", "explain"):
        first = help_parts(kind)["keys"][0]
        assert (first.group, first.name[0][0].split()[0]) == ("Step", "→")
