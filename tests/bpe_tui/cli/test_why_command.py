"""`why`, `encode --explain` and `encode --tail`: explanations on the command line."""

from __future__ import annotations

import json

import pytest

from bpe_tui import cli
from engine import Tokenizer, train_bpe


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A tokenizer with the merges of `low low lower` and a special token."""
    place = tmp_path_factory.mktemp("toy")
    corpus = place / "corpus.txt"
    corpus.write_text("low low lower")
    vocab, merges = train_bpe(corpus, 261, ["<s>"])
    Tokenizer(vocab, merges, ["<s>"]).save(place / "out")
    return str(place / "out")


def output(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert cli.main(list(arguments)) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def test_explain_prints_each_merge_with_the_candidates_that_lost(
    capsys: pytest.CaptureFixture[str], toy: str
) -> None:
    assert output(capsys, "encode", "low low low<s>", "--tokenizer", toy, "--explain") == (
        "low  (letters)\n"
        "  o w → ow (merge 1)\n"
        "  l ow → low (merge 2)\n"
        "  low = 258\n"
        "·low  (letters)\n"
        "  o w → ow (merge 1)\n"
        "  l ow → low (merge 2)\n"
        "  · low → ·low (merge 3)\n"
        "  ·low = 259\n"
        "·low  (letters; seen before, from the cache)\n"
        "  ·low = 259\n"
        "<s>  (special token)\n"
        "  <s> = 256\n"
    )


def test_why_answers_for_each_place_of_a_text_or_for_the_piece_alone(
    capsys: pytest.CaptureFixture[str], toy: str
) -> None:
    assert output(capsys, "why", "low", "--tokenizer", toy, "--text", "low low") == (
        "at byte 0: low is one token here: id 258, made by l + ow (merge 2).\n"
        "merge 1: l + ow\n"
        "merge 2: low (one token)\n"
        "at byte 4: low was one token, until · + low (merge 3), the 3rd merge of the pretoken, "
        "made it part of ·low.\n"
        "merge 1: · + l + ow\n"
        "merge 2: · + low\n"
        "merge 3: ·low (here a part is taken)\n"
    )
    assert output(capsys, "why", "lo", "--tokenizer", toy) == (
        "lo is no token of this vocabulary. Alone it is l + o.\n"
        "To be one token, a merge would have to join l + o. No merge does.\n"
    )
    said = output(capsys, "why", "我l", "--tokenizer", toy)
    assert "Alone it is 我 (<E6> + <88> + <91>) + l." in said


def test_why_answers_about_a_pair(capsys: pytest.CaptureFixture[str], toy: str) -> None:
    assert output(capsys, "why", "l", "o", "--tokenizer", toy) == "No merge joins l + o.\n"
    for asked in (["l|o"], ["l│o"], ["l|o", "--text", "low"], ["l o", "--text", "low"]):
        assert output(capsys, "why", *asked, "--tokenizer", toy) == "No merge joins l + o.\n"
    assert "runs through l·o" in output(
        capsys, "why", "l o", "--tokenizer", toy, "--text", "all old"
    )
    assert output(capsys, "why", "l", "ow", "--tokenizer", toy) == (
        "They do merge here: l + ow (merge 2) is the 2nd merge of the pretoken.\n"
        "merge 1: l + ow\n"
        "merge 2: low (here they join)\n"
    )


@pytest.mark.parametrize(
    "command",
    [["encode", "--explain", "so Ġè¿Ļ"], ["why", "Ġè¿Ļ"], ["why", "l", "--text", "l Ġè¿Ļ"]],
)
def test_gpt2s_spelling_is_recognised_in_questions(
    capsys: pytest.CaptureFixture[str], toy: str, command: list[str]
) -> None:
    assert cli.main([*command, "--tokenizer", toy]) == 0
    told = "bpe-tui: note: Ġè¿Ļ: GPT-2's stand-ins for “·这”, bytes 20 E8 BF 99\n"
    assert capsys.readouterr().err == told


def test_tail_prints_what_may_change_if_the_text_goes_on(
    capsys: pytest.CaptureFixture[str], toy: str
) -> None:
    assert output(capsys, "encode", "--tail", "--tokenizer", toy, "low lo") == (
        "stable: 1 token; not stable: · l o = 32 108 111\n"
        "2 completions: at most the last 3 tokens (3 bytes) change\n"
        "  changes 3: ·low = 259  if w follows\n"
        "  changes none: · l o = 32 108 111\n"
    )
    assert json.loads(
        output(capsys, "encode", "--tail", "--tokenizer", toy, "low lo", "--json")
    ) == {
        "stable": [258],
        "unstable": [32, 108, 111],
        "changed": {"tokens": 3, "bytes": 3},
        "completions": [[259], [32, 108, 111]],
    }
    ended = output(capsys, "encode", "--tail", "--tokenizer", toy, "low<s>")
    assert ended == "2 tokens, and none can change: a special token ends the text\n"
