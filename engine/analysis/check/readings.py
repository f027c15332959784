"""The corpus as a trainer may have read it: mistakes before the text is cut into pretokens.

A `DocumentReader` makes the documents that such a trainer reads. `reading` and `reading_variants`
make a cause of one or several; functions that take a case give the trainers of a cause themselves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, pairwise, zip_longest
from operator import itemgetter
from typing import Literal
from unicodedata import normalize

import regex

from engine.analysis.check.claim import Assignment
from engine.analysis.check.mistaken_trainer import (
    Cause,
    Deviation,
    DivergenceCase,
    DocumentReader,
    Documents,
    Procedure,
)
from engine.core.wording import Sentence, say
from engine.text.pretokenize import SpecialSplitter, to_bytes, to_text


def reading(name: str, sentence: str, read: DocumentReader) -> Cause:
    """Return a mistake in reading the corpus."""
    return reading_variants(name, sentence, {"": read})


def reading_variants(name: str, sentence: str, variants: Mapping[str, DocumentReader]) -> Cause:
    """Return a mistake in reading the corpus, in several variants."""

    def deviations(case: DivergenceCase) -> Iterator[Deviation]:
        here = case.assignment
        tried: list[Documents] = [here.documents]
        for variant, read in variants.items():
            documents = read(here, here.documents)
            if documents not in tried:
                tried.append(documents)
                change = partial(Procedure.reading, read=read)
                yield Deviation(variant_of(sentence, variant), change, variant)

    return Cause(name, sentence, deviations, cost=1)


def variant_of(sentence: str, variant: str | Sentence) -> Sentence:
    """Return the sentence of a mistake with its variant, if that has a name."""
    named = say(variant) if isinstance(variant, str) else variant
    template = "{sentence}; here: {variant}" if variant else "{sentence}"
    return say(template, sentence=say(sentence), variant=named)


def each(change: Callable[[bytes], bytes]) -> DocumentReader:
    """Return a reading that changes each document by itself."""
    return lambda here, documents: [change(document) for document in documents]


def _each_beyond_ascii(change: Callable[[bytes], bytes]) -> DocumentReader:
    """Return a reading that changes each document that has more than ASCII."""
    return each(lambda document: document if document.isascii() else change(document))


def in_pieces(cut: Callable[[bytes], Sequence[bytes]]) -> DocumentReader:
    """Return a reading that cuts each document into pieces and reads each piece by itself."""
    return lambda here, documents: [piece for document in documents for piece in cut(document)]


def of_file(change: Callable[[bytes], bytes]) -> DocumentReader:
    """Return a reading that changes the whole file before special tokens are cut out."""
    return lambda here, _: SpecialSplitter(here.special_tokens).documents(change(here.text))


def without_first_line(here: Assignment, documents: Documents) -> Documents:
    """Return the documents without the first line; it may hold special tokens."""
    for place, document in enumerate(documents):
        _, newline, rest = document.partition(b"\n")
        if newline:
            return [rest, *documents[place + 1 :]]
    return documents[1:]  # they are lines without their ends


def without_last_line(here: Assignment, documents: Documents) -> Documents:
    """Return the documents without the last line; a newline at the very end belongs to it."""
    documents = [*documents[:-1], documents[-1].removesuffix(b"\n")]
    for place in reversed(range(len(documents))):
        before, newline, _ = documents[place].rpartition(b"\n")
        if newline:
            return [*documents[:place], before + newline]
    return documents[:-1]


def joined_by_spaces(document: bytes) -> bytes:
    """Return the words of a document with one space between two."""
    return to_bytes(" ".join(to_text(document).split()))


def all_joined_by_spaces(here: Assignment, documents: Documents) -> Documents:
    """Return the documents of a text in which one space is between two words or special tokens."""
    joined = [*map(_with_single_spaces, documents)]
    joined[0] = joined[0].removeprefix(b" ")
    joined[-1] = joined[-1].removesuffix(b" ")
    return joined


def _with_single_spaces(document: bytes) -> bytes:
    text = to_text(document)
    words = " ".join(text.split())
    if not words:
        return b" " if text else b""
    return to_bytes(" " * text[0].isspace() + words + " " * text[-1].isspace())


def normalized(form: Literal["NFC", "NFD", "NFKC", "NFKD"]) -> DocumentReader:
    """Return a reading that normalizes each document to one of Unicode's forms."""
    return _each_beyond_ascii(lambda document: to_bytes(normalize(form, to_text(document))))


