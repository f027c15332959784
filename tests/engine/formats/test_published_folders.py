"""Folders as publishers write them: ids, decoded texts and templates are those of transformers."""

import json
import shutil
from pathlib import Path

import pytest
from published_folders import published
from tiny_tokenizers import END, GOLDEN, handout

from engine import Tokenizer, TokenizerFileError
from engine.formats import is_tokenizer, open_tokenizer, save
from engine.formats.folder_settings import ADDED, CONFIG, GENERATION, MODEL

NAMES = list(published()[1])


@pytest.mark.parametrize("name", NAMES)
def test_ids_and_texts_are_those_of_transformers(name: str, tmp_path: Path) -> None:
    texts, folders = published()
    row = folders[name]
    opened = open_tokenizer(row.write(tmp_path))
    tokenizer = opened.tokenizer
    assert [tokenizer.encode(text) for text in texts] == row.ids
    if name == "MarianTokenizer":
        assert any("left out" in note for note in opened.notes)
        alone = open_tokenizer(tmp_path / "source.spm")
        assert (alone.format, len(alone.notes)) == ("sentencepiece", 2)
        numbered = json.loads((tmp_path / "vocab.json").read_text())
        fewer = {text: i for i, text in enumerate(text for text in numbered if text != "▁the")}
        (tmp_path / "vocab.json").write_text(json.dumps(fewer))
        own = open_tokenizer(tmp_path)
        assert own.tokenizer.vocab[len(fewer)] == "▁the".encode()
        assert "an id are numbered after it (such pieces: 1); Marian" in own.notes[-1]
        (tmp_path / "vocab.json").write_text('{"</s>": 0, "<unk>": 2}')
        with pytest.raises(TokenizerFileError, match="does not number its tokens from 0 on"):
            open_tokenizer(tmp_path)
        return
    assert [tokenizer.decode(ids) for ids in row.ids] == row.decoded
    if name != "WhisperTokenizer":  # whose template depends on a language
        assert tokenizer.encode("the cat", template=True) == row.around
    names_class = any(name.split()[0] in note for note in opened.notes)
    assert names_class == (name != "PreTrainedTokenizerFast")


def test_the_type_of_a_model_has_a_class(tmp_path: Path) -> None:
    texts, folders = published()
    row = folders["XLMRobertaTokenizer"]
    row.write(tmp_path)
    (tmp_path / CONFIG).unlink()
    (tmp_path / MODEL).write_text(json.dumps({"model_type": "xlm-roberta"}))
    assert open_tokenizer(tmp_path).tokenizer.encode(texts[0]) == row.ids[0]


LLAMA_LIKE = " The cat", "</s>the<s> cat<pad>"
MARKED_AGAIN = [[743, 305, 274, 285], [2, 264, 1, 743, 274, 285, 783, 766, 301, 784]]
MARKED_FIRST = [[305, 274, 285], [2, 745, 259, 1, 274, 285, 783, 766, 301, 784]]
MARKED_EACH = [[305, 274, 285], [2, 264, 1, 274, 285, 783, 766, 301, 784]]
OF_LLAMA = {"tokenizer_class": "LlamaTokenizer"}


@pytest.mark.parametrize(
    ("types", "config", "ids"),
    [
        ("llama mistral phi3 llava stablelm", None, MARKED_AGAIN),
        ("mistral phi3 jamba granite", OF_LLAMA, MARKED_AGAIN),
        ("mistral phi3", {**OF_LLAMA, "legacy": True}, MARKED_AGAIN),
        ("mistral phi3", {**OF_LLAMA, "add_prefix_space": False}, MARKED_AGAIN),
        ("mistral phi3", {**OF_LLAMA, "legacy": False}, MARKED_FIRST),
        ("llama mistral", {"legacy": False}, MARKED_FIRST),
        ("llama gemma falcon -", OF_LLAMA, MARKED_FIRST),
        ("llama -", {**OF_LLAMA, "legacy": False}, MARKED_FIRST),
        ("llama -", {**OF_LLAMA, "legacy": True}, MARKED_EACH),
    ],
)
def test_a_model_like_llama_is_read_as_transformers_reads_its_type(
    types: str, config: dict[str, object] | None, ids: list[list[int]], tmp_path: Path
) -> None:
    shutil.copy(GOLDEN / "llama.model", tmp_path / "tokenizer.model")
    if config is not None:
        (tmp_path / CONFIG).write_text(json.dumps(config))
    for name in types.split():
        (tmp_path / MODEL).write_text(json.dumps({"model_type": name}))
        tokenizer = open_tokenizer(tmp_path).tokenizer
        assert list(map(tokenizer.encode, LLAMA_LIKE)) == ids, name


