"""The commands that move the cursor of the session: step by step, or by playing."""

from __future__ import annotations

from bpe_tui.session.commands.command import (
    CHARTS,
    CHECK,
    DO,
    EVERYWHERE,
    FAMILY,
    INSPECTION,
    LESSON,
    PLAY,
    RACE,
    STEP,
    TRAINING,
    VOCABULARY,
    Command,
    on,
)

AT_STEPS = tuple(screen for screen in EVERYWHERE if screen not in (FAMILY, CHECK))
"""Where the step is shown: a table of models and a check are about whole trainings."""
_STEPPED = (LESSON, TRAINING, VOCABULARY, CHARTS, INSPECTION, RACE)
"""Where the arrows step through the merges of the run."""
_PLAYED = (LESSON, TRAINING, CHARTS, RACE)
"""Where the run is played."""

PLAYER = (
    *on(
        (LESSON,),
        Command(
            "screen.next",
            "right,l",
            "next",
            "One step, told beat by beat; at once if the step before is still told.",
            STEP,
            in_footer=True,
        ),
    ),
    *on(
        tuple(screen for screen in _STEPPED if screen != LESSON),
        Command("app.step(1)", "right,l", "next", "One step forward.", STEP, in_footer=True),
    ),
    *on(
        _STEPPED,
        Command("app.step(-1)", "left,h", "back", "One step back.", STEP, in_footer=True),
    ),
    *on(
        (LESSON,),
        Command(
            "screen.beat",
            "full_stop",
            "beat",
            "One beat of the next step, to stay: pick, light, join; → tells the rest.",
            STEP,
            in_footer=True,
        ),
    ),
    *on(
        (LESSON,),
        Command(
            "screen.predict",
            "P",
            "predict",
            "Ask what each step will do; ↑ ↓ and Enter answer, → skips, P again ends it.",
            STEP,
            in_footer=True,
            words="quiz question guess",
        ),
        Command("screen.hint", "H", "hint", "A hint at the answer of a question.", STEP),
        Command(
            "screen.show_answer",
            "exclamation_mark",
            "show me",
            "The answer to a question, told beat by beat.",
            STEP,
        ),
    ),
    *on(
        tuple(screen for screen in _STEPPED if screen not in (LESSON, RACE)),
        Command(
            "app.predict",
            "P",
            "predict",
            "The lesson view, which asks what each step will do.",
            STEP,
            words="quiz question guess",
        ),
    ),
    *on(
        AT_STEPS,
        Command("app.step(100)", "right_square_bracket", "+100", "100 steps forward.", STEP),
        Command("app.step(-100)", "left_square_bracket", "−100", "100 steps back.", STEP),
    ),
    *on(
        (TRAINING,),
        Command(
            "screen.sub_step",
            "full_stop",
            "move",
            "One move of the next merge: a pop or a push in the heap, or a line of the pseudocode.",
            STEP,
        ),
    ),
    *on(
        _PLAYED,
        Command("app.tie(1)", "t", "tie", "To the next merge that was tied.", STEP),
        Command("app.tie(-1)", "T", "tie", "To the tied merge before.", STEP),
    ),
    *on(
        (TRAINING,),
        Command(
            "app.breakpoints",
            "b",
            "breakpoints",
            "Breakpoints: what to stop at, such as a tie, a token, a count below 50.",
            STEP,
        ),
        Command("app.run_to_breakpoint", "n", "run", "Run to the next breakpoint.", STEP),
        Command(
            "app.what_if",
            "i",
            "what if",
            "What if it went another way here: another pair, tie rule, pattern, a document less.",
            DO,
        ),
        Command(
            "app.leave_fork", "I", "origin", "From a fork back to the run that it came from.", DO
        ),
    ),
    *on(
        _STEPPED,
        Command("app.first", "home,less_than_sign", "start", "To step 0.", STEP),
        Command(
            "app.last",
            "end,greater_than_sign",
            "end",
            "To the last step recorded; while training runs, on with it.",
            STEP,
        ),
    ),
    *on(
        _PLAYED,
        Command(
            "app.play", "space", "play", "Play the recording, or pause it.", PLAY, in_footer=True
        ),
        Command("app.speed(1)", "plus,equals_sign", "faster", "Play faster.", PLAY),
        Command("app.speed(-1)", "minus", "slower", "Play slower.", PLAY),
        Command("app.follow", "f", "follow", "Stay at the live end while training runs.", PLAY),
    ),
)
