"""Chats: the text, the ids and the parts that a folder's own chat template makes of messages."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from chat_templates import CHATS, HI, SYSTEM, TEMPLATES, TOOL
from sheets import check_sheet
from tiny_tokenizers import GOLDEN

from engine import Tokenizer
from engine.core import sandbox
from engine.core.errors import ChatError
from engine.formats import chats, open_tokenizer
from engine.formats.chats import Messages, chat_template_of, spelled_special

pytest.importorskip("jinja2")

ROLES = {"bos_token": "<s>", "eos_token": "</s>"}
SPECIAL = ["<|im_start|>", "<|im_end|>", "<|eot_id|>", "[INST]"]


def folder_with(place: Path, template: str) -> Path:
    """Make a folder with a small tokenizer and a chat template."""
    (place / "tokenizer.json").write_bytes((GOLDEN / "tokenizer.json").read_bytes())
    config = {"tokenizer_class": "PreTrainedTokenizerFast", "extra_special_tokens": SPECIAL}
    (place / "tokenizer_config.json").write_text(json.dumps({**config, **ROLES}))
    (place / "chat_template.jinja").write_text(template, "utf-8")
    return place


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Render where the test runs, which starts no process."""

    def render(template: str, variables: Any, others: Any) -> sandbox.Rendered:
        found = sandbox.rendered(template, variables, others)
        if "error" in found:
            raise ChatError(found["error"])
        return sandbox.Rendered(found["text"], tuple(found["ends"]))

    monkeypatch.setattr(chats, "render", render)


def _lines(tokenizer: Tokenizer, folder: Path, given: Messages) -> list[str]:
    try:
        chat = chat_template_of(folder).chat(tokenizer, given)
    except ChatError as error:
        return [f"  {error}"]
    assert [token.token_id for part in chat.tokens for token in part] == chat.ids
    assert "".join(chat.text[part.start : part.end] for part in chat.parts) == chat.text
    return [
        f"  {part.role} {len(tokens)}: {chat.text[part.start : part.end]!r}"
        for part, tokens in zip(chat.parts, chat.tokens, strict=True)
    ]


@pytest.mark.usefixtures("in_this_process")
def test_each_message_has_its_part_in_the_templates_of_ten_families(tmp_path: Path) -> None:
    lines = []
    for name, template in TEMPLATES.items():
        folder = folder_with(tmp_path, template)
        tokenizer = open_tokenizer(folder).tokenizer
        lines.append(name)
        for messages in CHATS[:3]:
            lines += ["", *_lines(tokenizer, folder, Messages.from_json(messages))]
    check_sheet("chats", lines)


@pytest.mark.slow
@pytest.mark.parametrize("name", TEMPLATES)
@pytest.mark.parametrize("tools", [None, [TOOL]])
@pytest.mark.usefixtures("in_this_process")
def test_texts_and_ids_equal_those_of_transformers(
    name: str, tools: list[Any] | None, tmp_path: Path
) -> None:
    transformers = pytest.importorskip("transformers")
    folder = folder_with(tmp_path, TEMPLATES[name])
    theirs = transformers.PreTrainedTokenizerFast.from_pretrained(str(folder))
    tokenizer = open_tokenizer(folder).tokenizer
    for messages in CHATS:
        given = Messages.from_json({"messages": messages, "tools": tools})
        how = {"tools": tools, "add_generation_prompt": given.wants_answer}
        try:
            text = theirs.apply_chat_template(messages, tokenize=False, **how)
        except Exception:
            with pytest.raises(ChatError):
                chat_template_of(folder).chat(tokenizer, given)
            continue
        chat = chat_template_of(folder).chat(tokenizer, given)
        assert chat.text == text
        assert chat.ids == theirs.apply_chat_template(messages, return_dict=False, **how)


