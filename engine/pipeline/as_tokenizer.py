"""Pipelines as tokenizers, so that everything that works with tokenizers works with pipelines.

A model that merges gives the tokenizer its merges. Any other model becomes the alphabet of a
tokenizer without merges.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby

from engine.core.arguments import checked
from engine.core.errors import VocabularyError
from engine.core.gpt2_bytes import spell
from engine.encoding.alphabet import Alphabet
from engine.encoding.rules import EncodingRules, HasRules
from engine.encoding.tokenizer import Tokenizer, check_text
from engine.native.encoding import Spelling
from engine.pipeline import pretokenizers
from engine.pipeline.models import MergingModel, Model, ModelToken, WordPiece
from engine.pipeline.pipeline import Pipeline
from engine.pipeline.sentencepiece import word_pattern
from engine.text.pretokenize import to_bytes, to_text
from engine.wordpiece.tokenizer import EncodedWord, Outcome


def tokenizer_of(pipeline: Pipeline) -> Tokenizer:
    """Return the tokenizer that encodes as a pipeline does, except for its post-processor."""
    model, splitter = pipeline.model, pipeline.splitter
    pattern = splitter.pattern
    if isinstance(model, MergingModel):
        vocab = model.tokens(splitter.in_bytes)
        alphabet, table = model.alphabet(splitter.in_bytes), model.table
        cuts_nothing = pattern.source == pretokenizers.NOTHING_CUT.source
        if cuts_nothing and model.spells_apart and not splitter.in_bytes:
            pattern = word_pattern(model.vocab) or pattern
    else:
        vocab = {token_id: text.encode() for text, token_id in model.vocab.items()}
        alphabet, table = ModelAlphabet(model, splitter.in_bytes), {}
    return Tokenizer(
        vocab, None, pipeline.added_ids, pattern, alphabet=alphabet, table=table, pipeline=pipeline
    )


class ModelAlphabet(Alphabet):
    """Spells a pretoken in the tokens of a model.

    Args:
        model: encodes pretokens.
        in_bytes: whether it gets GPT-2's printable characters for the bytes.

    >>> from engine.pipeline.models import WordPiece
    >>> alphabet = ModelAlphabet(WordPiece({"[UNK]": 0, "hug": 1, "##s": 2}), in_bytes=False)
    >>> alphabet.spell(b"hugs"), alphabet.edges(b"hugs")
    ([1, 2], [0, 3, 4])
    """

    def __init__(self, model: Model, in_bytes: bool) -> None:
        self.model = model
        self.in_bytes = in_bytes
        self.token_ids = list(model.vocab.values())
        if in_bytes:
            self.unit = "byte"

    @property
    def spelling(self) -> Spelling | None:
        return None if self.in_bytes else self.model.spelling

    @property
    def beginning(self) -> str:
        return "the model cuts each pretoken into tokens, without merges"

    def spell(self, pretoken: bytes) -> list[int]:
        return [token.token_id for token in self._tokens(pretoken)]

    def edges(self, pretoken: bytes) -> Sequence[int]:
        widths = (len(to_bytes(character)) for character in to_text(pretoken))
        place = range(len(pretoken) + 1) if self.in_bytes else [*accumulate(widths, initial=0)]
        edges = [0]
        for (first, last), run in groupby(self._tokens(pretoken), lambda token: token[2:]):
            start, end, tokens = place[first], place[last], len(list(run))
            # Tokens of the same text are its bytes.
            edges += range(start + 1, end + 1) if tokens == end - start else [end] * tokens
        return edges

    def longest_match(self, pretoken: bytes) -> EncodedWord | None:
        """Return a pretoken with the look-ups that find its pieces; `None` if it is no WordPiece.

        >>> from engine.pipeline.models import WordPiece
        >>> alphabet = ModelAlphabet(WordPiece({"[UNK]": 0, "hug": 1, "##s": 2}), in_bytes=False)
        >>> [(probe.piece, probe.found) for probe in alphabet.longest_match(b"hugs").probes]
        [('hugs', False), ('hug', True), ('##s', True)]
        """
        if not isinstance(self.model, WordPiece):
            return None
        return self.model.encoder.explain(self._text(pretoken))

    def _tokens(self, pretoken: bytes) -> list[ModelToken]:
        return self.model.tokenize(self._text(pretoken))

    def _text(self, pretoken: bytes) -> str:
        return spell(pretoken) if self.in_bytes else to_text(pretoken)


@checked
def longest_match(source: HasRules, text: str) -> Iterator[EncodedWord]:
    """Return the words of a text, each with WordPiece's look-ups of its pieces.

    The longest piece that begins a word is sought from the whole word down, then from its end the
    longest that goes on, and so on.

    Args:
        source: a tokenizer opened from BERT's `vocab.txt` or a `tokenizer.json` of WordPiece.
        text: any text.

    Raises:
        VocabularyError: its model is not WordPiece.

    >>> model = WordPiece({"[UNK]": 0, "un": 1, "##aff": 2, "##able": 3})
    >>> [word] = longest_match(tokenizer_of(Pipeline(model)), "unaffable")
    >>> word.ids, [probe.piece for probe in word.probes if probe.found], len(word.probes)
    ((1, 2, 3), ['un', '##aff', '##able'], 14)
    """
    return _longest_matches(source.rules, check_text(text))


def _longest_matches(rules: EncodingRules, text: str) -> Iterator[EncodedWord]:
    for pretoken in rules.pretokens(text):
        if rules.is_special(pretoken):
            yield EncodedWord(pretoken.text, rules.ids_of(pretoken), Outcome.SPECIAL)
            continue
        alphabet, found = rules.alphabet, None
        if isinstance(alphabet, ModelAlphabet):
            found = alphabet.longest_match(pretoken.bytes)
        if found is None:
            raise VocabularyError(
                "this tokenizer does not encode by longest match, which is WordPiece's way; open "
                "one with a WordPiece model"
            )
        yield found
