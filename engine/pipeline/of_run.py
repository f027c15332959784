"""The pipelines of our own runs: what cuts and joins texts there, as stages.

A BPE run is (none, pattern, BPE, ByteLevel, ByteLevel). WordPiece has BERT's stages, but for the
normalizer, since training lowers no case: what it knows is what the corpus has. Unigram has the
pattern, and `▁` for spaces. Each encodes a text into the ids that the run's own tokenizer gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.bpe.frame import Frame
from engine.pipeline.added_tokens import AddedToken
from engine.pipeline.decoders.words import Metaspace as MetaspaceDecoder
from engine.pipeline.decoders.words import WordPiece as WordPieceDecoder
from engine.pipeline.models.unigram import Unigram
from engine.pipeline.models.wordpiece import WordPiece
from engine.pipeline.of_tokenizer import pipeline_of, pre_tokenizer_of
from engine.pipeline.pipeline import Pipeline
from engine.pipeline.post_processors.post_processor import PostProcessor
from engine.pipeline.post_processors.template import template_of
from engine.pipeline.pretokenizers.kinds_of_characters import BertPreTokenizer, WhitespaceSplit
from engine.pipeline.pretokenizers.metaspace import Metaspace
from engine.pipeline.pretokenizers.pretokenizer import PreTokenizer
from engine.pipeline.pretokenizers.sequence import Sequence as PreTokenizers
from engine.text.patterns import PATTERNS, Pattern, as_pattern
from engine.text.pretokenize import to_text
from engine.unigram.frame import UnigramFrame
from engine.wordpiece.frame import WordPieceFrame
from engine.wordpiece.tokenizer import WordPieceTokenizer

AnyFrame = Frame | WordPieceFrame | UnigramFrame
BERT = "[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1"
"""What BERT puts around a text and around two."""


def pipeline_at(frame: AnyFrame) -> Pipeline:
    """The pipeline of what a run has learnt up to a step.

    Raises:
        TokenizerFileError: the run's pattern is one of its own, which no stage can say.
    """
    if isinstance(frame, WordPieceFrame):
        return wordpiece_pipeline(frame.tokenizer)
    if isinstance(frame, UnigramFrame):
        return unigram_pipeline(frame.vocabulary, frame.record.special_tokens, frame.pattern)
    return pipeline_of(frame.tokenizer(), Path(f"step {frame.step}"))


def wordpiece_pipeline(tokenizer: WordPieceTokenizer) -> Pipeline:
    """The stages that encode as a WordPiece tokenizer does.

    >>> vocab = dict(enumerate([b"[UNK]", b"[CLS]", b"[SEP]", b"hug", b"##s"]))
    >>> pipeline = wordpiece_pipeline(WordPieceTokenizer(vocab, ["[UNK]", "[CLS]", "[SEP]"]))
    >>> [token.text for token in pipeline.run("hugs").tokens]
    ['[CLS]', 'hug', '##s', '[SEP]']
    """
    ids = {to_text(piece): token_id for token_id, piece in tokenizer.vocab.items()}
    cut: PreTokenizer | None = BertPreTokenizer()
    if tokenizer.pattern != PATTERNS["bert"]:
        by_pattern = pre_tokenizer_of(tokenizer.pattern, in_bytes=False)
        cut = PreTokenizers([*filter(None, [by_pattern]), WhitespaceSplit()])
    has_frame = {"[CLS]", "[SEP]"} <= set(tokenizer.special_tokens)
    around: PostProcessor | None = template_of(*BERT, ids) if has_frame else None
    return Pipeline(
        WordPiece(ids, to_text(tokenizer.vocab[tokenizer.unknown_id])),
        tuple(map(AddedToken, tokenizer.special_tokens)),
        pre_tokenizer=cut,
        post_processor=around,
        decoder=WordPieceDecoder(cleanup=False),
    )


def unigram_pipeline(
    pieces: Sequence[tuple[str, float]],
    special_tokens: Sequence[str],
    pattern: str | Pattern = "gpt2",
) -> Pipeline:
    """The stages that encode with the pieces of a Unigram model; the first is the unknown token.

    A piece that holds a byte which is no UTF-8 is left out: stages see text.

    >>> pieces = [("<unk>", 0.0), ("hug", -1.0), ("▁hug", -1.0), ("s", -2.0)]
    >>> [token.text for token in unigram_pipeline(pieces, []).run("hugs hug").tokens]
    ['hug', 's', '▁hug']
    """
    metaspace = Metaspace(prepend_scheme="never", split=False)
    cut = pre_tokenizer_of(as_pattern(pattern), in_bytes=False)
    return Pipeline(
        Unigram([piece for piece in pieces if is_text(piece[0])], 0),
        tuple(map(AddedToken, special_tokens)),
        pre_tokenizer=PreTokenizers([*filter(None, [cut]), metaspace]),
        decoder=MetaspaceDecoder(metaspace),
    )


def is_text(piece: str) -> bool:
    """Whether a piece is free of stray bytes."""
    try:
        piece.encode()
    except UnicodeEncodeError:
        return False
    return True
