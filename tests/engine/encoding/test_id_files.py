"""Files of ids: NumPy reads them, and their ids are those of the tokenizer."""

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from file_checks import NO_SPACE, FullDisk
from generated import examples
from hypothesis import given
from hypothesis import strategies as st
from tiny_tokenizers import BYTES, END, handout

from engine import OutputError, OutputExistsError, SpecialTokenFoundError, Tokenizer
from engine.encoding.id_files import write_ids

STORIES = Path(__file__).parents[3] / "samples" / "tinystories_valid.txt"


@pytest.mark.parametrize("block", [1, 1000, 1 << 20])
def test_numpy_reads_the_ids_of_encode_iterable(tmp_path: Path, block: int) -> None:
    tokenizer = handout()
    data = STORIES.read_bytes()[:20_000] + "漢字 🙂\udc80".encode("utf-8", "surrogateescape")
    blocks = [data[at : at + block] for at in range(0, len(data), block)]
    expected = tokenizer.encode(data.decode("utf-8", "surrogateescape"))
    for ending in (".npy", ".bin", ".txt"):
        path = tmp_path / f"ids{ending}"
        written = write_ids(path, tokenizer, [blocks])
        assert (written.ids, written.bytes_read) == (len(expected), len(data))
    mapped = np.load(tmp_path / "ids.npy", mmap_mode="r")
    assert (mapped.dtype, mapped.tolist()) == (np.uint16, expected)
    assert np.fromfile(tmp_path / "ids.bin", "<u2").tolist() == expected
    assert [int(line) for line in (tmp_path / "ids.txt").read_text().splitlines()] == expected


@pytest.mark.parametrize(
    ("highest", "name"), [(65_535, "uint16"), (65_536, "uint32"), (2**32 - 1, "uint32")]
)
def test_an_id_takes_four_bytes_if_one_of_the_vocabulary_needs_them(
    tmp_path: Path, highest: int, name: str
) -> None:
    tokenizer = Tokenizer(BYTES, [], {END: highest})
    written = write_ids(tmp_path / "ids.npy", tokenizer, [[b"a", END.encode()]])
    ids = np.load(tmp_path / "ids.npy")
    assert (written.type_name, str(ids.dtype), ids.tolist()) == (name, name, [97, highest])


@pytest.mark.parametrize("workers", [1, 3])
def test_threads_write_the_ids_of_one_in_their_order(tmp_path: Path, workers: int) -> None:
    tokenizer = handout()
    data = STORIES.read_bytes() * 20  # several pieces of a megabyte
    blocks = [data[at : at + 50_000] for at in range(0, len(data), 50_000)]
    write_ids(tmp_path / "ids.npy", tokenizer, [blocks], workers=workers)
    expected = tokenizer.encode(data.decode())
    assert np.array_equal(np.load(tmp_path / "ids.npy"), expected)
    assert np.array_equal(tokenizer.encode_array(data.decode()), expected)


@pytest.mark.parametrize("pattern", ["gpt2", "cl100k", "whitespace", "none"])
@examples(200)
@given(text=st.text(st.sampled_from("low est\n\t<|end>é漢🙂1'"), max_size=60))
def test_pieces_of_a_few_bytes_have_the_ids_of_the_whole_text(pattern: str, text: str) -> None:
    merges = [(b"l", b"o"), (b"lo", b"w"), (b" ", b"low"), (b"\n", b"\n"), (b"e", b"s")]
    made = {256 + rank: left + right for rank, (left, right) in enumerate(merges)}
    vocab = {**BYTES, **made, 300: b"<|end|>"}
    tokenizer = Tokenizer(vocab, merges, ["<|end|>"], pattern=pattern)
    blocks = [text.encode()[at : at + 3] for at in range(0, len(text.encode()), 3)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("engine.encoding.tokenizer.THREAD_PIECE", 1)
        found = tokenizer.encode_stream_compactly(blocks, workers=2)
        assert [number for ids in found for number in ids] == tokenizer.encode(text)


def test_each_text_of_a_file_is_encoded_by_itself(tmp_path: Path) -> None:
    tokenizer = handout()
    write_ids(tmp_path / "ids.npy", tokenizer, [[b"lo"], [b"w", b"est"]])
    expected = [*tokenizer.encode("lo"), *tokenizer.encode("west")]
    assert np.load(tmp_path / "ids.npy").tolist() == expected != tokenizer.encode("lowest")
    write_ids(tmp_path / "ids.npy", handout(), [], overwrite=True)
    assert np.load(tmp_path / "ids.npy").shape == handout().encode_array("").shape == (0,)


@given(st.lists(st.text(), max_size=6), st.sampled_from([None, 2]))
def test_arrays_of_a_batch_have_the_ids_of_its_lists(texts: list[str], workers: int | None) -> None:
    tokenizer = handout()
    arrays = tokenizer.encode_batch_arrays(texts, workers)
    assert [each.tolist() for each in arrays] == tokenizer.encode_batch(texts)
    assert {str(each.dtype) for each in arrays} <= {"uint16"}


def test_a_file_is_replaced_only_when_asked_and_never_written_in_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "ids.npy"
    write_ids(path, handout(), [[b"old"]])
    before = path.read_bytes()
    with pytest.raises(OutputExistsError):
        write_ids(path, handout(), [[b"new"]])

    def broken() -> Iterator[bytes]:
        yield b"new"
        raise SpecialTokenFoundError("<s>", "<s>", 0)

    with pytest.raises(SpecialTokenFoundError):
        write_ids(path, handout(), [broken()], overwrite=True)
    monkeypatch.setattr(os, "fsync", FullDisk(1, NO_SPACE))
    with pytest.raises(OutputError, match="No space left"):
        write_ids(path, handout(), [[b"new"]], overwrite=True)
    assert [path.name for path in tmp_path.iterdir()] == ["ids.npy"]
    assert path.read_bytes() == before


def test_an_unknown_ending_is_an_error_that_names_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"ids\.json: .*\.npy, \.bin, \.txt"):
        write_ids(tmp_path / "ids.json", handout(), [[b"a"]])