def test_a_model_without_a_class_gets_the_template_that_its_folder_asks_for(
    tmp_path: Path,
) -> None:
    shutil.copy(GOLDEN / "llama.model", tmp_path / "tokenizer.model")
    (tmp_path / MODEL).write_text('{"model_type": "mistral"}')
    (tmp_path / CONFIG).write_text('{"add_bos_token": true, "add_eos_token": true}')
    tokenizer = open_tokenizer(tmp_path).tokenizer
    assert tokenizer.encode("the cat", template=True) == [1, 264, 274, 285, 2]


@pytest.mark.parametrize(
    ("name", "ids"),
    [
        ("T5Tokenizer", [[9, 30, 16, 3, 2, 12], [3, 2, 7]]),  # Unigram
        ("NllbTokenizer", [[214, 186, 212, 0, 215], [212, 0, 8]]),  # BPE without bytes
    ],
)
def test_unknown_characters_without_a_class_are_those_of_transformers(
    name: str, ids: list[list[int]], tmp_path: Path
) -> None:
    (tmp_path / "theirs").mkdir()
    (pieces,) = published()[1][name].write(tmp_path / "theirs").glob("*.model")
    shutil.move(pieces, tmp_path / "tokenizer.model")
    (tmp_path / MODEL).write_text('{"model_type": "llava"}')
    (tmp_path / CONFIG).write_text('{"legacy": false}')
    tokenizer = open_tokenizer(tmp_path).tokenizer
    assert [tokenizer.encode(text) for text in ("  two 漢a", "漢 the")] == ids


def test_a_class_of_another_kind_of_model_is_doubted(tmp_path: Path) -> None:
    shutil.copy(GOLDEN / "llama.model", tmp_path / "tokenizer.model")  # BPE, and T5's is Unigram
    (tmp_path / CONFIG).write_text('{"tokenizer_class": "T5Tokenizer"}')
    assert "T5Tokenizer, which is for other files" in open_tokenizer(tmp_path).doubt


def test_a_wrong_pattern_of_mistrals_is_known(tmp_path: Path) -> None:
    tok = handout()
    for pattern, is_wrong in (("llama3", True), ("gpt2", False)):
        made = Tokenizer(tok.vocab, tok.merges, [END], pattern)
        save(made, tmp_path / "tokenizer.json", "huggingface", overwrite=True)
        (tmp_path / MODEL).write_text('{"model_type": "mistral"}')
        known = [note for note in open_tokenizer(tmp_path).notes if "fix_mistral_regex" in note]
        assert bool(known) == is_wrong


def test_marians_class_ends_a_text(tmp_path: Path) -> None:
    tokenizer = open_tokenizer(published()[1]["MarianTokenizer"].write(tmp_path)).tokenizer
    end = tokenizer.encode("</s>")
    assert tokenizer.encode("the cat", template=True) == [*tokenizer.encode("the cat"), *end]


@pytest.mark.parametrize(
    ("config", "before"),
    [
        ({}, ["<|startoftranscript|>", "<|notimestamps|>"]),
        ({"add_bos_token": False}, ["<|startoftranscript|>", "<|notimestamps|>"]),
        ({"language": "English"}, ["<|startoftranscript|>", "<|en|>", "<|notimestamps|>"]),
        (
            {"language": "en", "task": "transcribe", "predict_timestamps": True},
            ["<|startoftranscript|>", "<|en|>", "<|transcribe|>"],
        ),
    ],
)
def test_whispers_class_adds_language_task_and_times(
    config: dict[str, object], before: list[str], tmp_path: Path
) -> None:
    tok = handout()
    tok.save(tmp_path, "gpt2")
    (tmp_path / "bpe-tui.json").unlink()
    marks = ["<|startoftranscript|>", "<|en|>", "<|transcribe|>", "<|notimestamps|>"]
    ids = {mark: 300 + place for place, mark in enumerate(marks)}
    added = {ids[mark]: {"content": mark, "special": True} for mark in marks}
    settings = {"tokenizer_class": "WhisperTokenizer", "added_tokens_decoder": added, **config}
    (tmp_path / CONFIG).write_text(json.dumps(settings))
    tokenizer = open_tokenizer(tmp_path).tokenizer
    around = [*map(ids.__getitem__, before), *tok.encode("low"), *tok.encode(END)]
    assert tokenizer.encode("low", template=True) == around


