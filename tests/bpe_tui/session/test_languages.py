"""The language of the program: how it is chosen, and remembered."""

from pathlib import Path

import pytest
from opening import opened, until
from program import run

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.session.languages import change_language, own_name, speak_usual
from bpe_tui.session.state import preferences
from bpe_tui.shell.exports import screen_text
from bpe_tui.widgets.controls import TabLine
from bpe_tui.widgets.language import spoken, tr


def test_the_language_is_the_chosen_one_else_the_locales(monkeypatch: pytest.MonkeyPatch) -> None:
    for locale, language in (("zh_CN.UTF-8", "zh"), ("de_DE", "en"), ("C", "en")):
        monkeypatch.setenv("LC_ALL", locale)
        speak_usual()
        assert spoken() == language
    change_language()
    assert (spoken(), preferences().language, tr("next")) == ("zh", "zh", "前进")
    speak_usual()
    assert spoken() == "zh"  # as it was chosen, whatever the locale
    assert [own_name(language) for language in ("en", "zh")] == ["English", "中文"]


def test_every_command_takes_a_language(tmp_path: Path) -> None:
    for arguments in (
        ("--language", "zh", "learn", "--list"),
        ("learn", "--list", "--language=zh"),
    ):
        assert "字节与词元" in run(*arguments).stdout.decode()
    assert "Bytes and tokens" in run("learn", "--list").stdout.decode()  # it is not remembered
    refused = run("encode", "--language", "fr").stderr.decode()
    assert refused == "bpe-tui: there is no language 'fr'; there are: en, zh\n"


async def test_the_language_is_changed_on_the_start_page() -> None:
    app = BpeTuiApp(None)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("down", "l")
        await until(pilot, lambda: "字节与词元" in screen_text(app.screen))
        assert preferences().language == "zh"
        await pilot.press("l")
        await until(pilot, lambda: "Bytes and tokens" in screen_text(app.screen))
        assert preferences().language == "en"


@pytest.mark.slow  # each change makes the screens again
async def test_the_language_is_changed_by_a_click_beside_the_tabs_and_by_the_help() -> None:
    async with opened(size=(120, 40)) as (app, pilot):
        app.seek(3)
        await pilot.press("m", "down")
        before = app.screen
        place = before.place  # type: ignore[attr-defined]
        assert place.startswith("merges:")
        line = before.query_one(TabLine)
        await pilot.click(TabLine, offset=(line.size.width - 2, 0))
        await until(pilot, lambda: "2 编码" in screen_text(app.screen))
        assert app.screen is not before
        await until(pilot, lambda: app.screen.place == place)  # type: ignore[attr-defined]
        await pilot.press("2")
        await until(pilot, lambda: "预词元" in screen_text(app.screen))
        await pilot.press("ctrl+p", *"中文", "enter")
        await until(pilot, lambda: "2 encode" in screen_text(app.screen))
        await pilot.press("1")
        await until(pilot, lambda: "step 3" in screen_text(app.screen))
