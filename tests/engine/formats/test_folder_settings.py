"""Settings of folders, also of random ones."""

import json
import shutil
from pathlib import Path
from random import Random
from typing import Any

import pytest
from generated import examples
from hypothesis import given
from hypothesis import strategies as st
from test_published_folders import OTHER_FILES
from tiny_tokenizers import GOLDEN, handout

from engine import BpeError, Tokenizer, TokenizerFileError
from engine.formats import open_tokenizer
from engine.formats.folder_settings import ADDED, CONFIG, GENERATION, SPECIAL, read_folder_settings

SIZE = len(handout().vocab)
MASK = {"content": "<mask>", "lstrip": True, "rstrip": False, "single_word": False}
FILES: dict[str, Any] = {
    ADDED: {"tool": SIZE, "<mask>": SIZE + 1},
    SPECIAL: {"eos_token": {"content": "<|endoftext|>"}, "additional_special_tokens": ["<a>"]},
    CONFIG: {
        "add_prefix_space": True,
        "chat_token": {"x": 1},
        "mask_token": MASK | {"normalized": False},
    },
}


def directory(path: Path, **contents: Any) -> Path:
    """Write the handout's vocabulary and merges, and these files beside them."""
    for name in ("vocab.json", "merges.txt"):
        shutil.copy(GOLDEN / "gpt2" / name, path)
    for name, content in contents.items():
        (path / name).write_text(json.dumps(content))
    return path


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Tokenizer:
    return open_tokenizer(directory(tmp_path_factory.mktemp("beside"), **FILES)).tokenizer


def test_ids_equal_those_of_tokenizers_with_the_added_tokens(opened: Tokenizer) -> None:
    library = pytest.importorskip("tokenizers")
    vocab = json.loads((GOLDEN / "gpt2" / "vocab.json").read_text())
    merges = [
        tuple(line.split(" "))
        for line in (GOLDEN / "gpt2" / "merges.txt").read_text().splitlines()[1:]
    ]
    ids = {"tool": SIZE, "<mask>": SIZE + 1, "<a>": SIZE + 2}
    theirs = library.Tokenizer(library.models.BPE(vocab | ids, merges))
    theirs.pre_tokenizer = library.pre_tokenizers.ByteLevel(add_prefix_space=True)
    theirs.decoder = library.decoders.ByteLevel()
    theirs.add_tokens([library.AddedToken("tool", normalized=True)])
    theirs.add_special_tokens(
        ["<|endoftext|>", "<a>", library.AddedToken("<mask>", lstrip=True, normalized=False)]
    )
    pieces = st.sampled_from(
        ["low", " ", "tool", "<mask>", "<a>", "est", "<|endoftext|>", "漢", "\n"]
    )

    @examples(200)
    @given(text=st.lists(pieces, max_size=8).map("".join))
    def any_text(text: str) -> None:
        expected = theirs.encode(text).ids
        assert opened.encode(text) == expected
        assert opened.decode(expected) == theirs.decode(expected, skip_special_tokens=False)

    any_text()


def test_settings_beside_a_tokenizer_json_are_used_if_the_directory_is_opened(
    tmp_path: Path,
) -> None:
    shutil.copy(GOLDEN / "tokenizer.json", tmp_path)
    alone = open_tokenizer(tmp_path)
    for name, content in FILES.items():
        (tmp_path / name).write_text(json.dumps(content))
    beside = open_tokenizer(tmp_path)
    assert open_tokenizer(tmp_path / "tokenizer.json").notes == alone.notes
    assert any(CONFIG in note for note in beside.notes)
    low, in_front = alone.tokenizer.encode("low"), alone.tokenizer.encode(" low")
    token = beside.tokenizer.encode("<a>")
    assert beside.tokenizer.encode("low<a>low") == in_front + token + in_front
    assert low != in_front


def test_a_list_of_added_tokens_in_the_configuration_is_the_only_one(tmp_path: Path) -> None:
    decoder = {str(SIZE): MASK | {"special": True}}
    files = FILES | {CONFIG: {"added_tokens_decoder": decoder, "pad_token": "<mask>"}}
    found = open_tokenizer(directory(tmp_path, **files))
    # transformers 5.24 gives these ids.
    assert found.tokenizer.encode("low  <mask>") == [*found.tokenizer.encode("low"), SIZE]
    assert found.tokenizer.decode([SIZE]) == "<mask>"
    assert len(found.tokenizer.vocab) == SIZE + 1
    assert any("of other files are left out, as in transformers 5: " in n for n in found.notes)


