"""Conversion from each format into each other one, and back."""

import json
import sys
from collections.abc import Callable
from functools import cache
from itertools import islice, product
from pathlib import Path
from typing import Any

import pytest
from generated import first_quick
from sentencepiece_models import VARIANTS, trained
from tiny_tokenizers import BYTES, handout

from engine import (
    ConversionError,
    OutputExistsError,
    Tokenizer,
    TokenizerFileError,
    train_bpe,
)
from engine.formats import convert, open_tokenizer, proof, save
from engine.formats.gguf_cuts import pre_tokenizer_named
from engine.formats.proof import texts_for
from engine.formats.tokenizer_format import Opened
from engine.text.patterns import Alternative, Pattern

pytest.importorskip("google.protobuf")  # with which SentencePiece's files are written

ENDINGS = {"huggingface": ".json", "sentencepiece": ".model", "gguf-fields": ".json"}


@pytest.fixture(autouse=True)
def fewer_texts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a quick test try fewer texts than a conversion does."""
    if request.node.get_closest_marker("slow") is None:
        monkeypatch.setattr(proof, "TEXTS", 700)


@cache
def model(kind: str, variant: str, place: Path) -> Tokenizer:
    path = place / f"{kind} {variant}.model"
    path.write_bytes(trained(kind, variant))
    return open_tokenizer(path).tokenizer


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


SAME = [each for each in VARIANTS if each not in ("symbols", "space after")]


@pytest.mark.parametrize(
    ("kind", "variant"), first_quick(product(("bpe", "unigram", "char"), SAME))
)
def test_a_model_becomes_a_tokenizer_json_and_a_model_again(
    kind: str, variant: str, place: Path, tmp_path: Path
) -> None:
    """The libraries of both give each of the texts the ids of the model."""
    tokenizer = model(kind, variant, place)
    for format in ("huggingface", "sentencepiece"):
        path = tmp_path / f"written{ENDINGS[format]}"
        found = convert(tokenizer, format, path)
        assert found.texts == proof.TEXTS
        assert found.libraries == ({"huggingface": "tokenizers"}.get(format, format),)
        tokenizer = open_tokenizer(path).tokenizer
    fields = convert(tokenizer, "gguf-fields", tmp_path / "fields.json")
    assert fields.texts == proof.TEXTS
    assert open_tokenizer(tmp_path / "fields.json").format == "gguf-fields"


def test_a_symbol_is_found_between_others_but_no_mark_is_before_it_alone(
    place: Path, tmp_path: Path
) -> None:
    symbols = model("bpe", "symbols", place)
    found = convert(symbols, "huggingface", tmp_path / "symbols.json")
    controls, alone = found.losses
    assert controls == "its control symbols are found in a text by huggingface: <unk> <s> </s> <c>"
    assert alone.startswith("huggingface has other ids for a text that is one symbol, as '")
    read = open_tokenizer(tmp_path / "symbols.json").tokenizer
    for text in ("[X]a", " a [X]  the[X]", "<a b>", "你好 [X]\n"):
        assert read.encode(text) == symbols.encode(text)
    assert len(symbols.encode("[X]")) == 1 + len(read.encode("[X]"))


@pytest.mark.slow
def test_a_text_that_differs_is_shown_and_nothing_is_written(place: Path, tmp_path: Path) -> None:
    """A symbol of Unigram competes with its pieces; an added token is cut out first."""
    with pytest.raises(ConversionError, match=r"the ids of '.*' are .* and read again"):
        convert(model("unigram", "symbols", place), "huggingface", tmp_path / "out.json")
    for format, what in (
        ("huggingface", "puts ▁ after a word"),
        ("gguf-fields", "puts ▁ after a word"),
    ):
        with pytest.raises(TokenizerFileError, match=what):
            convert(model("bpe", "space after", place), format, tmp_path / "out")
    with pytest.raises(TokenizerFileError, match="a model of words is only read"):
        convert(model("word", "plain", place), "huggingface", tmp_path / "out")
    assert not list(tmp_path.iterdir())


def _trained_by_tokenizers(kind: str, normalizer: Any = None, cut: Any = None) -> str:
    import tokenizers
    from tokenizers import models, trainers

    lines = ["the cat sat on the mat", "a  hat and 12 mats", "naïve façade, 漢字"] * 3
    given: Any = {"show_progress": False, "special_tokens": ["<unk>", "<s>", "</s>"]}
    if kind == "bpe":
        made = tokenizers.Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True))
        trainer: Any = trainers.BpeTrainer(vocab_size=70, **given)
    else:
        made = tokenizers.Tokenizer(models.Unigram())
        trainer = trainers.UnigramTrainer(vocab_size=60, unk_token="<unk>", **given)
    made.normalizer, made.pre_tokenizer = normalizer, cut
    made.train_from_iterator(lines, trainer)
    return str(made.to_str())


def _stages(name: str) -> tuple[Any, Any]:
    from tokenizers import Regex, normalizers, pre_tokenizers

    marks = normalizers.Replace(" ", "▁")
    metaspace = pre_tokenizers.Metaspace
    return {
        "never": (None, metaspace(prepend_scheme="never")),
        "Gemma": (marks, pre_tokenizers.Split(" ", "merged_with_previous")),
        "Llama": (normalizers.Sequence([normalizers.Prepend("▁"), marks]), None),
        "always": (None, metaspace()),
        "NFKC": (normalizers.NFKC(), metaspace()),
        "first": (None, metaspace(prepend_scheme="first")),
        "digits": (None, pre_tokenizers.Sequence([pre_tokenizers.Digits(), metaspace()])),
        "lower": (normalizers.Lowercase(), metaspace()),
        "spaces": (normalizers.Replace(Regex("[a-z]+"), "b"), metaspace()),
    }[name]


@pytest.mark.parametrize(
    ("kind", "name", "lost"),
    first_quick(
        (kind, name, "begins with a space" * (name in ("always", "first", "NFKC")))
        for name in ("always", "first", "never", "Gemma", "Llama", "NFKC")
        for kind in ("bpe", "unigram")
    ),
)
def test_a_tokenizer_json_becomes_a_model(kind: str, name: str, lost: str, tmp_path: Path) -> None:
    pytest.importorskip("tokenizers")
    (tmp_path / "in.json").write_text(_trained_by_tokenizers(kind, *_stages(name)))
    tokenizer = open_tokenizer(tmp_path / "in.json").tokenizer
    for format in ("sentencepiece", "gguf-fields"):
        found = convert(tokenizer, format, tmp_path / format)
        assert found.texts == proof.TEXTS
        others = [each for each in found.losses if "special" not in each]
        assert [lost in each for each in others] == [True] * bool(lost)


@pytest.mark.parametrize(
    ("name", "stage"),
    [("digits", "pre-tokenizer Digits"), ("lower", "normalizer Lowercase"),
     ("spaces", "normalizer Replace")],
)  # fmt: skip
def test_a_stage_without_counterpart_is_named(name: str, stage: str, tmp_path: Path) -> None:
    pytest.importorskip("tokenizers")
    (tmp_path / "in.json").write_text(_trained_by_tokenizers("bpe", *_stages(name)))
    with pytest.raises(TokenizerFileError, match=f"no counterpart to the {stage}"):
        convert(open_tokenizer(tmp_path / "in.json").tokenizer, "sentencepiece", tmp_path / "out")


def test_merges_of_bytes_go_everywhere_but_to_sentencepiece(tmp_path: Path) -> None:
    tokenizer = handout()
    with pytest.raises(TokenizerFileError, match=r"SentencePiece merges characters, .* tiktoken"):
        convert(tokenizer, "sentencepiece", tmp_path / "out.model")
    for format in ("gguf-fields", "huggingface", "tiktoken", "gguf-fields"):
        path = tmp_path / f"{format} {len(list(tmp_path.iterdir()))}"
        assert convert(tokenizer, format, path).texts == proof.TEXTS  # type: ignore[arg-type]
        special = None if format != "tiktoken" else tokenizer.special_tokens
        tokenizer = open_tokenizer(path, special_tokens=special, pattern="gpt2").tokenizer
    fields = json.loads(path.read_text("utf-8"))
    assert fields["tokenizer.ggml.pre"] == "gpt-2"
    assert fields["tokenizer.ggml.merges"][0] == " ".join(
        part.decode() for part in handout().merges[0]
    )
    assert len(fields["tokenizer.ggml.tokens"]) == len(handout().vocab)


def _bpe(pattern: str) -> Tokenizer:
    return Tokenizer(handout().vocab, handout().merges, pattern=pattern)


@pytest.mark.parametrize(
    ("pattern", "pre"), [("llama3", "llama3"), ("qwen2", "qwen2"), ("o200k", "gpt-4o")]
)
def test_a_gguf_file_names_the_regexes(pattern: str, pre: str, tmp_path: Path) -> None:
    convert(_bpe(pattern), "gguf-fields", tmp_path / "out")
    written = json.loads((tmp_path / "out").read_text("utf-8"))["tokenizer.ggml.pre"]
    assert pre_tokenizer_named(written) == pre_tokenizer_named(pre)


def test_a_pattern_without_a_name_at_llama_cpp_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TokenizerFileError, match=r"llama\.cpp has no name for the regexes"):
        convert(_bpe("cl100k"), "gguf-fields", tmp_path / "out")


def test_without_its_library_a_model_is_not_written(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sentencepiece.sentencepiece_model_pb2", None)
    with pytest.raises(TokenizerFileError, match=r"pip install 'bpe-tui\[sentencepiece\]'"):
        convert(model("bpe", "plain", place), "sentencepiece", tmp_path / "out.model")


@pytest.mark.parametrize(
    "make", [handout, lambda: Tokenizer({n: bytes([n]) for n in range(9)}, [])]
)
def test_the_texts_of_a_proof_are_many_and_always_the_same(make: Callable[[], Tokenizer]) -> None:
    first, again = (
        [text for text, _ in zip(texts_for(make()), range(300), strict=False)] for _ in range(2)
    )
    assert first == again
    assert len(set(first)) > 200


SAMPLE = Path(__file__).parents[3] / "samples" / "tinystories_valid.txt"
END = "<|endoftext|>"


@pytest.fixture(scope="module")
def stories() -> Tokenizer:
    return Tokenizer(*train_bpe(SAMPLE, 400, [END]), [END], "cl100k")


def _guessing_open(path: Path, special_tokens: Any = (END,), pattern: Any = None) -> Opened:
    """Open files as if they were known, with a special token."""
    return open_tokenizer(path, special_tokens=special_tokens, pattern=pattern)


def test_each_property_that_is_lost_has_a_sentence(
    stories: Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert convert(stories, "tiktoken", tmp_path / "out").losses == (
        "tiktoken does not keep the pattern 'cl100k'; give it when you open the files",
        "tiktoken does not keep which tokens are special (<|endoftext|>); name them when you open "
        "the files",
    )
    monkeypatch.setattr("engine.formats.open_tokenizer", _guessing_open)
    vocab = {i: token for i, token in stories.vocab.items() if token != END.encode()}
    plain = Tokenizer(vocab, stories.merges)
    assert convert(plain, "course-json", tmp_path / "plain.json").losses == (
        "course-json does not keep which tokens are special (none); name them when you open the "
        "files",
    )


def test_tokens_from_all_parts_of_a_vocabulary_are_tried(
    stories: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for most, step in ((5000, 1), (200, 2), (100, 4)):
        monkeypatch.setattr(proof, "TRIED_TOKENS", most)
        apart = next(islice(proof.texts_for(stories), 3, None))
        chosen = sorted(stories.vocab)[::step]
        assert apart == "\n".join(stories.decode([token_id]) for token_id in chosen)


def _careless_save(tokenizer: Tokenizer, path: Path, format: str, **how: Any) -> None:
    """Save without the last merge."""
    *merges, last = tokenizer.merges
    vocab = {n: t for n, t in tokenizer.vocab.items() if t != last[0] + last[1]}
    save(Tokenizer(vocab, merges, tokenizer.special_tokens, tokenizer.pattern), path, format, **how)


def test_a_writer_that_loses_a_merge_is_detected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.formats.save", _careless_save)
    with pytest.raises(ConversionError, match=r"the ids of .The quick.* from token 18"):
        convert(Tokenizer(BYTES | {256: b"ox"}, [(b"o", b"x")]), "gpt2", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_format_refuses_a_tokenizer_that_it_cannot_hold(
    stories: Tokenizer, tmp_path: Path
) -> None:
    pattern = Pattern("mine", "", (Alternative("all", "(?s:.)"),), ())
    mine = Tokenizer(stories.vocab, stories.merges, pattern=pattern)
    with pytest.raises(TokenizerFileError, match=f"{tmp_path}/out: .*'mine'"):
        convert(mine, "gpt2", tmp_path / "out")
    assert not list(tmp_path.iterdir())


def test_files_are_overwritten_only_on_request(stories: Tokenizer, tmp_path: Path) -> None:
    convert(stories, "gpt2", tmp_path / "out")
    with pytest.raises(OutputExistsError):
        convert(stories, "gpt2", tmp_path / "out")
    convert(stories, "gpt2", tmp_path / "out", overwrite=True)
