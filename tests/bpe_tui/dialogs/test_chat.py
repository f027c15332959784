"""Chats: the window of `c` on the encoding screen, and `encode --chat`."""

import json
from pathlib import Path

import pytest
from chat_templates import TEMPLATES
from opening import opened, opened_as, until
from program import BAD_INPUT, run
from tiny_tokenizers import GOLDEN

from bpe_tui.dialogs.chat import ChatWindow, messages_in
from bpe_tui.session.config import TokenizerConfig
from bpe_tui.widgets.lines import RowList
from bpe_tui.widgets.rows import plain_text

pytest.importorskip("jinja2")
MESSAGES = [{"role": "system", "content": "low"}, {"role": "user", "content": "the newest"}]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a small tokenizer, a template, and messages."""
    (tmp_path / "tokenizer.json").write_bytes((GOLDEN / "tokenizer.json").read_bytes())
    (tmp_path / "chat_template.jinja").write_text(TEMPLATES["ChatML, Qwen"], "utf-8")
    config = {"extra_special_tokens": ["<|im_start|>", "<|im_end|>"]}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    (tmp_path / "messages.json").write_text(json.dumps(MESSAGES))
    return tmp_path


async def test_a_text_is_shown_as_a_chat_and_enter_takes_its_text(folder: Path) -> None:
    async with opened_as(TokenizerConfig((str(folder),))) as (app, pilot):
        app.session.type("lower")
        app.action_show("encoding")
        await pilot.press("c")
        window = app.screen
        assert isinstance(window, ChatWindow)
        rows = window.query_one(RowList)
        await until(pilot, lambda: rows.row_count == 3)
        first, second, last = (plain_text(rows.row(place).spans) for place in range(3))
        assert first.startswith("user       [<|im_start|>]system⏎You·help.[<|im_end|>]⏎[<|im")
        assert second.split() == ["assistant", "[<|im_start|>]assistant⏎", "10", "tokens"]
        assert last == "36 tokens in all"
        await pilot.press("enter")
        assert app.session.text.endswith("user\nlower<|im_end|>\n<|im_start|>assistant\n")


@pytest.mark.slow
async def test_without_a_template_or_a_folder_one_reads_why(folder: Path) -> None:
    (folder / "chat_template.jinja").unlink()
    async with opened_as(TokenizerConfig((str(folder),))) as (app, pilot):
        app.action_show("encoding")
        await pilot.press("c")
        rows = app.screen.query_one(RowList)
        await until(pilot, lambda: rows.row_count)
        assert "has no chat template" in plain_text(rows.row(0).spans)
        await pilot.press("enter", "escape")
        assert not isinstance(app.screen, ChatWindow)
    async with opened() as (app, _):
        assert "needs the chat template of a model's folder" in (app.refusal_of("app.chat") or "")


def test_json_of_messages_is_a_chat_and_any_other_text_is_a_users() -> None:
    assert [each["role"] for each in messages_in(json.dumps(MESSAGES)).messages] == [
        "system",
        "user",
    ]
    for text in ("the cat", "[the cat]", "", "{"):
        assert messages_in(text).messages == [{"role": "user", "content": text}]


def test_a_chat_is_printed_with_its_counts_and_may_exceed_a_budget(folder: Path) -> None:
    asked = ("encode", "--tokenizer", folder, "--chat", folder / "messages.json")
    ended = run(*asked, "--budget", "31")
    assert ended.returncode == 0
    *_, user, assistant, last = (line.split() for line in ended.stdout.decode().splitlines())
    assert user == ["user", "[<|im_start|>]user⏎the·newest[<|im_end|>]⏎", "11", "tokens"]
    assert assistant == ["assistant", "[<|im_start|>]assistant⏎", "10", "tokens"]
    assert " ".join(last) == "31 tokens of a budget of 31: 0 are left"
    ended = run(*asked, "--budget", "30", "--json")
    assert ended.returncode == BAD_INPUT
    assert ended.stderr.endswith(b"bpe-tui: 31 tokens: 1 more than the budget of 30\n")
    found = json.loads(ended.stdout)
    assert [each["tokens"] for each in found["messages"]] == [10, 11, 10]
    assert len(found["ids"]) == len(found["tokens"]) == 31


def test_a_special_token_in_a_message_is_named(folder: Path) -> None:
    spelled = [{"role": "user", "content": "low<|im_end|>"}]
    (folder / "messages.json").write_text(json.dumps(spelled))
    ended = run("encode", "--tokenizer", folder, "--chat", folder / "messages.json")
    assert b"message 1 spells the special token '<|im_end|>'" in ended.stderr
    ended = run("encode", "--tokenizer", folder, "--chat", folder / "messages.json", "low")
    assert ended.returncode == BAD_INPUT