def test_a_process_renders_a_template(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, TEMPLATES["ChatML, Qwen"])
    tokenizer = open_tokenizer(folder).tokenizer
    chat = chat_template_of(folder).chat(tokenizer, Messages.from_json([SYSTEM, HI]))
    assert chat.text == (
        "<|im_start|>system\nYou are low.<|im_end|>\n"
        "<|im_start|>user\n the newest\nlow <|im_end|>\n"
        "<|im_start|>assistant\n"
    )
    assert [part.role for part in chat.parts] == ["system", "user", "assistant"]
    assert chat.pieces(2) == [("<|im_start|>", True), ("assistant\n", False)]


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("{{ raise_exception('no more') }}", "refuses this: no more"),
        ("{% for", "the chat template refuses this: "),
        ("{{ messages.append(1) }}", "refuses this: .*append"),
        ("{{ ''.__class__.__mro__[1].__subclasses__() }}", "__"),
        ("{{ namespace(_a=1) }}", "a namespace takes no name like '_a'"),
        ("{{ cycler.__init__.__globals__.os.system('true') }}", "__"),
        ("{{ 1 / 0 }}", "fails: ZeroDivisionError"),
        ("{{ 'a' * 9000000 }}", "makes more than 8,388,608 characters"),
    ],
)
@pytest.mark.usefixtures("in_this_process")
def test_a_template_that_fails_or_reaches_out_is_refused(
    template: str, message: str, tmp_path: Path
) -> None:
    folder = folder_with(tmp_path, template)
    with pytest.raises(ChatError, match=message):
        chat_template_of(folder).chat(
            open_tokenizer(folder).tokenizer, Messages.from_json([SYSTEM, HI])
        )


@pytest.mark.slow
@pytest.mark.unix
@pytest.mark.parametrize(
    ("template", "message"),
    [
        (
            "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
            "more than",
        ),
        ("{{ ('a' * 999999999) | length }}", "more than 512 MB of memory|fails: MemoryError"),
    ],
)
def test_time_and_memory_are_limited(
    template: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "SECONDS", 2)
    with pytest.raises(ChatError, match=message):
        sandbox.render(template, {}, [])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({}, "a chat is a list of messages"),
        ([], "a chat is a list of messages"),
        ({"messages": [HI], "tools": "count"}, "a chat is a list of messages"),
        ([HI, {"content": "x"}], 'message 2 has no "role"'),
        (["user"], 'message 1 has no "role"'),
        ([HI] * 2001, "a chat of 2,001 messages has more than 2,000"),
    ],
)
def test_what_is_no_chat_is_refused(content: Any, message: str, tmp_path: Path) -> None:
    (tmp_path / "chat.json").write_text(json.dumps(content))
    with pytest.raises(ChatError, match=f"{tmp_path}/chat.json: {message}"):
        Messages.read(tmp_path / "chat.json")


@pytest.mark.usefixtures("in_this_process")
def test_the_template_may_be_in_the_configuration(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, "")
    (folder / "chat_template.jinja").unlink()
    tokenizer = open_tokenizer(folder).tokenizer
    config = folder / "tokenizer_config.json"
    for given in ("{{ bos_token }}!", [{"name": "default", "template": "{{ bos_token }}!"}]):
        config.write_text(json.dumps({**ROLES, "chat_template": given}))
        assert chat_template_of(folder).chat(tokenizer, Messages.from_json([HI])).text == "<s>!"
    for given in (None, [{"name": "tool_use", "template": "!"}]):
        config.write_text(json.dumps({"chat_template": given}))
        with pytest.raises(ChatError, match="has no chat template, neither in"):
            chat_template_of(folder / "tokenizer.json")


def test_a_message_that_spells_a_special_token_is_named(tmp_path: Path) -> None:
    tokenizer = open_tokenizer(folder_with(tmp_path, "")).tokenizer
    given = Messages.from_json([HI, {"role": "user", "content": "a<|im_end|>b<|im_start|>"}])
    ((number, token),) = spelled_special(tokenizer, given)
    assert number == 2
    assert token in SPECIAL


@pytest.mark.usefixtures("in_this_process")
def test_without_jinja2_one_reads_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = folder_with(tmp_path, "")
    tokenizer = open_tokenizer(folder).tokenizer
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ChatError, match=r"pip install 'bpe-tui\[chat\]'"):
        chat_template_of(folder).chat(tokenizer, Messages.from_json([HI]))
