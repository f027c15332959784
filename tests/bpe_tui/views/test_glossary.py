"""The help window explains every sign that a screen draws, and every technical word."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

import pytest
from opening import opened, until

from bpe_tui.session.declarations import ALWAYS
from bpe_tui.session.models import MODELS
from bpe_tui.views.commands import (
    LEGENDS,
    SIGNS,
    WORDS,
    hanging,
    help_text,
    key_of_screen,
    legend_of,
)
from bpe_tui.widgets.controls import FootLine, KeyBar
from bpe_tui.widgets.visible import width

FURNITURE = frozenset("─╌│╭╮╯╰├┤└┘┌┐┬┴━←→↑↓↵–−—“”×⁰¹²³⁴⁵⁶⁷⁸⁹⁻‹›≤≥√Δ▁▂▃▄▅▆▇█▉▊▋▌▍▎▏")
"""Signs that need no explanation: borders, names of keys, typography, bars, scroll bars."""


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
            for _ in range(200):
                if app.screen.id == name:
                    break
                await pilot.pause(0.02)
            keys = ("a",) if kind == "encoding" else ("end", "left", "v")
            await pilot.press(*keys)
            await pilot.pause()
            assert app.screen.id == name
            explained = FURNITURE | set(help_text(name))
            strange = {sign for sign in drawn_on(app.screen) if not sign.isascii()} - explained
            assert not {sign for sign in strange if not is_part_of_a_curve(sign)}, kind


def test_technical_words_are_explained() -> None:
    for kind in ALWAYS:
        text = help_text(kind)
        for word in ("stale", "rank", "tie", "pretoken", "never encoded", *WORDS):
            assert re.search(rf"^  {word} +[A-Z]", text, re.MULTILINE), (kind, word)
        before = (text[: text.index(sign.title)].splitlines()[-1] for sign in SIGNS.values())
        assert set(map(width, before)) == {14}


def test_each_explanation_is_one_short_sentence() -> None:
    for sentence in (*WORDS.values(), *(sign.sentence for sign in SIGNS.values())):
        assert sentence.endswith(".")
        assert width(sentence) <= 80


def test_each_screen_has_a_legend_of_declared_signs() -> None:
    assert set(LEGENDS) >= set(ALWAYS)
    assert {name for names in LEGENDS.values() for name in names} <= set(SIGNS)


def test_wrapped_help_continues_below_the_text_not_below_the_key() -> None:
    for line in hanging(help_text("training"), 50).splitlines():
        assert width(line) <= 50
        assert re.match(r"(\w[^.]*$|  \S| {12,}\S|$)", line), line


def test_the_legend_of_a_model_has_only_signs_that_it_draws() -> None:
    unigram = legend_of("training", MODELS["unigram"])
    assert unigram[0] == (SIGNS["underline"].span, (" space in pieces", "dim"))
    labels = [label for *_, (label, _) in unigram]
    assert not {" joins next", " stale part"} & set(labels)
    assert legend_of("lesson", MODELS["unigram"])[0] == unigram[0]
    assert " space in pieces" not in [label for *_, (label, _) in legend_of("training")]


@pytest.mark.slow  # a walk over sizes
async def test_the_legend_fits_and_is_hidden_at_24_rows() -> None:
    labels = [SIGNS[name].label for name in LEGENDS["training"]]
    async with opened(vocab_size=300) as (app, pilot):
        line = app.screen.query_one(FootLine)
        for size in ((120, 40), (80, 24), (80, 25), (60, 25), (60, 20)):
            await pilot.resize_terminal(*size)
            await until(pilot, lambda: line.display == (app.size.height > 24))
            await pilot.pause()
            assert app.screen.query_one(KeyBar).region.bottom == app.size.height
            if line.display:
                shown = line.render_line(0).text.strip()
                whole = [label for label in labels if label in shown]
                assert whole == labels[: len(whole)]
                assert len(whole) >= 3
                assert shown.endswith(whole[-1])  # none is cut


def test_the_help_begins_with_the_steps() -> None:
    for kind in ("training", "lesson"):
        group, first = help_text(kind).splitlines()[:2]
        assert (group, first.split()[0]) == ("Step", "→")
    assert "Shift+Tab   Back" in help_text("start"), "blanks separate keys from explanations"
