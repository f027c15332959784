"""SentencePiece's stages as those of a `tokenizer.json`, and back.

    SentencePiece                     tokenizer.json
    map of characters                 Precompiled
    remove_extra_whitespaces          Replace: spaces at the ends go, several become one
    add_dummy_prefix                  Prepend ▁; beside symbols Replace
    escape_whitespaces                Replace: ▁ for a space
    score of a piece                  place of its merges; Unigram's scores stay
    user-defined, control symbols     added tokens, special ones

The two differ in small things, so neither function promises equal ids: `engine.formats.proof`
compares them. What has no counterpart is refused by its name; the kinds of texts that always
differ are at the end.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib import import_module

from engine.core.errors import TokenizerFileError
from engine.encoding.tokenizer import Tokenizer
from engine.formats.proof import Kinds
from engine.pipeline import decoders, models, normalizers, pretokenizers
from engine.pipeline.added_tokens import AddedToken
from engine.pipeline.oniguruma import TextOrRegex
from engine.pipeline.pipeline import Pipeline
from engine.pipeline.sentencepiece import (
    BYTE,
    CONTROL,
    NORMAL,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    ScoredPiece,
    SentencePieceBPE,
    SentencePieceCuts,
    SentencePieceDecoder,
    SentencePieceNormalizer,
    SentencePieceUnigram,
    word_pattern,
)
from engine.pipeline.stage import Stage, opened
from engine.unigram.units import SPACE

SentencePieceModel = SentencePieceBPE | SentencePieceUnigram


def _replaced(new: str, **old: str) -> normalizers.Replace:
    return normalizers.Replace(TextOrRegex(**old), new)


_WITHOUT_EXTRA = _replaced("", regex=rf"\A +|[ {SPACE}]+\z"), _replaced(" ", regex=" {2,}")
_BEGINNING = r"\A(?!"


# To a tokenizer.json


def hugging_face_stages(pipeline: Pipeline) -> Pipeline:
    """Translate SentencePiece's stages into those of a `tokenizer.json`.

    Raises:
        TokenizerFileError: it has no counterpart to something in the model.
    """
    model, rules, decoder = pipeline.model, pipeline.normalizer, pipeline.decoder
    if not isinstance(model, SentencePieceModel):
        raise TokenizerFileError("a model of words is only read; keep its own file")
    assert isinstance(rules, SentencePieceNormalizer)
    assert isinstance(decoder, SentencePieceDecoder)
    if rules.space_behind or not rules.escape_whitespaces or decoder.afterwards is not None:
        raise TokenizerFileError(
            "the model puts ▁ after a word, keeps spaces, or changes what it decodes, for which a "
            "tokenizer.json has no stage"
        )
    # A space is ▁ before symbols are looked for, so one with a space is never found.
    symbols = [text for text in model.of_kind(USER_DEFINED) if " " not in text]
    symbols = [text for text in symbols if text not in pipeline.added_ids]
    controls = [text for text in model.of_kind(UNKNOWN, CONTROL) if text not in pipeline.added_ids]
    steps: list[normalizers.Normalizer] = []
    if rules.charsmap:
        steps.append(normalizers.Precompiled(base64.b64encode(rules.charsmap).decode()))
    steps += _WITHOUT_EXTRA if rules.remove_extra_whitespaces else ()
    if rules.add_dummy_prefix and symbols:
        # Symbols are searched in the normalized text, and are normalized themselves: without ▁.
        alone = "|".join(map(re.escape, symbols))
        steps.append(_replaced(SPACE, regex=rf"{_BEGINNING}(?:{alone}|)\z)"))
    elif rules.add_dummy_prefix:
        steps.append(normalizers.Prepend(SPACE))
    steps.append(_replaced(SPACE, text=" "))
    by_words = isinstance(model, SentencePieceUnigram) and _begins_words(model)
    added = [AddedToken(text, special=True, normalized=False) for text in controls]
    added += [AddedToken(text, special=False, normalized=True) for text in symbols]
    return replace(
        pipeline,
        model=_model_of(model),
        added_tokens=(*pipeline.added_tokens, *added),
        normalizer=normalizers.Sequence(steps),
        pre_tokenizer=pretokenizers.Metaspace(SPACE, "never") if by_words else None,
        decoder=_decoder_of(decoder),
    )


def _begins_words(model: SentencePieceModel) -> bool:
    """Whether `▁` only begins pieces, so that words can be encoded one by one."""
    normal = model.of_kind(NORMAL)
    return SPACE in normal and not any(SPACE in text[1:] for text in normal)


def _model_of(model: SentencePieceModel) -> models.Model:
    unused = model.of_kind(UNUSED)
    if unused:
        raise TokenizerFileError(
            f"the piece {next(iter(unused))[:60]!r} is marked as unused, and a tokenizer.json has "
            "no such mark"
        )
    if isinstance(model, SentencePieceUnigram):
        pieces = [(piece.text, piece.score) for piece in model.pieces]
        return models.Unigram(pieces, model.unknown_id, model.byte_fallback)
    unknown = next(iter(model.of_kind(UNKNOWN)))
    return models.BPE(
        model.vocab,
        model.merges,
        unk_token=unknown,
        fuse_unk=True,
        byte_fallback=model.byte_fallback,
    )


def _decoder_of(decoder: SentencePieceDecoder) -> decoders.Decoder:
    steps: list[decoders.Decoder] = [decoders.Replace(TextOrRegex(text=SPACE), " ")]
    steps += [decoders.ByteFallback()] * decoder.has_bytes
    steps.append(decoders.Fuse())
    if decoder.takes_first_space or decoder.takes_first_spaces:
        steps.append(decoders.Strip(" ", 1, 0))
    return decoders.Sequence(steps)


# To SentencePiece


def sentencepiece_stages(pipeline: Pipeline) -> Pipeline:
    """Translate the stages of a `tokenizer.json` into SentencePiece's.

    Raises:
        TokenizerFileError: SentencePiece has no counterpart to a stage.
    """
    model = pipeline.model
    if isinstance(model, SentencePieceModel):
        return pipeline
    rules = _rules_of(pipeline)
    if isinstance(model, models.BPE) and not (model._prefix or model._suffix):
        scores = _scores_of(model)
    elif isinstance(model, models.Unigram):
        scores = dict(model.pieces)
    else:
        raise TokenizerFileError(
            f"its model is {model.name}{' with prefix or suffix' * isinstance(model, models.BPE)}; "
            "a SentencePiece model merges, or is Unigram"
        )
    pieces = list(_pieces_of(pipeline, scores))
    has_bytes = any(piece.kind == BYTE for piece in pieces)
    own: SentencePieceModel
    if isinstance(model, models.Unigram):
        own = SentencePieceUnigram(pieces, has_bytes)
    else:
        own = SentencePieceBPE(pieces, has_bytes)
    controls = [piece.text for piece in pieces if piece.kind == CONTROL]
    unknown = next(piece.text for piece in pieces if piece.kind == UNKNOWN)
    prefix, extra = rules.add_dummy_prefix, rules.remove_extra_whitespaces
    pattern = word_pattern(own.vocab) if isinstance(own, SentencePieceBPE) else None
    return Pipeline(
        own,
        normalizer=replace(rules, kept=tuple(own.of_kind(USER_DEFINED))),
        pre_tokenizer=None if pattern is None else SentencePieceCuts(pattern),
        post_processor=pipeline.post_processor,
        decoder=SentencePieceDecoder(controls, unknown, unknown, prefix, extra, has_bytes),
    )


def _rules_of(pipeline: Pipeline) -> SentencePieceNormalizer:
    """Return the rules that normalize and mark as these stages do."""
    charsmap, prefix, escapes, removes = b"", False, False, False
    for step in opened(pipeline.normalizer):
        match step:
            case normalizers.Precompiled() if not charsmap:
                charsmap = base64.b64decode(step.precompiled_charsmap)
            case normalizers.NFKC() if not charsmap:
                charsmap = _charsmap_of("nfkc")
            case normalizers.Prepend(prepend=text) if text == SPACE:
                prefix = True
            case normalizers.Replace(pattern=old, content=new) if (old.text, new) == (" ", SPACE):
                escapes = True
            case normalizers.Replace(pattern=old, content=new) if _is_prefix(old) and new == SPACE:
                prefix = True
            case normalizers.Replace(pattern=old) if _is_about_spaces(old):
                removes = True
            case normalizers.Strip():
                removes = True
            case _:
                raise _without_counterpart(step, "normalizer")
    for cut in opened(pipeline.pre_tokenizer):
        match cut:
            case pretokenizers.Metaspace(replacement=mark) if mark in (SPACE, " "):
                prefix |= cut.prepend_scheme != "never"
                escapes = True
            case pretokenizers.WhitespaceSplit():
                removes = True
            case pretokenizers.Split(pattern=TextOrRegex(text=" ")) if escapes:
                pass  # no space is left to cut at
            case _:
                raise _without_counterpart(cut, "pre-tokenizer")
    return SentencePieceNormalizer(charsmap, (), prefix, removes, escapes)


def _charsmap_of(name: str) -> bytes:
    """Return a map of characters that comes with SentencePiece's library; empty without it."""
    try:
        library = import_module("sentencepiece")
        schema = import_module("sentencepiece.sentencepiece_model_pb2")
    except ImportError:
        return b""
    spec = library.SentencePieceNormalizer(rule_name=name).serialized_normalizer_spec()
    return bytes(schema.NormalizerSpec.FromString(spec).precompiled_charsmap)


