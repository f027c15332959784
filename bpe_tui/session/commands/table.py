"""Every command, declared once: its keys, footer label, help line and palette entry come from here.

What many screens have is declared here, what moves the cursor or belongs to one kind in
`of_screens`, and what only one model has in its folder. Footer, help and palette keep this order.
"""

from __future__ import annotations

from dataclasses import replace

from bpe_tui.session.commands.command import (
    ALWAYS,
    CHARTS,
    CHECK,
    COMPARISON,
    DO,
    ENCODING,
    EVERYWHERE,
    FAMILY,
    INSPECTION,
    LESSON,
    LOOK,
    OF_PANELS,
    PIPELINE,
    RACE,
    START,
    STEP,
    TRAINING,
    VOCABULARY,
    WITH_PANELS,
    Command,
    on,
)
from bpe_tui.session.commands.of_screens import (
    AT_STEPS,
    CHARACTERS,
    CHECKED,
    DIFFERENCES,
    ENCODING_PANELS,
    ENCODING_TEXT,
    PLAYER,
    RACED,
    STAGES,
    TOKENS,
    TRAINING_PANELS,
    WALK,
)
from bpe_tui.session.models import MODELS


def _switch(screen: str, key: str, label: str, summary: str, in_footer: bool = True) -> Command:
    """The key of a screen, on all others of the session."""
    others = tuple(other for other in EVERYWHERE if other != screen)
    action = f"app.show('{screen}')"
    return Command(action, key, label, summary, LOOK, screens=others, in_footer=in_footer)


