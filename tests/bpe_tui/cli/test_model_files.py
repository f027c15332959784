"""Files of models, as commands check, inspect and print them."""

import json
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from bert_file import BERT
from generated import first_quick
from hypothesis import given
from hypothesis import strategies as st
from opening import SAMPLE, opened_as, until
from program import run
from textual.widgets import Static

from bpe_tui import cli
from bpe_tui.bpe.heap_panel import PairsPanel
from bpe_tui.bpe.inspection_rows import SECTIONS
from bpe_tui.bpe.training_screen import CorpusPanel
from bpe_tui.cli.console import BAD_INPUT, DIFFERS
from bpe_tui.cli.plain import transcript_of
from bpe_tui.panels.charts import ChartPanel
from bpe_tui.session.config import Claimed, RunConfig, TokenizerConfig
from bpe_tui.shell.panel_screen import PanelScreen
from engine import Tokenizer, Trainer, VocabularyError, longest_match, train_bpe
from engine.analysis.inspection import Inspection
from engine.bpe.replay import Replay
from engine.core.gpt2_bytes import spell
from engine.formats.tokenizer_format import Opened

CODE = SAMPLE.with_name("code.txt")

T5 = {
    "added_tokens": [],
    "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"},
    "decoder": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"},
    "model": {
        "type": "Unigram",
        "unk_id": 0,
        "vocab": [["<unk>", 0.0], ["▁hug", -2.0], ["s", -2.5], ["▁the", -1.5], ["▁", -3.0]],
    },
}


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    for name, content in (("bert", BERT), ("t5", T5)):
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    return {name: str(tmp_path / f"{name}.json") for name in ("bert", "t5")}


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    def run(*arguments: str) -> str:
        assert cli.main(list(arguments)) == 0
        return capsys.readouterr().out

    return run


Told = Callable[..., str]


def test_encoding_decoding_and_offsets_are_those_of_the_given_text(
    files: dict[str, str], told: Told
) -> None:
    assert told("encode", "--tokenizer", files["bert"], "The hugs!").split() == list("3124")
    assert told("decode", "--tokenizer", files["bert"], "3 1 2 4").strip() == "the hugs!"
    assert told("decode", "--tokenizer", files["t5"], "3 1 2").strip() == "the hugs"
    facts = json.loads(told("encode", "--tokenizer", files["bert"], "The  hugs é", "--json"))
    assert facts["tokens"] == ["the", "hug", "##s", "[UNK]"]
    assert facts["offsets"] == [[0, 3], [5, 8], [8, 9], [10, 12]]


WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "un", "##aff", "##able", "hug"]


@pytest.fixture
def vocab(tmp_path: Path) -> str:
    """A `vocab.txt` of BERT."""
    (tmp_path / "vocab.txt").write_text("".join(f"{word}\n" for word in WORDS))
    return str(tmp_path / "vocab.txt")