def _is_prefix(pattern: TextOrRegex) -> bool:
    return pattern.regex is not None and pattern.regex.startswith(_BEGINNING)


def _is_about_spaces(pattern: TextOrRegex) -> bool:
    return pattern.regex is not None and not set(pattern.regex) - set(rf"\Az^$[ {SPACE}]+|{{2,}}s")


def _without_counterpart(step: Stage, kind: str) -> TokenizerFileError:
    return TokenizerFileError(
        f"SentencePiece has no counterpart to the {kind} {step.name}; it knows maps of characters, "
        "▁ for spaces, and nothing else that changes or cuts a text"
    )


def _scores_of(model: models.BPE) -> dict[str, float]:
    """Return a score for each token: the later its first merge, the lower."""
    texts, scores = model.texts, dict[str, float]()
    for rank, made in model.table.values():
        scores.setdefault(texts[made], -float(rank))
    return {text: scores.get(text, -float(len(model.merges))) for text in model.vocab}


def _pieces_of(pipeline: Pipeline, scores: Mapping[str, float]) -> Iterator[ScoredPiece]:
    """Yield the pieces in the order of their ids; an id without a token is a control symbol."""
    model = pipeline.model
    ids = {**model.vocab, **pipeline.added_ids}
    of_id = {token_id: text for text, token_id in ids.items()}
    if len(of_id) < len(ids) or max(of_id) > 2 * len(of_id) + _MOST_GAPS:
        raise TokenizerFileError("its ids are too far apart, or two tokens have one; a piece has 1")
    kinds = dict.fromkeys(pipeline.added_ids, USER_DEFINED)
    kinds |= {each.content: CONTROL for each in pipeline.added_tokens if each.special}
    names = [f"<0x{byte:02X}>" for byte in range(256)]
    if getattr(model, "byte_fallback", False) and set(names) <= ids.keys():
        kinds |= dict.fromkeys(names, BYTE)
    unknown_id = model.unknown_id
    if unknown_id is None and "<unk>" in ids:
        unknown_id = ids["<unk>"]
    if isinstance(model, models.BPE):
        made = {model.texts[made] for _, made in model.table.values()}
        alone = [text for text in model.vocab if len(text) > 1 and text not in made]
        kinds = {**dict.fromkeys(alone, CONTROL), **kinds}
    for token_id in range(max(of_id) + 1):
        text = of_id.get(token_id, f"[PAD{token_id}]")
        kind = CONTROL if token_id not in of_id else kinds.get(text, NORMAL)
        kind = UNKNOWN if token_id == unknown_id else kind
        yield ScoredPiece(text, scores.get(text, 0.0) if kind == NORMAL else 0.0, kind)
    if unknown_id is None:
        yield ScoredPiece("<unk>", 0.0, UNKNOWN)


_MOST_GAPS = 10_000


# The proof


def kinds_apart(tokenizer: Tokenizer, read: Tokenizer) -> Kinds:
    """Return the kinds of texts that SentencePiece cannot encode as a tokenizer.json, or back."""
    own = [each.pipeline.model for each in (tokenizer, read) if isinstance(each.pipeline, Pipeline)]
    if all(model.in_tokenizer_json for model in own):
        return {}
    special = [token for token in tokenizer.special_tokens if token]
    return {
        "a text that begins with a space": lambda text: text.startswith((" ", SPACE)),
        "a text that is one symbol": lambda text: text.strip() in read.added_tokens,
        "a text with special tokens": lambda text: any(map(text.__contains__, special)),
    }
