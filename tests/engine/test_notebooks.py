"""HTML of an encoding, a frame and a comparison; the notebook in `docs/` runs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import odd_texts
import pytest
import tiny_tokenizers
from generated import examples, some
from hypothesis import given
from hypothesis import strategies as st
from model_pipelines import MODEL_BUILDERS
from pipelines import BUILDERS, built
from tokenizers import Tokenizer as Theirs

from engine import TextComparison, TextError, Timeline, Tokenizer, Trainer, count_pretokens
from engine.core import html
from engine.core.characters import whole_characters
from engine.core.json_fields import Fields
from engine.encoding.traced import MOST_IDS
from engine.pipeline.as_tokenizer import tokenizer_of
from engine.pipeline.pipeline import Pipeline
from engine.text.excerpt import Excerpt

REPO = Path(__file__).resolve().parents[2]
NOTEBOOK = REPO / "docs" / "notebook.ipynb"
TAGS = {"div", "p", "code", "span", "table", "caption", "tr", "th", "td", "br"}
ATTRIBUTES = {"style", "dir", "colspan"}
BYTES = {byte: bytes([byte]) for byte in range(256)}
MOST_CHARACTERS = 1_000_000
HOSTILE = "<script>alert(1)</script>&lt;<!-- \"'\u202e\x1b[2J</code></div><img src=x onerror=f()>"


class Page(HTMLParser):
    """The text of a page and of its tokens; it fails at any other tag or attribute."""

    def __init__(self, shown: str) -> None:
        super().__init__()
        self.tokens: list[str] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(shown)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS
        assert {name for name, _ in attrs} <= ATTRIBUTES
        if tag != "br":
            self.open.append(tag)
        if tag == "code":
            self.tokens.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.open[-1] == "code":
            self.tokens[-1] += data

    def handle_comment(self, data: str) -> None:
        pytest.fail(f"a comment: {data}")


@cache
def handout() -> Timeline:
    counts = count_pretokens(REPO / "samples" / "handout.txt", pattern="whitespace")
    return Timeline(counts, Trainer(counts, 268).steps(), pattern="whitespace")


def single_bytes() -> Tokenizer:
    return Tokenizer(BYTES, [])


@examples(100)
@given(odd_texts.texts())
def test_a_traced_encoding_has_the_ids_of_the_encoding(text: str) -> None:
    tokenizer = tiny_tokenizers.handout()
    traced = tokenizer.encode_traced(text)
    assert list(traced.ids) == tokenizer.encode(text)
    merges = [merge.step for piece in traced.pretokens for merge in piece.merges]
    called: list[object] = []
    tokenizer.encode(text, on_step=called.append)
    assert merges == called


@pytest.mark.parametrize("build", some([*BUILDERS, *MODEL_BUILDERS], 3), ids=lambda b: b.__name__)
def test_the_tokenizer_of_a_pipeline_is_traced_too(build: Callable[[], Theirs]) -> None:
    content = Fields(json.loads(built(build).to_str()))
    tokenizer = tokenizer_of(Pipeline.from_json(content))
    for text in ("the newest, lower 12!", "  École\n漢字 🙂", ""):
        traced = tokenizer.encode_traced(text)
        assert list(traced.ids) == tokenizer.encode(text)
        Page(traced._repr_html_())


def test_a_text_whose_steps_do_not_fit_into_memory_is_refused() -> None:
    tokenizer = Tokenizer(BYTES, [], pattern="none")
    longest = int(MOST_IDS**0.5)
    assert len(tokenizer.encode_traced("a" * longest).ids) == longest
    with pytest.raises(TextError, match="would not fit into memory"):
        tokenizer.encode_traced("a" * (longest + 1))


def test_an_encoding_shows_its_tokens_ids_and_merges() -> None:
    page = Page(handout().seek(5).tokenizer().encode_traced("newest")._repr_html_())
    assert page.text.startswith("n┊e┊west1 pretoken, 3 tokens, 3 merges.")
    assert "110 101 260" in page.text
    assert page.text.endswith("w+est → west (merge\u00a05)")


def test_a_frame_shows_its_sentence_and_the_pairs_on_top() -> None:
    page = Page(handout().seek(5)._repr_html_())
    sentence = "Merge 5 of 12: w and est occurred together 6 times; they are one token now, west."
    sizes = "57 tokens in the corpus, 1.67 bytes per token."
    pairs = "paircountn+e6merges nexte+west6tiedw+i3i+d3d+est3low+e2e+r2"
    pretokens = "pretokencount·13n┊e┊west6low5⏎3w┊i┊d┊est3low┊e┊r2"
    assert page.text == f"{sentence}{sizes}The most frequent pairs now{pairs}{pretokens}"
    start = Page(handout().seek(0)._repr_html_())
    assert start.text.startswith("Step 0: 95 bytes, each a token of its own.")
    shown = Timeline({b"low": 1}, excerpt=Excerpt.of(b"low")).frame
    assert Page(shown._repr_html_()).text.endswith("o+w1merges nextl+o1tiedl┊o┊w")
    empty = Page(Timeline({}).frame._repr_html_())
    assert empty.text == "Step 0: 0 bytes, each a token of its own."


def test_a_comparison_shows_the_numbers_and_each_place_cut_differently() -> None:
    pairs = Tokenizer(BYTES | {256: b"lo"}, [(b"l", b"o")])
    page = Page(TextComparison([pairs, single_bytes()], b"low slow")._repr_html_())
    assert "tokenizer 161.331.00lo┊w┊·┊s┊lo┊w" in page.text
    assert "tokenizer 281.001.33l┊o┊w┊·┊s┊l┊o┊w" in page.text
    assert page.text.endswith(
        "2 places where the text is cut differentlyat bytetokenizer 1tokenizer 20lol┊o5lol┊o"
    )


@examples(100)
@given(st.text() | odd_texts.texts() | st.just(HOSTILE))
def test_hostile_text_stays_text(text: str) -> None:
    data = text.encode("utf-8", "replace")
    counts = {data: 2, b"<b>": 1} if data else {b"<b>": 1}
    timeline = Timeline(counts, Trainer(counts, 262).steps())
    frame = timeline.seek(len(timeline))
    tokenizer = frame.tokenizer()
    traced = tokenizer.encode_traced(text)
    shown = [tokenizer.vocab[number] for number in traced.ids[: html.MOST_TOKENS]]
    expected = list[str]()
    for together in whole_characters(shown):
        expected.append(html.visible(b"".join(together)))
        expected += ["▂" * len(part) for part in together if len(together) > 1]
    tokens = Page(traced._repr_html_()).tokens
    assert tokens[: len(expected)] == expected
    for page in (
        Page(frame._repr_html_()),
        Page(TextComparison([tokenizer, single_bytes()], data)._repr_html_()),
    ):
        assert all(token.isprintable() and " " not in token for token in page.tokens)


def test_what_is_shown_is_bounded() -> None:
    worst = "\U0010ffff" * 20_000 + "<\"'&" * 20_000 + "&" + " a" * 2_000
    tokenizer = single_bytes()
    compared = TextComparison([tokenizer] * 20, worst.encode())
    assert len(compared._repr_html_()) < MOST_CHARACTERS
    assert len(tokenizer.encode_traced(worst[-4000:])._repr_html_()) < MOST_CHARACTERS
    few, many = (tokenizer.encode_traced("a" * length)._repr_html_() for length in (16, 17))
    assert ("…" in few, "97 97 …</td>" in many) == (False, True)
    counts = {f"{number:0500}\U0010ffff".encode(): 9 for number in range(100)}
    timeline = Timeline(counts, Trainer(counts, 300).steps())
    assert len(timeline.seek(len(timeline))._repr_html_()) < MOST_CHARACTERS
    assert html.visible(b"a" * 10**7) == "a" * html.LONGEST_TOKEN + "…"
    rows = [html.table(["n", "of"], [[n, "<a>"] for n in range(count)]) for count in (30, 31)]
    assert rows[1] == rows[0].replace(
        "</table>", '<tr><td colspan="2" style="text-align:left">…</td></tr></table>'
    )
    assert (
        html.tokens([b"a", b"b"]) == f"{html.token(b'a', 0)}{html._TOKEN_EDGE}{html.token(b'b', 1)}"
    )


@pytest.mark.parametrize(("paper", "ink"), [(255, 17), (17, 221)])
def test_tokens_contrast_with_light_and_dark_pages(paper: int, ink: int) -> None:
    colours = re.findall(
        r"rgba\((\d+),(\d+),(\d+),(\.\d+)\)", html.tokens([b"a", b"b", b"c", b"d", b"e", b"f"])
    )
    assert len(set(colours)) == 6
    for *channels, share in colours:
        mixed = [float(share) * int(one) + (1 - float(share)) * paper for one in channels]
        lights = sorted((_luminance(mixed), _luminance([float(ink)] * 3)))
        assert (lights[1] + 0.05) / (lights[0] + 0.05) >= 4.5  # WCAG's AA


def _luminance(channels: list[float]) -> float:
    linear = [
        value / 12.92 if (value := each / 255) <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for each in channels
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_the_notebook_is_kept_without_outputs() -> None:
    cells = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert code
    assert all(not cell["outputs"] and cell["execution_count"] is None for cell in code)


@pytest.mark.slow  # a kernel starts, and imports everything
def test_the_notebook_runs_and_shows_html(tmp_path: Path) -> None:
    import nbformat
    from nbclient import NotebookClient

    (tmp_path / "samples").symlink_to(REPO / "samples")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": tmp_path}}
    ).execute()
    outputs = [out for cell in notebook.cells for out in cell.get("outputs", ())]
    shown = [out.data["text/html"] for out in outputs if "text/html" in out.get("data", {})]
    assert len(shown) >= 3
    for page in shown:
        assert Page(page).tokens
