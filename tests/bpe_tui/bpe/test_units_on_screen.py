"""Runs in other units and in phases on screen."""

import io
from dataclasses import replace
from pathlib import Path

import pytest
from edges import edged
from opening import SAMPLE, each_size, frame_of, opened, opened_as, step, until
from screen_text import row_text, row_texts, shown
from textual.widgets import Input, Static

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.bpe.heap_panel import PairsPanel
from bpe_tui.bpe.merge_panel import MergePanel
from bpe_tui.bpe.model import _trainer
from bpe_tui.bpe.narration import narrate
from bpe_tui.bpe.phases import describe_phases
from bpe_tui.bpe.summary_screens import SaveTokenizer
from bpe_tui.bpe.training_screen import CorpusPanel, EncodedText, MergesPanel, TrainingScreen
from bpe_tui.bpe.what_if import in_phase_of
from bpe_tui.cli import main
from bpe_tui.explain.bpe import BpeExplainer
from bpe_tui.panels.token_detail import LanesPanel
from bpe_tui.panels.training_panels import TypedLine
from bpe_tui.session.config import RunConfig
from bpe_tui.widgets.controls import Scrubber
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.rows import has_row_below, spans_width, with_below
from bpe_tui.words.narration import heading
from engine.analysis.explanation import explain
from engine.bpe.frame import Frame
from engine.bpe.phases import DEFAULT_MOST_WORDS, Phase, PhasedTrainer
from engine.formats import WRITABLE, open_tokenizer

CLASSIC = "low " * 5 + "lower " * 2 + "newest " * 6 + "widest " * 3 + "\n中文分词 中文\n"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "classic.txt"
    path.write_text(CLASSIC, encoding="utf-8")
    return path


def config(corpus: Path, units: str = "end-of-word") -> RunConfig:
    return RunConfig(
        str(corpus),
        vocab_size=40,
        special_tokens=(),
        pattern="whitespace",
        tie_rule="first-seen",
        units=units,
    )


async def test_the_screen_shows_units_and_unknown_characters_and_no_format_to_save_them(
    corpus: Path,
) -> None:
    async with opened_as(config(corpus)) as (app, pilot):
        facts = "classic.txt │ 116 B │ 1 document │ pattern whitespace │ units end-of-word"
        assert heading(app.session, 120) == f"{facts} │ ties first-seen (minbpe)"
        assert "characters and ends of words, each a token of its own" in narrate(frame_of(app))[0]
        line = app.screen.query_one(TypedLine)
        line.query_one(Input).value = "löwest"
        await pilot.pause()
        assert "1 × <unk>, in bytes none" in str(line.border_subtitle)
        await pilot.press("end", "s")
        assert "No format can hold this tokenizer: </w> is a token of its own" in hint(app)


async def test_the_lanes_leave_the_end_of_a_word_out(corpus: Path) -> None:
    async with opened_as(config(corpus)) as (app, pilot):
        app.seek(9)
        app.navigation.open_encoding("newest")
        await until(pilot, lambda: app.screen.id == "encoding")
        await pilot.press("escape", "a")
        lanes = app.screen.query_one(LanesPanel)
        await until(pilot, lambda: "6 bytes │ 1 token" in str(lanes.border_title))


def test_without_a_screen_unknown_characters_are_reported(
    corpus: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("go 3\nencode low é\n"))
    arguments = [str(corpus), "--plain", "--units", "characters", "--special", "none"]
    assert main(["open", *arguments, "--vocab-size", "40"]) == 0
    shown_text = capsys.readouterr().out
    assert "1 unknown character here. A character that the corpus lacks is <unk>" in shown_text


