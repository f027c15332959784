"""In another language no English word is on any screen or window, except names."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from generated import first_quick
from opening import opened_as
from program import ROOT, run
from rich.cells import cell_len
from test_sizes import WINDOWS, settle
from textual.pilot import Pilot

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.cli.console import COMMAND_NAMES
from bpe_tui.session.commands import COMMANDS
from bpe_tui.session.config import Config, RunConfig, TokenizerConfig
from bpe_tui.session.declarations import EVERYWHERE, shown_keys
from bpe_tui.session.languages import own_name, speak
from bpe_tui.session.models import MODELS
from bpe_tui.session.samples import SAMPLES
from bpe_tui.shell.exports import screen_text
from bpe_tui.shell.session_screen import SessionScreen
from bpe_tui.widgets.textual_private import painted_lines
from engine.analysis.tokenizer_kinds import KINDS
from engine.bpe.ties import TIE_RULES
from engine.bpe.trainers import TRAINERS
from engine.encoding.alphabet import UNITS
from engine.formats import FORMATS
from engine.text.patterns import PATTERNS
from engine.wordpiece.score import SCORE_TIE_RULES

CHINESE = (ROOT / "samples" / "parallel" / "chinese.txt").read_text("utf-8")
REGISTRIES = (MODELS, TIE_RULES, SCORE_TIE_RULES, TRAINERS, PATTERNS, UNITS, FORMATS, KINDS)
NAMES = {
    *(name for registry in REGISTRIES for name in registry),
    *(model.title for model in MODELS.values()),
    *(trainer.name for model in MODELS.values() for trainer in model.trainers),
    *(pattern.summary.partition(":")[0] for pattern in PATTERNS.values()),
    *(rule.title for rule in TIE_RULES.values()),
    *(sample.name for sample in SAMPLES),
    *COMMAND_NAMES,
    *(shown_keys(command.keys) for command in COMMANDS),
    *("Enter", "Ctrl", "Shift", "PageUp", "PageDown", "PgUp", own_name("en"), "bpe-tui"),
}
"""Names of the program, in its registries and on its keys."""
TERMS = {
    *("UTF", "PMI", "OOV", "BBPE", "Zipf", "Viterbi", "JSON", "GPT", "NFC", "NFD", "NFKC", "NFKD"),
    *("SentencePiece", "Hugging Face", "BERT", "Llama", "Qwen", "find_chunk_boundaries"),
    *("str.split", "https", "aaa"),
    # the syntax of breakpoints, and settings in a tokenizer.json
    *("token", "step", "len", "tie", "the", "use_regex", "trim_offsets", "prefix"),
    *("ByteLevel", "Split", "WhitespaceSplit", "Metaspace", "prepend_scheme", "never"),
    *("replacement", "Sequence", "Template", "count"),
}
"""Names and terms that Chinese texts leave as they are."""


def english_in(text: str) -> set[str]:
    """Return the words of at least three Latin letters that are no names.

    >>> english_in("训练 bpe-tui <|endoftext|> --min-count a.json: merges")
    {'merges'}
    """
    names = (
        r"--[a-z-]+|<\|?\w+\|?>|\[[A-Z]{3,}\]|[\w/~*-]*\.(?:jsonl?|txt|svg|model|gguf|tiktoken)\b"
    )
    known = {word for name in NAMES | TERMS for word in re.findall(r"[A-Za-z]{3,}", name)}
    words = set(re.findall(r"[A-Za-z]{3,}", re.sub(names, " ", text)))
    # A window may cover the end of a name.
    return {word for word in words if not any(name.startswith(word) for name in known)}


def corpus_in(folder: Path) -> str:
    """Return a corpus without a Latin letter, in a file with a Chinese name."""
    corpus = folder / "语料.txt"
    corpus.write_text(CHINESE, "utf-8")
    return str(corpus)


@asynccontextmanager
async def in_chinese(
    config: Config, size: tuple[int, int] = (120, 40)
) -> AsyncIterator[tuple[BpeTuiApp, Pilot[int]]]:
    """Open a config in Chinese, with a Chinese text typed."""
    speak("zh")
    async with opened_as(config, size) as (app, pilot):
        app.session.type("今天天气很好。")
        app.seek(3)
        yield app, pilot


CASES = [*((model, (120, 40)) for model in MODELS), *((model, (80, 24)) for model in MODELS)]


@pytest.mark.parametrize(("model", "size"), first_quick(CASES))
async def test_no_screen_has_an_english_word(
    model: str, size: tuple[int, int], tmp_path: Path
) -> None:
    found = {}
    config = RunConfig(corpus_in(tmp_path), vocab_size=270, model=model)
    async with in_chinese(config, size) as (app, pilot):
        for kind in EVERYWHERE:
            if app.refusal_of(f"app.show('{kind}')") is None:
                app.action_show(kind)
                await settle(pilot)
                if words := english_in(screen_text(app.screen)):
                    found[kind] = words
    assert found == {}


OF_NAMES = {"CommandWindow", "OpenOther", "AskWindow"}
"""Windows that show paths, a command, or, in this corpus, why they do not open."""


@pytest.mark.slow  # opens each window
@pytest.mark.parametrize("window", sorted(WINDOWS.keys() - OF_NAMES))
async def test_no_window_has_an_english_word(window: str, tmp_path: Path) -> None:
    case, kind, keys = WINDOWS[window]
    corpus = corpus_in(tmp_path)
    config: Config = RunConfig(corpus, vocab_size=300, model=case if case in MODELS else "bpe")
    if case not in MODELS:
        run("train", corpus, "--vocab-size", "270", "--out", tmp_path / "词表")
        config = TokenizerConfig((str(tmp_path / "词表"),), corpus=corpus)
    async with in_chinese(config) as (app, pilot):
        app.action_show(kind)
        await settle(pilot)
        screen = app.screen
        assert isinstance(screen, SessionScreen)
        for key in keys.split():
            if key.startswith("#"):
                screen.show_panel(key[1:])
            else:
                await pilot.press(key)
            await settle(pilot)
        assert english_in(screen_text(app.screen)) == set()
        # A wide character at an edge of the window is whole, or a blank.
        assert {cell_len(strip.text) for strip in painted_lines(app.screen)} == {app.size.width}


async def test_the_start_page_has_no_english_word() -> None:
    speak("zh")
    app = BpeTuiApp(None)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("tab")
        await settle(pilot)
        assert english_in(screen_text(app.screen)) == set()