def test_all_settings_of_a_folder_are_read(tmp_path: Path) -> None:
    mask = {"content": "<mask>", "lstrip": True, "special": True}
    files: dict[str, Any] = {
        ADDED: {"<a>": 9, "<b>": 7, "<mask>": 8},
        SPECIAL: {"eos_token": "<e>", "pad_token": None, "additional_special_tokens": ["<c>"]},
        CONFIG: {
            "tokenizer_class": "LlamaTokenizerFast",
            "mask_token": mask | {"normalized": False},
            "chat_token": 5,
            "add_prefix_space": False,
            "never_split": ["x"],
        },
        "generation_config.json": {
            "eos_token_id": [7, 99],
            "pad_token_id": 9,
            "top_k": 5,
            "bos_token_id": None,
        },
        "config.json": {"model_type": "llama", "tokenizer_class": "Other"},
    }
    for name, content in files.items():
        (tmp_path / name).write_text(json.dumps(content))
    found = read_folder_settings(tmp_path)
    assert found is not None
    special = {"special": True}
    assert list(found.flags.items()) == [
        ("<b>", {"normalized": True}),
        ("<mask>", {"lstrip": True, "special": True, "normalized": False}),
        ("<a>", {"normalized": True}),
        ("<e>", special),
        ("<c>", special),
    ]
    assert found.files == (ADDED, SPECIAL, CONFIG)
    assert found.ids == {"<mask>": 8, "<a>": 9, "<b>": 7}
    assert found.roles == {"pad_token": None, "eos_token": "<e>", "mask_token": "<mask>"}
    assert (found.class_name, found.model_type) == ("Llama" + "Tokenizer", "llama")
    assert found.ends == {"eos_token": (7, 99), "pad_token": (9,)}
    assert found.add_prefix_space is False
    assert found.notes([7, 9]) == [
        f"the added tokens in {ADDED}, {SPECIAL}, {CONFIG} are used too",
        f"{CONFIG} has never_split: its words that are never split are left out",
        "generation_config.json gives eos_token as 7, 99 (no token has it); encoding adds none",
        "generation_config.json gives pad_token as 9; encoding adds none",
    ]
    ids = {"<b>": 7, "<mask>": 8, "<a>": 9, "<e>": 10, "<c>": 2}
    assert found.token_ids({"x": 0, "<c>": 2}) == ids
    more = found.with_defaults({"bos_token": "<s>", "mask_token": "?"}, ["<d>"], {})
    assert [*more.flags] == ["<b>", "<mask>", "<a>", "<s>", "<e>", "<c>", "<d>"]
    assert [more.flags[token] for token in ("<s>", "<d>")] == [special] * 2
    assert more.roles == {"bos_token": "<s>", **found.roles}
    assert read_folder_settings(None) is read_folder_settings(tmp_path / "none") is None
    (tmp_path / CONFIG).unlink()
    assert read_folder_settings(tmp_path).class_name == "Other"  # type: ignore[union-attr]
    (tmp_path / "config.json").write_text("{}")
    found = read_folder_settings(tmp_path)
    assert found is not None
    assert (found.class_name, found.model_type) == ("", "")


def test_the_highest_id_is_that_of_32_bits(tmp_path: Path) -> None:
    highest = (1 << 32) - 1
    settings = ({ADDED: {"<x>": highest}}, {CONFIG: {"added_tokens_decoder": {highest: MASK}}})
    for files, token in zip(settings, ("<x>", "<mask>"), strict=True):
        (tmp_path / CONFIG).unlink(missing_ok=True)
        assert read_folder_settings(directory(tmp_path, **files)).ids == {token: highest}  # type: ignore[union-attr]
        (tmp_path / ADDED).unlink(missing_ok=True)


def test_a_token_given_only_by_name_keeps_its_options(tmp_path: Path) -> None:
    content = json.loads((GOLDEN / "tokenizer.json").read_text())
    content["added_tokens"][0]["lstrip"] = True
    (tmp_path / "tokenizer.json").write_text(json.dumps(content))
    token = content["added_tokens"][0]["content"]
    (tmp_path / SPECIAL).write_text(json.dumps({"eos_token": token}))
    assert len(open_tokenizer(tmp_path).tokenizer.encode(f"  {token}")) == 1


