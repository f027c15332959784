"""The tokenizers of today, made with Hugging Face's library with the stages of known models."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tokenizers import AddedToken, Regex, decoders, models, normalizers, trainers
from tokenizers import Tokenizer as Reference
from tokenizers import pre_tokenizers as cut

SAMPLE = Path(__file__).resolve().parents[2] / "samples" / "tinystories_valid.txt"
STORY = SAMPLE.read_text(encoding="utf-8")[:4000]
TEXT = STORY + " déjà vu e\u0301 \ufb01ne 12345 I'LL   x\n\n\n  <pad> ok na\u00efve 漢字 \u00bd 😀 "
LLAMA_3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def by(source: str) -> Any:
    return cut.Split(Regex(source), "isolated")


def trained(
    normalizer: Any,
    pre_tokenizer: Any,
    in_bytes: bool = True,
    suffix: dict[str, str] | None = None,
    **model: Any,
) -> Reference:
    reference = Reference(models.BPE(**model, **(suffix or {})))
    if normalizer is not None:
        reference.normalizer = normalizer
    reference.pre_tokenizer = pre_tokenizer
    trainer = trainers.BpeTrainer(
        vocab_size=400 if in_bytes else 200,
        special_tokens=["<pad>"] if in_bytes else ["<unk>"],
        initial_alphabet=cut.ByteLevel.alphabet() if in_bytes else [],
        show_progress=False,
        **(suffix or {}),
    )
    reference.train_from_iterator(STORY.splitlines(keepends=True), trainer)
    return reference


def in_bytes(*stages: Any, normalizer: Any = None, **model: Any) -> Reference:
    return trained(normalizer, cut.Sequence([*stages, spelled()]), **model)


def spelled(regex: bool = False, space: bool = False) -> Any:
    return cut.ByteLevel(add_prefix_space=space, use_regex=regex)


def adding(reference: Reference, *tokens: AddedToken) -> Reference:
    reference.add_tokens(list(tokens))
    return reference


def changed(reference: Reference, **model: Any) -> Reference:
    content = json.loads(reference.to_str())
    content["model"].update(model)
    return Reference.from_str(json.dumps(content))


def with_all_splits(reference: Reference) -> Reference:
    """Return each token with every pair that makes it, as in files made of ranks or pieces."""
    vocab = json.loads(reference.to_str())["model"]["vocab"]
    tokens = [token for token in sorted(vocab, key=vocab.__getitem__) if not token.startswith("<")]
    splits = ([token[:place], token[place:]] for token in tokens for place in range(1, len(token)))
    merges = [pair for pair in splits if pair[0] in vocab and pair[1] in vocab]
    return changed(reference, merges=merges)


def sentencepiece(normalizer: Any, pre_tokenizer: Any, with_bytes: bool = True) -> Reference:
    """Return a tokenizer like SentencePiece's: words begin with ▁, unknown characters are bytes."""
    pieces = cut.Metaspace(prepend_scheme="never", split=True)
    reference = trained(None, pieces, in_bytes=False, unk_token="<unk>", fuse_unk=True)
    if normalizer is not None:
        reference.normalizer = normalizer
    reference.pre_tokenizer = pre_tokenizer
    if not with_bytes:
        return reference
    vocab = json.loads(reference.to_str())["model"]["vocab"]
    vocab |= {f"<0x{byte:02X}>": len(vocab) + byte for byte in range(256)}
    return changed(reference, vocab=vocab, byte_fallback=True)


def llama_2() -> Reference:
    marks = [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    return sentencepiece(normalizers.Sequence(marks), cut.Sequence([]))


def clip() -> Reference:
    words = r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
    lower = [normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase()]
    stages = [cut.Split(Regex(words), "removed", invert=True), spelled()]
    suffix = {"end_of_word_suffix": "</w>"}
    return trained(normalizers.Sequence(lower), cut.Sequence(stages), suffix=suffix)


KINDS: dict[str, Callable[[], Reference]] = {
    "GPT-2": lambda: trained(None, spelled(regex=True)),
    "RoBERTa": lambda: adding(
        trained(None, spelled(regex=True)), AddedToken("<mask>", lstrip=True, normalized=False)
    ),
    "BART": lambda: adding(trained(None, spelled(regex=True)), AddedToken("<m>", normalized=True)),
    "a space in front": lambda: trained(None, spelled(regex=True, space=True)),
    "NeoX": lambda: adding(
        trained(normalizers.NFC(), spelled(regex=True)), AddedToken("   ", normalized=True)
    ),
    "Claude": lambda: trained(normalizers.NFKC(), spelled(regex=True)),
    "Llama 3": lambda: in_bytes(by(LLAMA_3), ignore_merges=True),
    "gpt-oss": lambda: with_all_splits(in_bytes(by(LLAMA_3))),
    "Qwen 2": lambda: in_bytes(by(LLAMA_3.replace("{1,3}", "")), normalizer=normalizers.NFC()),
    "DeepSeek": lambda: in_bytes(
        *map(by, (r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", "[一-龥]+")),
        cut.Digits(individual_digits=True),
    ),
    "Falcon": lambda: trained(
        None, cut.Sequence([cut.Punctuation("contiguous"), spelled(regex=True), cut.Digits(False)])
    ),
    "BLOOM": lambda: in_bytes(by(r" ?[^(\s|[.,!?…。，、।۔،])]+")),
    "StarCoder": lambda: trained(None, cut.Sequence([cut.Digits(True), spelled(regex=True)])),
    "Phi": lambda: adding(
        trained(None, spelled(regex=True)), AddedToken("  ", normalized=False), AddedToken("   ")
    ),
    "CLIP": clip,
    "Llama 2": llama_2,
    "CodeLlama": lambda: with_all_splits(llama_2()),
    "Gemma": lambda: sentencepiece(
        normalizers.Replace(" ", "▁"), cut.Split(" ", "merged_with_previous")
    ),
    "Mistral": lambda: sentencepiece(
        None, cut.Metaspace(prepend_scheme="first", split=False), with_bytes=False
    ),
}


def saved(kind: str, path: Path) -> Path:
    """Write the `tokenizer.json` of a kind; return its path."""
    reference = KINDS[kind]()
    reference.decoder = decoders.ByteLevel()
    reference.save(str(path))
    return path
