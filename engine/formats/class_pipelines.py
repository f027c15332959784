"""Pipelines that classes of tokenizers make of a folder's files: see `tokenizer_classes`."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from engine.core.errors import TokenizerFileError
from engine.core.json_fields import Fields
from engine.formats.folder_settings import FolderSettings
from engine.formats.own_pipelines import pre_tokenizer_of
from engine.formats.rank_files import WHISPERS_LANGUAGES
from engine.formats.tokenizer_classes import (
    CLASSES,
    EXTRA_IDS,
    UNKNOWNS,
    ByteClass,
    NormalizesWhen,
    PieceClass,
    TokenizerClass,
)
from engine.pipeline import decoders, models, normalizers, pretokenizers
from engine.pipeline.oniguruma import TextOrRegex
from engine.pipeline.pipeline import Pipeline
from engine.pipeline.post_processors import PostProcessor, template_of
from engine.pipeline.sentencepiece import CONTROL, USER_DEFINED, ScoredPiece
from engine.pipeline.stage import opened
from engine.text.patterns import PATTERNS

MOST_EXTRA = 10_000
"""Largest number of extra tokens that a configuration may ask for."""


def with_defaults_of(
    cls: TokenizerClass | None, settings: FolderSettings, extra: Iterable[str] = ()
) -> FolderSettings:
    """Return the settings with the special tokens of a class, if it is known, and `extra` ones."""
    if cls is None:
        return settings
    return settings.with_defaults(cls.roles, extra, {"mask_token": cls.mask})


def completed(
    cls: TokenizerClass, settings: FolderSettings, pipeline: Pipeline, extra: Iterable[str] = ()
) -> Pipeline:
    """Return a pipeline with the special tokens and the template of a class and its folder."""
    settings = with_defaults_of(cls, settings, extra)
    pipeline = settings.applied_to(pipeline)
    ids = {**pipeline.model.vocab, **pipeline.added_ids}
    return replace(pipeline, post_processor=_template(cls, settings, ids))


def with_stages(cls: ByteClass, settings: FolderSettings, pipeline: Pipeline) -> Pipeline:
    """Return a pipeline of bytes that normalizes and cuts as a class does."""
    cut = pre_tokenizer_of(PATTERNS[cls.pattern], in_bytes=True)
    assert cut is not None  # it spells bytes
    given = settings.add_prefix_space
    begins = cls.add_prefix_space if given is None else given
    steps = list(opened(cut))
    if cls.digits_apart:
        steps = [pretokenizers.Digits(individual_digits=True), *steps]
    steps = [
        replace(step, add_prefix_space=begins)
        if isinstance(step, pretokenizers.ByteLevel)
        else step
        for step in steps
    ]
    cut = pretokenizers.Sequence(steps) if len(steps) > 1 else steps[0]
    return replace(pipeline, normalizer=_normalizer(cls, settings.config, b""), pre_tokenizer=cut)


def of_words(settings: FolderSettings) -> normalizers.Normalizer:
    """Return BERT's normalizer with the options in a folder."""
    given = settings.config.flag_or_null
    return normalizers.BertNormalizer(
        handle_chinese_chars=given("tokenize_chinese_chars") is not False,
        strip_accents=given("strip_accents"),
        lowercase=given("do_lower_case") is not False,
    )


def of_pieces(
    cls: PieceClass, settings: FolderSettings, pieces: Sequence[ScoredPiece], charsmap: bytes
) -> Pipeline:
    """Return the pipeline that a class makes of a SentencePiece model.

    Raises:
        TokenizerFileError: the pieces are not those of such a model.
    """
    roles = {**cls.roles, **settings.roles}
    own = _counted(cls, settings.config)
    first, last = ([roles.get(each, each) or "" for each in some] for some in (own.first, own.last))
    worst = {"<unk>NOTUSED", *UNKNOWNS}
    rows = [(text, -100.0 if text in worst else 0.0) for text in first]
    rows += [(piece.text, piece.score) for piece in pieces[own.left_out :]]
    rows += [(text, 0.0) for text in last]
    unknown = own.unknown
    if unknown is None:
        unknown = next((at for at, row in enumerate(rows) if row[0] == roles["unk_token"]), None)
    model: models.Model
    if own.merges:
        vocab = {text: at for at, text in enumerate(dict.fromkeys(text for text, _ in rows))}
        unk = None if own.has_bytes else roles["unk_token"]
        merges = list(_merges([piece.text for piece in pieces], vocab))
        model = models.BPE(vocab, merges, unk_token=unk, fuse_unk=True, byte_fallback=own.has_bytes)
    elif unknown is None:
        raise TokenizerFileError(f"has no piece {roles['unk_token']!r}, which its class needs")
    else:
        model = models.Unigram(rows, unknown)
    scheme = _scheme(own, settings)
    cut = [
        replace(each, prepend_scheme=scheme) if isinstance(each, pretokenizers.Metaspace) else each
        for each in own.cut
    ]
    pipeline = Pipeline(
        model,
        normalizer=_normalizer(own, settings.config, charsmap),
        pre_tokenizer=pretokenizers.Sequence(cut),
        decoder=_decoder(own, scheme),
    )
    silent = [piece.text for piece in pieces if piece.kind in (CONTROL, USER_DEFINED)]
    return completed(own, settings, pipeline, [*silent, *own.extra])


