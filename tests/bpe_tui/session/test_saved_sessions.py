"""What of the open session is kept in a session file, and which numbers name lessons."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from program import HANDOUT

from bpe_tui.session.config import Config, RunConfig, TokenizerConfig, Viewpoint
from bpe_tui.session.lessons import builtin_lessons, numbered_lesson
from bpe_tui.session.saved_sessions import config_of_session, saved_session
from bpe_tui.session.session import Session
from engine.core.errors import SessionFileError, UnknownNameError
from engine.learning.session_file import SavedFile, SavedSession
from engine.text.corpus import Reading

SWAPPED = str(Path(HANDOUT).with_name("swapped.json"))
CORPUS = SavedFile.of(HANDOUT)


def test_a_session_is_saved_with_its_place_and_the_options_that_differ_from_the_usual() -> None:
    run = RunConfig(HANDOUT, 300, ("<s>",), "whitespace", min_count=1)
    session = Session(run)
    session.breakpoints.add("tie")
    saved = saved_session(session, Viewpoint(None, "training", "low", note="for Monday"))
    options = ("vocab_size", 300), ("special_tokens", ("<s>",)), ("pattern", "whitespace")
    assert saved == SavedSession(
        CORPUS, (), (*options, ("min_count", 1)), 0, "training", "low", ("tie",), "for Monday"
    )
    place = Viewpoint(0, "training", "low", ("tie",), CORPUS, "for Monday")
    assert config_of_session(saved, Path("s.json")) == replace(run, viewpoint=place)
    for corpus in (None, HANDOUT):
        tokenizer = TokenizerConfig((SWAPPED,), corpus, continued=3)
        saved = saved_session(Session(tokenizer), Viewpoint(7))
        own = CORPUS if corpus else None
        assert saved == SavedSession(own, (SWAPPED,), (("continued", 3),), 7)
        place = Viewpoint(7, corpus=own)
        assert config_of_session(saved, Path("s.json")) == replace(tokenizer, viewpoint=place)


@pytest.mark.parametrize(
    ("config", "why"),
    [
        (RunConfig("-"), "the corpus came from standard input"),
        (RunConfig(HANDOUT, reading=Reading(more=(HANDOUT,))), "a session is of one plain file"),
        (RunConfig("https://a.org/x"), "a session is of one plain file"),
        (TokenizerConfig((SWAPPED, "gpt2"), HANDOUT), "a session is of files, and gpt2 is a name"),
    ],
)
def test_a_session_of_more_than_plain_files_is_not_saved(config: Config, why: str) -> None:
    with pytest.raises(SessionFileError, match=why):
        saved_session(Session(config), Viewpoint())


def test_a_lesson_is_named_by_its_number_unless_a_file_has_that_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    third = builtin_lessons()[2].path
    named = {"3": third, "03": third, "x": None, "²": None, "": None, "4": None}
    Path("4").touch()
    assert {number: numbered_lesson(number) for number in named} == named
    with pytest.raises(UnknownNameError):
        numbered_lesson("99")