def test_kimis_class_cuts_by_its_own_pattern(tmp_path: Path) -> None:
    ranks = Tokenizer({i: bytes([i]) for i in range(256)}, [])
    ranks.save(tmp_path / "tiktoken.model", "tiktoken")
    (tmp_path / CONFIG).write_text('{"tokenizer_class": "TikTokenTokenizer"}')
    opened = open_tokenizer(tmp_path)
    assert opened.tokenizer.pattern.split("a漢字b 12") == ["a", "漢字", "b", " ", "12"]


@pytest.mark.parametrize(
    ("config", "note"),
    [
        ({"tokenizer_class": "OddTokenizer"}, "OddTokenizer, which is not known here"),
        ({"tokenizer_class": "T5TokenizerFast"}, "T5Tokenizer, which is for other files"),
        ({"split_special_tokens": True}, "has split_special_tokens"),
    ],
)
def test_a_note_names_what_is_not_used(
    tmp_path: Path, config: dict[str, object], note: str
) -> None:
    published()[1]["GPT2Tokenizer"].write(tmp_path)
    (tmp_path / CONFIG).write_text(json.dumps(config))
    others = {"bos_token_id": None, "pad_token_id": [], "max_length": 20, "sep_token_id": "0"}
    (tmp_path / GENERATION).write_text(json.dumps({"eos_token_id": [0, 5000], **others}))
    notes = open_tokenizer(tmp_path).notes
    assert any(note in each for each in notes)
    assert [each for each in notes if GENERATION in each] == [
        f"{GENERATION} gives eos_token as 0, 5000 (no token has it); encoding adds none"
    ]


def test_a_number_of_extra_ids_is_the_configurations(tmp_path: Path) -> None:
    published()[1]["T5Tokenizer"].write(tmp_path)
    config = {"tokenizer_class": "T5Tokenizer", "extra_ids": 3}
    (tmp_path / CONFIG).write_text(json.dumps(config))
    tokenizer = open_tokenizer(tmp_path).tokenizer
    assert tokenizer.encode("<extra_id_2><extra_id_0>") == [260, 262]


@pytest.mark.parametrize(
    ("name", "setting"),
    [
        ("XLMRobertaTokenizer", {"add_bos_token": False}),
        ("BertTokenizer", {"add_eos_token": True}),
        ("NllbTokenizer", {"add_bos_token": True, "add_prefix_space": False}),
        ("T5Tokenizer", {"add_prefix_space": False}),
        ("MarianTokenizer", {"legacy": False}),
        ("ReformerTokenizer", {"add_bos_token": True}),
    ],
)
def test_a_class_that_heeds_no_such_setting_stays_as_it_is(
    tmp_path: Path, name: str, setting: dict[str, bool]
) -> None:
    row = published()[1][name]
    row.write(tmp_path)
    config = json.loads(row.files[CONFIG])
    (tmp_path / CONFIG).write_text(json.dumps(config | setting))
    tokenizer = open_tokenizer(tmp_path).tokenizer
    assert tokenizer.encode("the cat", template=True) == row.around


def test_qwens_class_begins_a_text_with_a_space_where_its_folder_asks_for_it(
    tmp_path: Path,
) -> None:
    published()[1]["Qwen2Tokenizer"].write(tmp_path)
    plain = open_tokenizer(tmp_path).tokenizer
    settings = {"tokenizer_class": "Qwen2Tokenizer", "add_prefix_space": True}
    (tmp_path / CONFIG).write_text(json.dumps(settings))
    assert open_tokenizer(tmp_path).tokenizer.encode("the cat") == plain.encode(" the cat")


@pytest.mark.parametrize(
    ("adds", "before", "after"),
    [
        ({"add_bos_token": False}, [], []),
        ({"add_eos_token": True}, [], [2]),
        ({"add_bos_token": True, "add_eos_token": True}, [1], [2]),
    ],
)
def test_the_configuration_says_what_goes_around_a_text(
    tmp_path: Path, adds: dict[str, bool], before: list[int], after: list[int]
) -> None:
    published()[1]["LlamaTokenizer"].write(tmp_path)
    (tmp_path / CONFIG).write_text(json.dumps({"tokenizer_class": "LlamaTokenizer"} | adds))
    tokenizer = open_tokenizer(tmp_path).tokenizer
    cat = tokenizer.encode("the cat")
    assert tokenizer.encode("the cat", template=True) == [*before, *cat, *after]
    pipeline = tokenizer.pipeline
    if pipeline is not None and pipeline.post_processor is not None:
        pair = [*before, *cat, *after, *before, *cat, *after]
        assert pipeline.post_processor.process(cat, cat) == pair