def _counted(cls: PieceClass, config: Fields) -> PieceClass:
    """Return T5's class with the number of extra tokens that the configuration gives."""
    if cls.last != EXTRA_IDS or not config.has("extra_ids"):
        return cls
    tokens = tuple(f"<extra_id_{n}>" for n in range(min(config.count("extra_ids"), MOST_EXTRA)))
    return replace(cls, last=tokens[::-1], extra=tokens)


def _merges(texts: Sequence[str], vocab: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """Yield all pairs of pieces that join to a piece, in the order of what they make."""
    known = set(texts)
    for text in texts:
        for cut in range(1, len(text)):
            left, right = text[:cut], text[cut:]
            if left in known and right in known and left in vocab and right in vocab:
                yield left, right


def _scheme(cls: PieceClass, settings: FolderSettings) -> str:
    if not cls.is_marked:
        return "never"
    if cls.without_prefix and settings.add_prefix_space is False:
        return cls.without_prefix
    legacy = settings.config.flag_or_null("legacy")
    return "first" if cls.marks_first and not legacy else "always"


def _decoder(cls: PieceClass, scheme: str) -> decoders.Decoder:
    if not cls.has_bytes:
        return decoders.Metaspace(prepend_scheme=scheme)
    steps = [decoders.Replace(TextOrRegex(text="▁"), " "), decoders.ByteFallback(), decoders.Fuse()]
    strip = [decoders.Strip(" ", 1, 0)] if scheme != "never" else []
    return decoders.Sequence([*steps, *strip])


def _normalizer(
    cls: TokenizerClass, config: Fields, charsmap: bytes
) -> normalizers.Normalizer | None:
    steps: list[normalizers.Normalizer] = []
    for step in cls.normalizer:
        if isinstance(step, NormalizesWhen):
            given = config.flag_or_null(step.key)
            if (step.default if given is None else given) == step.value:
                steps += step.stages
        elif isinstance(step, str):
            if charsmap:
                steps.append(normalizers.Precompiled(base64.b64encode(charsmap).decode()))
        else:
            steps.append(step)
    return normalizers.Sequence(steps) if steps else None


def _template(
    cls: TokenizerClass, settings: FolderSettings, ids: Mapping[str, int]
) -> PostProcessor | None:
    """Return the template of a class, or the one that its folder asks for, if its tokens exist.

    transformers 5 asks the folder only where a class has no template; and for ALBERT's, which is
    set too early.
    """
    single, pair = cls.template or ("$A", "$A $B:1")
    asked = {role: settings.config.flag_or_null(f"add_{role}_token") for role in ("bos", "eos")}
    is_open = cls.template is None or cls is CLASSES["AlbertTokenizer"]
    if is_open and set(asked.values()) != {None}:
        before = "bos " if asked["bos"] and settings.roles.get("bos_token") else ""
        after = " eos" if asked["eos"] and settings.roles.get("eos_token") else ""
        single = f"{before}$A{after}"
        pair = f"{single} {before.replace(' ', ':1 ')}$B:1{after and ' eos:1'}"
    language = str(settings.config.value.get("src_lang") or cls.language)
    language = f"__{language}__" if f"__{language}__" in ids else language
    tokens = {role.removesuffix("_token"): token for role, token in settings.roles.items()}
    tokens |= {"language": language, **_whispers(settings.config)}
    filled = [_filled(each, tokens) for each in (single, pair)]
    needed = {part.split(":")[0] for part in chain(*(each.split() for each in filled))}
    if needed == {"$A", "$B"} or needed - {"$A", "$B"} - ids.keys():
        return None
    return template_of(filled[0], filled[1], ids)


def _filled(template: str, tokens: Mapping[str, str | None]) -> str:
    parts = (part.partition(":") for part in template.split())
    named = ((tokens.get(name, name), name, mark + kind) for name, mark, kind in parts)
    return " ".join(f"{token or name}{kind}" for token, name, kind in named if token != "")


def _whispers(config: Fields) -> dict[str, str]:
    """Return the tokens of a template of Whisper's; empty for those that it does without."""
    named = str(config.value.get("language") or "").lower()
    code = WHISPERS_LANGUAGES.get(named, named)
    task = str(config.value.get("task") or "")
    if code and code not in WHISPERS_LANGUAGES.values():
        raise config.error("language", f"Whisper knows no language {named[:60]!r}")
    times = "" if config.flag_or_null("predict_timestamps") else "<|notimestamps|>"
    return {
        "spoken": f"<|{code}|>" if code else "",
        "task": f"<|{task}|>" if task else "",
        "times": times,
    }
