"""The program in a browser: a web server's driver counts as a screen."""

from __future__ import annotations

import pytest

from bpe_tui.app import terminal
from bpe_tui.cli.console import has_screen
from engine import CorpusError


def test_a_driver_that_draws_elsewhere_counts_as_a_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TEXTUAL_DRIVER", raising=False)
    assert not has_screen()
    assert terminal.lasting_driver() is not None
    monkeypatch.setenv("TEXTUAL_DRIVER", "textual.drivers.web_driver:WebDriver")
    assert has_screen()
    assert terminal.lasting_driver() is None


def test_a_corpus_on_standard_input_is_refused_where_keys_come_from_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TEXTUAL_DRIVER", "textual.drivers.web_driver:WebDriver")
    with pytest.raises(CorpusError, match="keys of a web page"):
        terminal.keys_from_terminal()