def stripped_lines(document: bytes) -> list[bytes]:
    """Return the lines of a document without the whitespace at their edges."""
    return [to_bytes(line.strip()) for line in to_text(document).split("\n")]


def unescaped(here: Assignment, documents: Documents) -> Documents:
    """Split like `re.split("|".join(special_tokens), text)`: `<|e|>` cuts at `<`, `e` and `>`."""
    source = "|".join(here.special_tokens)
    try:
        pieces = regex.split(source, to_text(here.text), timeout=SECONDS_TO_SPLIT)
    except (regex.error, ValueError, TimeoutError):
        return documents
    return [to_bytes(piece) for piece in pieces if piece]


SECONDS_TO_SPLIT = 5.0


CAPTURED = "special tokens are kept by a capturing group of re.split, and counted like a document"


def captured(case: DivergenceCase) -> Iterator[Deviation]:
    """Count special tokens as `re.split("(<s>)", text)` returns them, among the documents."""
    tokens = SpecialSplitter(case.assignment.special_tokens).bytes_regex

    def split(here: Assignment, documents: Documents) -> Documents:
        pieces = zip_longest(documents, tokens.findall(here.text), fillvalue=b"")
        return list(chain.from_iterable(pieces))

    def whole(here: Assignment, counts: Mapping[bytes, int]) -> Mapping[bytes, int]:
        return Counter(tokens.findall(here.text)) + Counter(counts)

    if case.assignment.special_tokens:
        for variant, change in (
            ("special tokens cut by the pattern", partial(Procedure.reading, read=split)),
            ("each special token as one pretoken", partial(Procedure.recounting, recount=whole)),
        ):
            yield Deviation(variant_of(CAPTURED, variant), change, variant)


def decoded_with(errors: str) -> dict[str, DocumentReader]:
    """Return readings that decode the corpus with `errors`, before or after it is cut.

    A special token with a stray byte inside is one only if that byte is ignored first.
    """

    def decode(data: bytes) -> bytes:
        return data.decode("utf-8", errors).encode()

    return {
        "each document by itself": each(decode),
        "the whole file, before special tokens are cut out": of_file(decode),
    }


# Encodings: a text may be decoded or encoded by another one than UTF-8.

DECODED = "the file is decoded as latin-1 or cp1252, not as UTF-8"
ENCODED = "pretokens are encoded as latin-1, not as UTF-8: other characters are lost"
ONLY_ASCII = "characters that are not ASCII are lost"


def decoded(case: DivergenceCase) -> Iterator[Deviation]:
    """Decode by one byte a character; encode as UTF-8, or each pretoken as it was."""
    if case.assignment.text.isascii():
        return
    for encoding in ("latin-1", "cp1252"):
        variant = say("{encoding}, where é is Ã©", encoding=encoding)
        read = _each_beyond_ascii(partial(_misread, encoding=encoding))
        change = partial(Procedure.reading, read=read)
        yield Deviation(variant_of(DECODED, variant), change, str(variant))
    again = "latin-1, and pretokens encoded as latin-1 again, so that only borders differ"
    yield Deviation(variant_of(DECODED, again), _cut_as_latin_1, again)


def _misread(document: bytes, encoding: str) -> bytes:
    return document.decode(encoding, "ignore").encode()


def _cut_as_latin_1(procedure: Procedure) -> Procedure:
    read = _each_beyond_ascii(partial(_misread, encoding="latin-1"))
    again = partial(_respelled, encoding="latin-1", errors="replace")
    return procedure.reading(read).recounting(again)


def encoded(case: DivergenceCase) -> Iterator[Deviation]:
    """Encode each pretoken as latin-1."""
    yield from _encoded_by("latin-1", ENCODED, case)