_LEAVE = on(
    ALWAYS,
    Command(
        "screen.leave",
        "escape",
        "leave",
        "Back: leave a field, a zoom, the reading; or to where a row led from.",
        LOOK,
        in_footer=True,
        in_fields=True,
        in_reading=True,
    ),
)
_PANELS = on(
    WITH_PANELS,
    Command(
        "screen.next_panel(1)",
        "tab",
        "panel",
        "Next panel; Shift+Tab the one before.",
        LOOK,
        in_footer=True,
        in_fields=True,
    ),
)
_TYPE = on(
    (LESSON, TRAINING, ENCODING, COMPARISON, FAMILY),
    Command("screen.type", "e", "type", "Type text to encode; Esc leaves.", DO, in_footer=True),
)
_LIST_OF_LESSONS = Command(
    "app.lessons", "L", "lessons", "The lessons: a text beside the live screen.", LOOK
)
_TRAINING = _switch(TRAINING, "1", "train", "The training screen.")
_MODEL_SCREENS = (
    *on(
        (LESSON,), replace(_LIST_OF_LESSONS, in_footer=True), replace(_TRAINING, label="all panels")
    ),
    _switch(LESSON, "0", "lesson", "The lesson view: count, pick, replace, told beat by beat."),
    *on(tuple(screen for screen in _TRAINING.screens if screen != LESSON), _TRAINING),
    _switch(ENCODING, "2", "encode", "The encoding screen."),
    _switch(VOCABULARY, "3", "vocabulary", "The vocabulary screen."),
    _switch(CHARTS, "4", "charts", "The run in charts."),
    _switch(
        INSPECTION,
        "5",
        "inspect",
        "What kind of tokenizer this is: size, lengths, scripts, numbers, odd tokens.",
    ),
)
_STUDIES = (
    _switch(
        RACE,
        "6",
        "race",
        "The race: all trainers on this corpus, what each of them does.",
        in_footer=False,
    ),
    _switch(
        FAMILY,
        "7",
        "family",
        "Every kind of tokenizer on this corpus, in a table.",
        in_footer=False,
    ),
    _switch(
        PIPELINE,
        "8",
        "pipeline",
        "The pipeline: normalizer, pre-tokenizer, model, post-processor, decoder, on a text.",
        in_footer=False,
    ),
    _switch(
        CHECK,
        "9",
        "check",
        "The check: merges of a trainer of yours beside the rule's, on this corpus.",
        in_footer=False,
    ),
)
_GO_TO = on(
    AT_STEPS,
    Command("app.go_to", "g", "go to", "Go to a step by its number.", STEP, in_footer=True),
)
_ZOOM = on(
    WITH_PANELS,
    Command(
        "screen.next_panel(-1)", "shift+tab", "panel", "The panel before.", LOOK, in_fields=True
    ),
    Command(
        "screen.zoom",
        "z",
        "zoom",
        "Give the panel the whole screen; z or Esc takes it back.",
        LOOK,
        in_footer=True,
    ),
)
_START = on(
    (START,),
    Command(
        "screen.next_panel(1)",
        "tab,right,l",
        "files",
        "From the lessons to the files, and back.",
        LOOK,
        in_footer=True,
        in_reading=True,
    ),
    Command("screen.next_panel(-1)", "shift+tab,left,h", "lessons", "Back to the lessons.", LOOK),
)
_LESSONS = (
    *on((*OF_PANELS, START), _LIST_OF_LESSONS),
    *on(
        tuple(screen for screen in EVERYWHERE if screen != CHECK),
        Command("app.scene(1)", "N", "next scene", "The next scene of the lesson.", LOOK),
    ),
    *on(
        EVERYWHERE,
        Command("app.scene(-1)", "B", "scene before", "The scene of the lesson before.", LOOK),
        Command(
            "app.scene(1)",
            "ctrl+n",
            "next scene",
            "The next scene, from inside a field too.",
            LOOK,
            in_fields=True,
        ),
        Command(
            "app.scene(-1)",
            "ctrl+b",
            "scene before",
            "The scene before, from inside a field too.",
            LOOK,
            in_fields=True,
        ),
        Command(
            "app.come_back",
            "backspace",
            "to the scene",
            "Back to what the scene of the lesson shows, wherever you are.",
            LOOK,
        ),
    ),
)
_TITLES = ", ".join(model.title for model in MODELS.values())
_WINDOWS = (
    *on(
        EVERYWHERE,
        Command("app.model", "M", "model", f"Train another model on this corpus: {_TITLES}.", DO),
    ),
    *on(
        (*EVERYWHERE, START),
        Command("app.open", "o", "open", "Open a tokenizer or a corpus.", DO, in_reading=True),
        Command(
            "app.open", "ctrl+o", "open", "The same, from inside a field too.", DO, in_fields=True
        ),
    ),
    *on(
        tuple(screen for screen in EVERYWHERE if screen != PIPELINE),
        Command(
            "app.save",
            "s",
            "save",
            "Save the tokenizer as it is at this step.",
            DO,
            words="convert to another format, tokenizer.json, tiktoken",
        ),
    ),
    *on(
        EVERYWHERE,
        Command(
            "app.show_command",
            "y",
            "command",
            "The command that opens exactly this: the corpus, the step, the screen, the text.",
            DO,
            words="copy share place link",
        ),
        Command(
            "app.save_session",
            "S",
            "session",
            "Save the session in a file, to be opened again: step, text, breakpoints, forks.",
            DO,
        ),
        Command(
            "app.export", "x", "export", "Export the screen, steps or the charts into a file.", DO
        ),
    ),
    *on(
        (*ALWAYS, START),
        Command("app.light", "ctrl+t", "light", "Light or dark colours.", LOOK, in_fields=True),
        Command(
            "app.command_palette",
            "ctrl+p",
            "palette",
            "Find a command by words.",
            LOOK,
            in_fields=True,
        ),
        Command(
            "app.messages",
            "ctrl+l",
            "messages",
            "All messages, to be read again.",
            LOOK,
            in_fields=True,
        ),
        Command(
            "app.help",
            "question_mark",
            "help",
            "All keys, signs and words.",
            LOOK,
            in_footer=True,
            in_reading=True,
        ),
        Command("app.quit", "q", "quit", "Leave.", DO, in_footer=True, in_reading=True),
        Command(
            "app.quit", "ctrl+q", "quit", "Leave, from inside a field too.", DO, in_fields=True
        ),
    ),
)

COMMANDS: tuple[Command, ...] = (
    *_LEAVE,
    *STAGES,
    *WALK,
    *PLAYER,
    *_PANELS,
    *_TYPE,
    *ENCODING_TEXT,
    *TOKENS,
    *CHECKED,
    *DIFFERENCES,
    *_MODEL_SCREENS,
    *RACED,
    *_STUDIES,
    *_GO_TO,
    *_ZOOM,
    *TRAINING_PANELS,
    *CHARACTERS,
    *ENCODING_PANELS,
    *(command for model in MODELS.values() for command in model.commands),
    *_START,
    *_LESSONS,
    *_WINDOWS,
)