def test_a_sentencepiece_model_without_a_class_finds_added_tokens_in_the_text(
    tmp_path: Path,
) -> None:
    row = published()[1]["PreTrainedTokenizerFast"]
    alone = open_tokenizer(row.write(tmp_path) / "tokenizer.model").tokenizer
    (tmp_path / ADDED).write_text(json.dumps({"<pad>": 420}))
    tokenizer = open_tokenizer(tmp_path).tokenizer
    assert tokenizer.encode("the cat<pad>") == [*alone.encode("the cat"), 420]


# Folders without a known set of files


def test_a_file_is_found_by_its_content(tmp_path: Path) -> None:
    tok = handout()
    tok.save(tmp_path / "tokenizer.json", "course-json")
    assert is_tokenizer(tmp_path)
    (tmp_path / "weights.zip").write_bytes(b"PK\x03\x04")
    assert is_tokenizer(tmp_path)
    (tmp_path / "train.py").write_text("print()")
    assert not is_tokenizer(tmp_path)  # it may be a place to look for files
    (tmp_path / MODEL).write_text("{}")
    assert is_tokenizer(tmp_path)
    opened = open_tokenizer(tmp_path)
    assert opened.notes[0] == "found in the folder by its content: tokenizer.json"
    assert opened.tokenizer.encode("lowest") == tok.encode("lowest")
    Tokenizer(tok.vocab, tok.merges, [END]).save(tmp_path / "t.tiktoken", "tiktoken")
    with pytest.raises(TokenizerFileError, match=r"several tokenizers.*: t\.tiktoken, tokenizer"):
        open_tokenizer(tmp_path)


OTHER_FILES = {
    "README.md": "[A model](https://example.org)\n",
    "chat_template.jinja": "{% for m in messages %}{{ m }}{% endfor %}",
    "broken.json": '{"vocab": {"a": 0, ',
    "index.json": '{"weight_map": {"a": "model-1.safetensors"}}',
    "notebook.ipynb": '{"cells": [], "nbformat": 4}',
    "train.csv": "id,text\n0,one\n1,two\n2,three\n3,four\n",
    "model.py": "[(b'a', b'b')] + [print]\n",
    "model.safetensors": '8\0\0\0\0\0\0\0{"a": {"dtype": "F32"}}',
    "figure.png": "\x89PNG\r\n",
    "notes.pkl": "not a pickle",
}
"""Contents of files that a model's folder may have besides, none of them a tokenizer."""


@pytest.mark.parametrize("name", ["my.tiktoken", "tokenizer.model"])
@pytest.mark.parametrize("other", OTHER_FILES)
def test_another_file_in_a_folder_changes_nothing(name: str, other: str, tmp_path: Path) -> None:
    ranks = Tokenizer({i: bytes([i]) for i in range(256)} | {256: b"th"}, [(b"t", b"h")])
    ranks.save(tmp_path / name, "tiktoken")
    (tmp_path / CONFIG).write_text('{"added_tokens_decoder": {"300": {"content": "<e>"}}}')
    (tmp_path / other).write_text(OTHER_FILES[other])
    assert open_tokenizer(tmp_path).tokenizer.encode("th<e>") == [256, 300]


def test_the_only_file_that_opens_is_opened(tmp_path: Path) -> None:
    published()[1]["MarianTokenizer"].write(tmp_path)
    alone = open_tokenizer(tmp_path / "source.spm").tokenizer.encode("the cat")
    (tmp_path / "vocab.json").unlink()
    opened = open_tokenizer(tmp_path)
    assert opened.tokenizer.encode("the cat") == alone
    assert any(note.startswith("opened alone, with its own ids") for note in opened.notes)


def test_a_pair_is_found_by_its_content(tmp_path: Path) -> None:
    for name in ("vocab.json", "merges.txt"):
        shutil.copy(GOLDEN / "gpt2" / name, tmp_path / f"my_{name}")
    opened = open_tokenizer(tmp_path)
    assert opened.tokenizer.encode("lowest") == handout().encode("lowest")


def test_the_refusal_names_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("nothing")
    (tmp_path / "b.bz2").write_bytes(b"BZh9")
    with pytest.raises(TokenizerFileError, match=r"it has a\.txt, b\.bz2.*b\.bz2 is a bzip2 file"):
        open_tokenizer(tmp_path)