def test_the_template_of_bert_is_put_around_a_text(
    vocab: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    encode = ["encode", "--tokenizer", vocab, "hug unaffable"]
    assert cli.main(encode) == 0
    plain = capsys.readouterr()
    assert plain.out == "7 4 5 6\n"
    note = "its template adds [CLS] [SEP] to a text; encode does so with --template"
    assert note in plain.err
    assert cli.main([*encode, "--template"]) == 0
    framed = capsys.readouterr()
    assert framed.out == "2 7 4 5 6 3\n"
    assert "template" not in framed.err
    assert cli.main([*encode, "--template", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["ids"] == [2, 7, 4, 5, 6, 3]
    assert facts["tokens"] == ["[CLS]", "hug", "un", "##aff", "##able", "[SEP]"]
    assert facts["offsets"] == [[0, 0], [0, 3], [4, 6], [6, 9], [9, 13], [0, 0]]
    (tmp_path / "text.txt").write_text("hug hug")
    out = tmp_path / "ids.txt"
    files = [str(tmp_path / "text.txt"), "--out", str(out)]
    assert cli.main(["encode", "--tokenizer", vocab, "--template", *files]) == 0
    assert out.read_text().split() == ["2", "7", "7", "3"]


def test_a_program_asks_for_the_longest_match(vocab: str) -> None:
    tokenizer = Tokenizer.load(vocab)
    special, word = longest_match(tokenizer, "[CLS] unaffable")
    assert (special.ids, list(special.probes)) == ((2,), [])
    assert word.ids == (4, 5, 6)
    assert [(p.start, p.end, p.found) for p in word.probes if p.end - p.start < 4] == [
        (0, 3, False), (0, 2, True), (2, 5, True),
    ]  # fmt: skip
    merging = Tokenizer({byte: bytes([byte]) for byte in range(256)}, [])
    with pytest.raises(VocabularyError, match="does not encode by longest match"):
        list(longest_match(merging, "a"))


@pytest.mark.parametrize(("file", "model"), [("bert", "WordPiece"), ("t5", "Unigram")])
def test_a_model_without_merges_is_neither_checked_nor_converted_nor_stepped_through(
    files: dict[str, str], file: str, model: str, tmp_path: Path
) -> None:
    checked = run("check", files[file], "--corpus", SAMPLE, "--vocab-size", "800")
    assert (checked.returncode, checked.stdout) == (BAD_INPUT, b"")
    assert f"holds a {model} model, which merges nothing" in checked.stderr.decode()
    for format in ("tiktoken", "gpt2", "minbpe"):
        converted = run("convert", files[file], "--to", format, "--out", tmp_path / format)
        assert converted.returncode == BAD_INPUT
        told = converted.stderr.decode()
        assert f"{tmp_path / format}: the tokenizer's model, {model}, merges nothing" in told
        assert "write a tokenizer.json instead" in told
    said = transcript_of(TokenizerConfig((files[file],), str(CODE))).start()
    assert f"no merges to go through: {model} merges nothing" in said


@pytest.mark.parametrize(("file", "has_walk"), first_quick([("bert", True), ("t5", False)]))
async def test_keys_about_merges_are_not_offered_where_a_model_has_none(
    files: dict[str, str], file: str, has_walk: bool
) -> None:
    async with opened_as(TokenizerConfig((files[file],))) as (app, pilot):
        await pilot.press("2", "escape")
        assert app.screen.id == "encoding"
        assert isinstance(app.screen, PanelScreen)
        screen = app.screen
        rows = screen.keys.footer(screen.key_state)
        offered = {key.label for row in rows for key in row}
        assert "type" in offered
        assert "why not" not in offered
        assert "compare" in offered  # with another tokenizer, of any model
        assert ({"next", "play"} <= offered) == has_walk
        await pilot.press("w" if has_walk else "right")
        assert "This is about merges" in app.notices.now


async def test_a_vocabulary_without_merges_shows_tokens_and_refuses_texts(tmp_path: Path) -> None:
    letters = {spell(bytes([byte])): byte for byte in range(256)} | {"lo": 256}
    (tmp_path / "vocab.json").write_text(json.dumps(letters))
    async with opened_as(TokenizerConfig((str(tmp_path / "vocab.json"),))) as (app, pilot):
        await until(pilot, lambda: app.screen.id == "vocabulary")
        await pilot.press("escape", "2")
        await until(pilot, lambda: "Its merges are missing" in app.notices.now)
        await pilot.press("5")
        await until(pilot, lambda: app.screen.id == "inspection")
        for key in "12478P":
            await pilot.press(key)
        assert app.screen.id == "inspection"


@pytest.mark.parametrize("file", first_quick(["bert", "t5"]))
async def test_a_corpus_is_shown_in_the_tokens_of_a_model_that_merges_nothing(
    files: dict[str, str], file: str
) -> None:
    async with opened_as(TokenizerConfig((files[file],), str(CODE))) as (app, pilot):
        await pilot.press("escape", "1")
        await until(pilot, lambda: any(p.row_count for p in app.screen.query(PairsPanel)))
        shown = []
        for panel in (app.screen.query_one(PairsPanel), app.screen.query_one(CorpusPanel)):
            rows = map(panel.row, range(panel.row_count))
            shown.append(" ".join(text for row in rows for text, _ in row.spans))
        assert "merges nothing" in shown[0]
        assert "│" in shown[1]
        assert "bytes/token" in str(app.screen.query_one("#transport-facts", Static).content)
        await pilot.press("4")
        reasons = [chart.why_empty for chart in app.screen.query(ChartPanel)]
        assert not any("No corpus is open" in reason for reason in reasons)


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> str:
    place = str(tmp_path_factory.mktemp("odd") / "out")
    vocab = {byte: bytes([byte]) for byte in range(256)} | {300: b"\x1b[", 301: b"ab"}
    Tokenizer(vocab, [(b"\x1b", b"["), (b"a", b"b")], {"<s>": 400}).save(place)
    return place


def test_the_sections_are_aligned_and_hostile_tokens_visible(
    capsys: pytest.CaptureFixture[str], tokenizer: str
) -> None:
    assert cli.main(["inspect", tokenizer]) == 0
    told = capsys.readouterr().out
    assert "  tokens              259\n" in told
    assert "  special tokens      <s> 400\n" in told
    assert "0 to 400; 142 ids without a token: 256–299, 302–399" in told
    assert "␛[" in told
    assert "\x1b" not in told
    titles = [line for line in told.splitlines() if line.endswith("?")]
    assert len(titles) == 5
    languages = told.partition("other languages")[2].partition("\n\n")[0]
    assert "times the tokens of English (10 sentences)" in " ".join(languages.split())
    assert "Chinese 0.95" in languages  # it has bytes only, nearly


@given(seed=st.integers(0, 99))
def test_the_screen_and_the_shell_describe_a_tokenizer_alike(seed: int) -> None:
    """A tokenizer whose ids are not in the order of its merges."""
    counts = {b" the": 9, b" then": 4, b"12": 3, b" The": 2}
    trainer = Trainer(counts, 264)
    tokens = [step.token for step in trainer.steps()]
    ids = random.Random(seed).sample(range(300), 256 + len(tokens) + 2)
    vocab = dict(
        zip(ids, [*(bytes([byte]) for byte in range(256)), *tokens, tokens[0]], strict=False)
    )
    tokenizer = Tokenizer(vocab, trainer.merges, {"<s>": ids[-1]})
    opened = Opened(tokenizer, "gpt2")
    replay = Replay(tokenizer, {})
    replay.timeline.extend(replay.steps())
    replay.timeline.complete()
    in_shell = Inspection.of_opened(opened)
    assert in_shell.greatest_id == max(ids)
    assert in_shell.gaps.count == max(ids) + 1 - len(ids)
    on_screen = Inspection.of_frame(replay.timeline.seek(len(tokens)), opened)
    for section in SECTIONS:
        shown, printed = (
            [row.spans for row in section.rows(each, 100)] for each in (on_screen, in_shell)
        )
        assert shown == printed


SPECIAL = "<|endoftext|>"
CORPUS = SAMPLE.with_name("code.txt")  # small: causes are searched over all of it


@cache
def learnt(tie_rule: str) -> Tokenizer:
    return Tokenizer(*train_bpe(CORPUS, 357, [SPECIAL], tie_rule=tie_rule), [SPECIAL])


def trained(place: Path, tie_rule: str) -> Path:
    learnt(tie_rule).save(place)
    return place


def checked(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = cli.main(["check", *arguments, "--corpus", str(CORPUS)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_files_that_contradict_each_other_are_checked_all_the_same(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    made = trained(tmp_path / "made", "lexicographic")
    vocab = json.loads((made / "vocab.json").read_text())
    del vocab["he"]
    (made / "vocab.json").write_text(json.dumps(vocab))
    code, out, _ = checked(capsys, str(made))
    assert code == DIFFERS
    assert out == "All 100 merges are by the rule.\nThe vocabulary lacks “he”.\n"


def test_open_leads_to_the_check_on_the_screen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    opened: list[object] = []
    monkeypatch.setattr("bpe_tui.cli.inputs.open_screen", lambda config: opened.append(config) or 0)
    mine = trained(tmp_path / "mine", "first-seen")
    assert checked(capsys, str(mine), "--vocab-size", "357", "--open")[0] == DIFFERS
    (config,) = opened
    assert isinstance(config, RunConfig)
    assert config.claimed == Claimed((str(mine),), vocab_size=357)
    assert (config.size, config.min_count) == (357, 1)