def test_files_with_openais_names_are_read(tmp_path: Path) -> None:
    shutil.copy(GOLDEN / "gpt2" / "vocab.json", tmp_path / "encoder.json")
    shutil.copy(GOLDEN / "gpt2" / "merges.txt", tmp_path / "vocab.bpe")
    files = [tmp_path / "encoder.json", tmp_path / "vocab.bpe"]
    for paths in ([tmp_path], files, files[::-1], files[:1], files[1:]):
        tokenizer = open_tokenizer(*paths).tokenizer
        assert tokenizer.encode("lowest") == handout().encode("lowest")
    files[0].unlink()
    with pytest.raises(TokenizerFileError, match=r"there is no encoder\.json beside it"):
        open_tokenizer(files[1])


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (ADDED, {"<x>": 0}, r"gives '<x>' the id 0 of"),
        (ADDED, {"<x>": "0"}, r"added_tokens\.json: <x>: should be a whole number"),
        (ADDED, [], "should be an object"),
        (ADDED, {"<x>": 900, "<y>": 900}, "give one id to two tokens"),
        (ADDED, {"<x>": 1 << 32}, r"<x>: the id is larger than 4,294,967,295"),
        (SPECIAL, {"additional_special_tokens": [5]}, r"additional_special_tokens\[0\]"),
        (CONFIG, {"add_prefix_space": "yes"}, "should be true or false"),
        (CONFIG, {"added_tokens_decoder": {"x": {}}}, "'x' is no id"),
        (CONFIG, {"added_tokens_decoder": {str(1 << 32): MASK}}, "'4294967296' is no id"),
    ],
)
def test_errors_name_the_file_and_the_mistake(
    tmp_path: Path, name: str, content: object, message: str
) -> None:
    with pytest.raises(TokenizerFileError, match=message):
        open_tokenizer(directory(tmp_path, **{name: content}))


def test_half_a_character_in_the_vocabulary_is_refused_with_settings_too(tmp_path: Path) -> None:
    folder = directory(tmp_path, **FILES)
    vocab = json.loads((folder / "vocab.json").read_text())
    (folder / "vocab.json").write_text(json.dumps({f"\ud800{t}": i for t, i in vocab.items()}))
    with pytest.raises(TokenizerFileError, match="holds half a character"):
        open_tokenizer(folder)


TEXT = "lowest low 12 the cat"
SETTINGS = {GENERATION: b'{"eos_token_id": 2}', CONFIG: b"{}"}


def tokenizers(folder: Path) -> dict[str, dict[str, bytes]]:
    """Return the files of four tokenizers with different ids."""
    tok = handout()
    ranks = Tokenizer({i: bytes([255 - i]) for i in range(256)}, [])
    tok.save(folder / "gpt2", "gpt2")
    ranks.save(folder / "ranks", "tiktoken")
    shuffled = {i: bytes([(i + 7) % 256]) for i in range(256)} | {256: b"lo"}
    Tokenizer(shuffled, [(b"l", b"o")]).save(folder / "json", "huggingface")
    gpt2 = {name: (folder / "gpt2" / name).read_bytes() for name in ("vocab.json", "merges.txt")}
    return {
        "gpt2": gpt2,
        "ranks": {"my.tiktoken": (folder / "ranks").read_bytes()},
        "json": {"tokenizer.json": (folder / "json").read_bytes()},
        "pieces": {"tokenizer.model": (GOLDEN / "llama.model").read_bytes()},
    }


def ids_in(folder: Path, files: dict[str, bytes]) -> list[int]:
    folder.mkdir()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return open_tokenizer(folder).tokenizer.encode(TEXT)


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(n, marks=pytest.mark.nightly) for n in range(1, 17))]
)
def test_a_random_folder_is_read_right_or_refused(seed: int, tmp_path: Path) -> None:
    random, made = Random(seed), tokenizers(tmp_path)
    right = {name: ids_in(tmp_path / f"only {name}", files) for name, files in made.items()}
    others = {name: text.encode() for name, text in OTHER_FILES.items()} | SETTINGS
    read = 0
    for number in range(30 if seed else 5):
        chosen = random.sample(list(made), random.choice([1, 1, 2, 3]))
        files = {name: data for each in chosen for name, data in made[each].items()}
        whole = set(chosen)
        if random.random() < 0.4:
            cut = random.choice(list(files))
            files[cut] = files[cut][: random.randrange(len(files[cut]) - 2)]
            whole = {each for each in chosen if cut not in made[each]}
        for name in random.sample(list(others), random.randint(0, 4)):
            files.setdefault(name, others[name])
        try:
            ids = ids_in(tmp_path / str(number), files)
        except BpeError:
            assert len(chosen) > 1 or not whole, files.keys()
            continue
        read += 1
        assert ids in [right[each] for each in whole], files.keys()
    assert read