def only_ascii(case: DivergenceCase) -> Iterator[Deviation]:
    """Decode the corpus as ASCII, or encode each pretoken as ASCII."""
    if case.assignment.text.isascii():
        return
    for errors in ("ignore", "replace"):
        variant = f"decode('ascii', {errors!r})"
        read = _each_beyond_ascii(partial(_as_ascii, errors=errors))
        change = partial(Procedure.reading, read=read)
        yield Deviation(variant_of(ONLY_ASCII, variant), change, variant)
    yield from _encoded_by("ascii", ONLY_ASCII, case)


def _as_ascii(document: bytes, errors: str) -> bytes:
    return document.decode("ascii", errors).encode()


def _encoded_by(encoding: str, sentence: str, case: DivergenceCase) -> Iterator[Deviation]:
    if not case.assignment.text.isascii():
        for errors in ("ignore", "replace"):
            call = f"encode({encoding!r}, {errors!r})"
            variant = say("{call} of each pretoken", call=call)
            recount = partial(_respelled, encoding=encoding, errors=errors)
            change = partial(Procedure.recounting, recount=recount)
            yield Deviation(variant_of(sentence, variant), change, str(variant))


def _respelled(
    here: Assignment, counts: Mapping[bytes, int], encoding: str, errors: str
) -> Mapping[bytes, int]:
    """Encode each pretoken by another encoding; add up those that are equal then."""
    respelled: Counter[bytes] = Counter()
    for pretoken, count in counts.items():
        respelled[to_text(pretoken).encode(encoding, errors)] += count
    del respelled[b""]  # all of its characters are lost
    return respelled


# Chunks: trainers cut a corpus into one for each process, or read a number of bytes at a time.

NUMBERS_OF_CHUNKS = (2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 32, 64, 100)
SIZES_OF_CHUNKS = (1 << 10, 1 << 12, 1 << 13, 1 << 16, 1 << 20, 1 << 22, 1 << 24, 10**6, 10**7)

CHUNKED = "the corpus is cut in chunks anywhere, also inside pretokens and special tokens"


def chunk_borders(case: DivergenceCase) -> Iterator[Deviation]:
    """Cut the corpus in a number of chunks, or in chunks of a size."""
    text = case.assignment.text
    for number in NUMBERS_OF_CHUNKS:
        if number <= len(text):
            yield _chunked(say("{n} chunks", n=str(number)), len(text) // number, number)
    for size in SIZES_OF_CHUNKS:
        if size < len(text):
            yield _chunked(say("chunks of {n} bytes", n=f"{size:,}"), size, -(-len(text) // size))


def _chunked(variant: Sentence, size: int, number: int) -> Deviation:
    def read(here: Assignment, documents: Documents) -> Documents:
        places = [*(size * place for place in range(number)), len(here.text)]
        chunks = (here.text[start:end] for start, end in pairwise(places))
        # A character that is cut in two is lost: chunks are decoded with errors="ignore".
        whole = (chunk.decode("utf-8", "ignore").encode() for chunk in chunks)
        cut = SpecialSplitter(here.special_tokens).documents
        return [document for chunk in whole for document in cut(chunk)]

    sentence = say("{sentence}: here in {variant}", sentence=say(CHUNKED), variant=variant)
    return Deviation(sentence, lambda procedure: procedure.reading(read), str(variant))


LAST_LOST = "the last chunk of the corpus is never counted"


def last_chunk_lost(case: DivergenceCase) -> Iterator[Deviation]:
    """Read all but the last of a number of chunks."""
    here = case.assignment
    marks = [to_bytes(token) for token in here.special_tokens] or [b"\n", b""]
    ends: dict[int, int] = {}
    for number in NUMBERS_OF_CHUNKS:
        guess = len(here.text) // number * (number - 1)
        for mark in (*marks, b""):  # a chunk ends where the next document begins, or anywhere
            ends.setdefault(here.text.find(mark, guess), number)
    for end, number in ends.items():
        if end > 0:
            variant = say("{n} chunks", n=str(number))
            sentence = say(
                "{sentence}: here of {variant}", sentence=say(LAST_LOST), variant=variant
            )
            read = of_file(itemgetter(slice(end)))
            yield Deviation(sentence, partial(Procedure.reading, read=read), str(variant))
