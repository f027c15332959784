"""Kept counts belong to an unchanged file, are used only undamaged, and are bounded in size."""

from __future__ import annotations

import io
import os
from collections import Counter
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.counting import cache as counts_cache
from engine.counting.cache import KeptCount
from engine.counting.count import count_corpus
from engine.counting.counts_file import CorpusCount, CountsReader
from engine.text.corpus import Corpus, Reading

SPECIAL = ("<|endoftext|>",)


@pytest.fixture(autouse=True)
def _small_files_are_kept_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counts_cache, "WORTH_KEEPING", 1)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.txt"
    path.write_bytes(b"low low lower<|endoftext|>new \xff\n")
    return path


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def counted(path: Path) -> CorpusCount:
    return count_corpus(Corpus(path), "gpt2", SPECIAL)


def kept(
    cache: Path, path: Path, pattern: str = "gpt2", special: tuple[str, ...] = SPECIAL
) -> KeptCount:
    return KeptCount.of(cache, Corpus(path), pattern, special)


def test_a_kept_count_is_found_again_in_the_same_order(cache: Path, corpus: Path) -> None:
    count = counted(corpus)
    kept(cache, corpus).keep(count)
    found = kept(cache, corpus).find()
    assert found is not None
    assert list(found.counts.items()) == list(count.counts.items())
    assert found.documents == count.documents == 2


@given(
    counts=st.dictionaries(st.binary(min_size=1, max_size=12), st.integers(1, 2**40)),
    documents=st.integers(0, 99),
)
def test_any_counts_come_back_as_they_were(counts: dict[bytes, int], documents: int) -> None:
    count = CorpusCount(documents, Counter(counts))
    found = CountsReader("c", io.BytesIO(counts_cache._packed(count)))
    assert list(found.counts().items()) == list(counts.items())
    assert found.metadata.documents == documents


def test_another_pattern_and_other_specials_have_their_own_count(cache: Path, corpus: Path) -> None:
    kept(cache, corpus).keep(counted(corpus))
    assert kept(cache, corpus, pattern="cl100k").find() is None
    assert kept(cache, corpus, special=()).find() is None
    ways = (Reading(), Reading(field="x"), Reading((str(corpus),))), (b"<s>", b"\n")
    places = {
        KeptCount.of(cache, Corpus(corpus, reading, separator), "gpt2", ()).place
        for reading, separator in product(*ways)
    }
    assert len(places) == 6


@pytest.mark.parametrize("damage", ["cut", "flipped", "emptied", "longer"])
def test_a_damaged_count_is_removed_and_never_used(cache: Path, corpus: Path, damage: str) -> None:
    kept(cache, corpus).keep(counted(corpus))
    (file,) = cache.iterdir()
    data = file.read_bytes()
    flipped = data[:-3] + bytes((data[-3] ^ 1,)) + data[-2:]
    damaged = {"cut": data[:-1], "flipped": flipped, "emptied": b"", "longer": data + b"x"}
    file.write_bytes(damaged[damage])
    assert kept(cache, corpus).find() is None
    assert list(cache.iterdir()) == []


def test_the_least_recently_used_counts_are_removed(cache: Path, tmp_path: Path) -> None:
    places = []
    for number in range(4):
        path = tmp_path / f"{number}.txt"
        path.write_bytes(b"abcdefgh " * 3)
        room = len(counts_cache._packed(counted(path))) * 2
        place = KeptCount.of(cache, Corpus(path), "gpt2", SPECIAL, limit=room)
        place.keep(counted(path))
        for file in cache.iterdir():
            os.utime(file, (file.stat().st_atime, file.stat().st_mtime - 100))
        if places:
            places[0].find()  # the first is used all the time
        places.append(place)
    assert [place.find() is not None for place in places] == [True, False, False, True]
    for limit, is_kept in ((room // 2 - 1, False), (room // 2, True)):
        place = KeptCount.of(cache / str(limit), Corpus(path), "gpt2", SPECIAL, limit)
        place.keep(counted(path))
        assert (place.find() is not None) == is_kept


def test_a_cache_that_cannot_be_written_does_not_stop_the_work(
    tmp_path: Path, corpus: Path
) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("no directory")
    place = kept(in_the_way, corpus)
    place.keep(counted(corpus))
    assert place.find() is None


def test_standard_input_and_small_files_have_no_place(
    cache: Path, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = corpus.stat().st_size
    for worth, is_kept in ((size + 1, False), (size, True)):
        monkeypatch.setattr(counts_cache, "WORTH_KEEPING", worth)
        kept(cache, corpus).keep(counted(corpus))
        assert cache.exists() == is_kept
    assert KeptCount.of(cache, Corpus("-"), "gpt2", SPECIAL).find() is None


def test_a_file_with_its_times_set_back_is_not_the_same(cache: Path, corpus: Path) -> None:
    before, times = kept(cache, corpus), corpus.stat()
    before.keep(counted(corpus))
    corpus.write_bytes(b"now " + corpus.read_bytes()[4:])
    os.utime(corpus, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert kept(cache, corpus).find() is None
    assert before.find() is not None


def test_samples_from_all_over_a_file_identify_its_content(tmp_path: Path) -> None:
    """Sixteen of 4 KB, the first at the start and the last at the end."""
    path, size = tmp_path / "long", 1 << 20
    path.write_bytes(bytes(size))
    sampled = []
    for place in range(0, size, 4096):
        before = counts_cache._identity_of_file(path)[-1]
        with path.open("r+b") as file:
            file.seek(place)
            file.write(b"x")
        sampled += [place] * (counts_cache._identity_of_file(path)[-1] != before)
    starts = [(size - 4096) * number // 15 for number in range(16)]
    assert sampled == [-(-start // 4096) * 4096 for start in starts]


def test_drafts_of_killed_programs_do_not_stay(cache: Path, corpus: Path) -> None:
    draft = cache / ".x.counts.1.bpe-tui-draft"
    cache.mkdir()
    draft.touch()
    os.utime(draft, (1, 1))
    assert kept(cache, corpus).find() is None
    assert not draft.exists()


def test_kept_counts_are_for_their_owner_only(cache: Path, corpus: Path) -> None:
    cache.mkdir(0o755)
    kept(cache, corpus).keep(counted(corpus))
    (file,) = cache.iterdir()
    assert (file.stat().st_mode & 0o777, cache.stat().st_mode & 0o777) == (0o600, 0o700)


@pytest.mark.unix
def test_only_ordinary_files_are_read(cache: Path, corpus: Path, tmp_path: Path) -> None:
    place = kept(cache, corpus)
    place.keep(counted(corpus))
    (file,) = cache.iterdir()
    elsewhere = file.rename(tmp_path / "elsewhere")
    file.symlink_to(elsewhere)
    assert place.find() is None
    file.unlink(missing_ok=True)
    os.mkfifo(file)
    assert place.find() is None


def test_records_left_out_are_counted_each_time(cache: Path, tmp_path: Path) -> None:
    """The number of skipped records is reported, and only reading everything finds it."""
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "good"}\nbroken\n')
    corpus = Corpus(path, Reading(field="text", skip_bad=True))
    place = KeptCount.of(cache, corpus, "gpt2", SPECIAL)
    place.keep(count_corpus(corpus, "gpt2", SPECIAL))
    assert place.find() is None