def test_train_writes_characters_for_hugging_face_and_nothing_else(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["train", str(corpus), "--units", "characters", "--special", "none"]
    arguments += ["--vocab-size", "40", "--out", str(tmp_path / "t.json")]
    assert main(arguments) != 0
    assert "for characters take the format huggingface" in capsys.readouterr().err
    assert main([*arguments, "--format", "huggingface"]) == 0
    text_shown = capsys.readouterr().err
    assert "16 characters, <unk>" in text_shown
    assert "characters: trained by heap" in text_shown


async def test_the_save_window_begins_with_the_format_that_holds_characters(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with opened_as(config(corpus, "characters")) as (app, pilot):
        await pilot.press("end", "s")
        formats = str(app.screen.query_one("#save-formats", Static).content)
        assert "❯ huggingface" in formats
        assert formats.count("cannot hold this tokenizer") == len(WRITABLE) - 1
        field = app.screen.query_one(Input)
        path = field.value
        await pilot.press("down")
        assert "The format tiktoken knows tokens of bytes only" in hint(app)
        assert "❯ tiktoken" in str(app.screen.query_one("#save-formats", Static).content)
        field.value = ""
        await pilot.press("enter")
        assert hint(app) == "Name a file, or a directory for the formats that fill one."
        field.value = "mine.tiktoken"
        await pilot.press("up")
        assert (field.value, field.cursor_position) == ("mine.json", 9)
        assert not app.screen.query_one("#dialog-hint").has_class("-refused")
        field.value = path
        await pilot.press("enter")
        await until(pilot, lambda: not isinstance(app.screen, SaveTokenizer))
        assert open_tokenizer(path).format == "huggingface"


def hint(app: BpeTuiApp) -> str:
    return str(app.screen.query_one("#dialog-hint", Static).content)


def texts(panel: CorpusPanel) -> list[str]:
    return [panel.render_line(y).text.rstrip() for y in range(panel.size.height)]


async def test_a_character_is_over_the_marks_of_its_tokens(tmp_path: Path) -> None:
    corpus = tmp_path / "korean.txt"
    corpus.write_text("따뜻한 따뜻한 바람\nplain\n", encoding="utf-8")
    async with opened(corpus, size=(120, 40), vocab_size=263) as (app, pilot):
        panel = app.screen.query_one(CorpusPanel)
        characters, marks, *_ = texts(panel)
        assert characters.startswith("따 뜻 한 │·따 뜻 한 │")
        assert marks.startswith("▂▄▂▄▂▄▂▄▂  ▂▄▂▄▂▄▂▄▂")
        assert "▂" not in texts(panel)[texts(panel).index("plain│⏎│") + 1]
        encoded = app.screen.query_one(EncodedText)
        await pilot.press("a")
        assert texts(panel)[0].startswith("EB94B0EB9CBB")
        assert encoded.render_line(0).text.startswith("EB  94  B0")
        assert app.focused is panel
        await pilot.press("a")
        assert texts(panel)[0] == characters
        assert encoded.render_line(0).text.startswith("따")
        await pilot.press("shift+right", "shift+right")
        assert str(panel.border_subtitle) == "·  id 32 │ bytes 20"
        await pilot.press("shift+right", "shift+right")
        assert "id 235 │ bytes EB" in str(panel.border_subtitle)
        await pilot.press("end")
        frame = frame_of(app)
        assert frame.step == 6
        whole = [frame.any_token(each) for each in frame.tokens_of(" 따뜻한".encode())]
        row, below, *_ = texts(panel)
        assert whole, row
        assert below.count("▂") + below.count("▄") < marks.count("▂") + marks.count("▄")


@pytest.mark.slow  # every word of a corpus at four steps
async def test_each_byte_of_a_cut_character_has_a_mark_and_no_other() -> None:
    async with opened(SAMPLE.parent / "unicode.txt", vocab_size=700) as (app, _):
        panel = app.screen.query_one(CorpusPanel)
        for step in (0, 20, 100, 300):
            app.seek(step)
            frame = frame_of(app)
            painter, cut = panel.painter(frame), 0
            for pretoken in (each for line in frame.excerpt.lines for each in line):
                (spans,) = painter.words(pretoken)
                row, *below = with_below(spans)
                assert [spans_width(each) for each in below] == [spans_width(row)] * len(below)
                cut += len(below)
                tokens = list(map(frame.any_token, frame.tokens_of(pretoken.bytes)))
                whole = all(each.decode("utf-8", "ignore").encode() == each for each in tokens)
                assert whole == (not below)
            assert cut


@pytest.mark.slow
async def test_characters_and_their_marks_are_in_sight_together() -> None:
    async with opened(SAMPLE.parent / "unicode.txt", size=(80, 24)) as (app, pilot):
        panel = app.screen.query_one(CorpusPanel)
        for step in range(20, 60, 4):
            app.seek(step)
            await pilot.pause()
            frame = frame_of(app)
            rows = panel.rows_of(frame, panel.room)
            line, above = panel.top
            hidden = list(panel.line_rows(frame, frame.excerpt.lines[line], panel.room))[:above]
            for row in (rows[-1], *hidden[-1:]):
                assert not has_row_below(row), step


async def test_a_letter_and_its_marks_are_one_character_if_tokens_cut_both(tmp_path: Path) -> None:
    corpus = tmp_path / "hindi.txt"
    corpus.write_text("काम काम\n", encoding="utf-8")
    config = RunConfig(str(corpus), vocab_size=258, pattern="whitespace")
    async with opened_as(config) as (app, _):
        characters, marks, *_ = texts(app.screen.query_one(CorpusPanel))
        assert characters.startswith("का    म")
        assert marks.startswith("▂▄▂▄▂▄▂▄▂")


@pytest.mark.slow
async def test_bytes_are_named_with_frequent_characters_that_have_them(tmp_path: Path) -> None:
    corpus = tmp_path / "chinese.txt"
    corpus.write_text("我们 我们 他们\n" * 3, encoding="utf-8")
    async with opened(corpus, size=(120, 40), vocab_size=270) as (app, pilot):
        await pilot.press("right")
        screen = app.screen
        merges = screen.query_one(MergesPanel)
        assert "E4+BB  in 们 他" in row_text(merges, 0)
        merge = screen.query_one(MergePanel)
        assert "the first 2 bytes of 们 他" in row_texts(merge)[:3]
        assert "It is the first 2 bytes of 们 他." in narrate(app.session.frame)[0]
        asked = (["仁们"], [b"\xe4", b"\xbb"])
        piece, pair = ([*map(str, explain(app.session.frame, parts).lines)] for parts in asked)
        assert any(each.startswith("ä»+ģ (in ä»ģ): the two never") for each in piece)
        assert "ä+»: 12 at step 0; it merged itself at merge 1." in pair


BORDER = 73
PHASES = RunConfig(str(SAMPLE), phases="gpt2:330,none:360")


def edges_shown(panel: Lines) -> str:
    """Return the rows as text, with borders between tokens."""
    return "\n".join(edged(panel.row(index).spans) for index in range(panel.row_count))


def is_border_of_phase(frame: Frame, is_ahead: bool) -> bool:
    """Whether the lesson says that a phase begins with a merge: the next one, or the one made."""
    assert frame.next_pair is not None
    _, why = BpeExplainer(marks=False).why(frame, frame.next_pair, is_ahead, 60)
    return "".join(text for text, _ in why) == "Phase 2 begins here: pattern none."


def painted(app: BpeTuiApp) -> str:
    return " ".join(strip.text for strip in app.screen._compositor.render_strips())


@pytest.mark.slow
async def test_the_slider_marks_where_a_phase_begins() -> None:
    async with opened_as(PHASES) as (app, pilot):
        await until(pilot, lambda: "┃" in app.screen.query_one(Scrubber).render_line(0).text)


def test_without_a_limit_of_words_that_of_phases_holds() -> None:
    runs = *(replace(PHASES, most_words=most) for most in (None, 0, 2)), RunConfig("", most_words=3)
    assert [_trainer(run, {})._task.most_words for run in runs] == [DEFAULT_MOST_WORDS, None, 2, 3]


def test_a_line_about_each_phase_has_its_merges_and_the_compression_at_its_end() -> None:
    counts = {b"abcd": 1}
    phases = Phase("lines", 257), Phase("gpt2", 258), Phase("none", 259)
    trainer = PhasedTrainer(counts, phases, lambda pattern: counts)
    assert len(list(trainer.steps())) == 3
    assert list(describe_phases(counts, trainer.record)) == [
        "phase 1: 1 merge, 1.33 bytes per token",
        "phase 2, pattern gpt2: 1 merge, 2.00 bytes per token",
        "phase 3, pattern none: 1 merge, 4.00 bytes per token",
    ]


@pytest.mark.slow
async def test_borders_fall_before_ones_eyes() -> None:
    async with opened_as(PHASES) as (app, pilot):
        await pilot.press("1")
        await until(pilot, lambda: isinstance(app.screen, TrainingScreen))
        app.seek(BORDER - 1)
        assert [
            (at, is_ahead)
            for at in (BORDER - 2, BORDER - 1, BORDER, BORDER + 1)
            for is_ahead in (False, True)
            if is_border_of_phase(frame_of(app).at(at), is_ahead)
        ] == [(BORDER - 1, False), (BORDER, True)]
        plans = (in_phase_of(frame_of(app).at(at), PHASES) for at in (BORDER - 1, BORDER))
        assert [(each.pattern, each.phases) for each in plans] == [("gpt2", ""), ("none", "")]
        corpus, pairs = app.screen.query_one(CorpusPanel), app.screen.query_one(PairsPanel)
        await until(pilot, lambda: "│·and│" in edges_shown(corpus))
        app.seek(BORDER)
        await until(pilot, lambda: "│·and│" not in edges_shown(corpus))
        assert "·and┊" in edges_shown(corpus)
        assert "0 stale" in painted(app)
        await until(pilot, lambda: ",+·and" in shown(pairs))
        async for _ in each_size(pilot):
            line = app.screen.query_one("#narration", Static)
            assert "Phase 2 begins here: pattern none." in str(line.render())
            assert len(str(line.render())) <= line.size.width
        app.seek(BORDER + 3)
        await until(pilot, lambda: "·and" in edges_shown(corpus))
        await pilot.press("v", "v", "full_stop", "full_stop", "n", "t", "T", "left", "end", "home")
        assert app.is_running


@pytest.mark.slow
async def test_questions_are_asked_and_answered_in_the_second_phase() -> None:
    async with opened_as(PHASES) as (app, pilot):
        for at in (BORDER - 1, BORDER, BORDER + 1):
            app.seek(at)
            await pilot.press("0")
            await until(pilot, lambda: app.screen.id == "explain")
            await pilot.press("P")
            await until(pilot, lambda: "Which pair merges next?" in painted(app))
            await pilot.press("exclamation_mark")
            await until(pilot, lambda at=at: step(app) == at + 1)
            await pilot.press("escape", "1")
