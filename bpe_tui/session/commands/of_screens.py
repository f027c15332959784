"""What moves the cursor, then the commands of the screens, kind by kind; `table` orders them."""

from __future__ import annotations

from bpe_tui.session.commands.command import (
    CHARTS,
    CHECK,
    COMPARISON,
    DO,
    ENCODING,
    EVERYWHERE,
    FAMILY,
    FILTER,
    INSPECTION,
    LESSON,
    LOOK,
    PIPELINE,
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


# The training screen

TRAINING_PANELS = on(
    (TRAINING,),
    Command(
        "screen.heap_view", "v", "heap view", "The heap as a table, as an array, as a tree.", LOOK
    ),
    Command(
        "screen.pseudocode",
        "p",
        "pseudocode",
        "The pseudocode of the heap; again: of the next trainer. W takes its place back.",
        LOOK,
    ),
    Command(
        "screen.why",
        "w",
        "why",
        "Why two tokens merge or not, any two: the pair's count over the steps, what took of it.",
        LOOK,
        in_footer=True,
    ),
    Command(
        "screen.find_pair",
        "slash",
        "find pair",
        "Find pairs in the heap by one of their tokens.",
        LOOK,
    ),
    Command("screen.show('words')", "W", "words", "To the words touched.", LOOK),
    Command("screen.show('merges')", "m", "merges", "To the list of merges.", LOOK),
)
CHARACTERS = on(
    (TRAINING,),
    Command(
        "screen.characters",
        "a",
        "characters",
        "Characters above their bytes in the corpus, where tokens cut them; or none.",
        LOOK,
    ),
)

# The encoding screen

WALK = on(
    (ENCODING,),
    Command(
        "screen.walk(1)",
        "right,l",
        "next",
        "Next step of the pretoken's encoding.",
        STEP,
        in_footer=True,
    ),
    Command(
        "screen.walk(-1)",
        "left,h",
        "back",
        "Step before, of the pretoken's encoding.",
        STEP,
        in_footer=True,
    ),
    Command(
        "screen.play", "space", "play", "Play the encoding of the pretoken.", PLAY, in_footer=True
    ),
)
"""The arrows there go through the encoding of a pretoken."""
ENCODING_TEXT = on(
    (ENCODING,),
    Command(
        "screen.walk(-1000000)",
        "home,less_than_sign",
        "start",
        "The pretoken before the first step of its encoding.",
        STEP,
    ),
    Command("screen.walk(1000000)", "end,greater_than_sign", "end", "The pretoken encoded.", STEP),
    Command(
        "screen.lanes",
        "a",
        "lanes",
        "The text in three lanes, characters, bytes, tokens; or in tokens and ids.",
        LOOK,
        in_footer=True,
    ),
    Command(
        "screen.compare",
        "d",
        "differ",
        "Compare this step's tokenizer with one from a file, on the text.",
        DO,
    ),
    Command(
        "screen.decode_spelling",
        "ctrl+g",
        "decode",
        "Put in place of GPT-2's spelling in the text, such as Ġthe, what it stands for.",
        DO,
        in_fields=True,
    ),
    Command(
        "screen.specials",
        "ctrl+s",
        "specials",
        "Special tokens in the text as one id, or as ordinary text.",
        DO,
        in_fields=True,
    ),
)
ENCODING_PANELS = on(
    (ENCODING,),
    Command(
        "screen.ask", "w", "why not", "Ask why a piece is not one token.", LOOK, in_footer=True
    ),
    Command(
        "screen.show('lockstep')",
        "c",
        "compare",
        "Encoders side by side, up to where greedy longest match parts.",
        LOOK,
        in_footer=True,
    ),
    Command(
        "screen.show('regex')",
        "r",
        "regex",
        "Try another regex on the text, and compare it with a pattern.",
        LOOK,
        in_footer=True,
    ),
    Command(
        "screen.show('dropout')",
        "percent_sign",
        "dropout",
        "BPE-dropout: the pretoken encoded with merges left out at random.",
        LOOK,
    ),
)

# The vocabulary screen

TOKENS = on(
    (VOCABULARY,),
    Command("screen.search", "slash", "search", "Search the tokens.", LOOK, in_footer=True),
    Command("screen.sort", "c", "column", "Sort by the next column.", LOOK, in_footer=True),
    Command("screen.reverse", "C", "turn round", "Turn the order round.", LOOK),
    Command("screen.fold", "space", "fold", "Fold a part of the tree.", LOOK, in_footer=True),
    Command(
        "screen.filter('partial')",
        "p",
        "partial",
        "Only tokens that are not valid UTF-8 by themselves.",
        FILTER,
    ),
    Command(
        "screen.filter('unused')",
        "u",
        "unused",
        "Only tokens never used in the corpus now.",
        FILTER,
    ),
    Command(
        "screen.filter('unreachable')",
        "d",
        "unreachable",
        "Only dead tokens: encoding their own bytes gives something else.",
        FILTER,
    ),
    Command(
        "screen.filter('twins')",
        "w",
        "twins",
        "Only tokens that differ from another by case, a leading space or ##.",
        FILTER,
    ),
)

# The studies: the pipeline's stages, the comparison, the race

STAGES = on(
    (PIPELINE,),
    Command("screen.point(1)", "right,l", "next", "To the next token.", STEP, in_footer=True),
    Command("screen.point(-1)", "left,h", "back", "To the token before.", STEP, in_footer=True),
    Command("screen.point(-1000000)", "home", "first", "The first token.", STEP),
    Command("screen.point(1000000)", "end", "last", "The last token.", STEP),
    Command("screen.show('texts')", "e", "text", "Type another text.", DO, in_footer=True),
    Command(
        "screen.switch",
        "c",
        "change",
        "Switch the stage under the cursor to another (also Enter).",
        DO,
        in_footer=True,
    ),
    Command("screen.restore", "u", "undo", "All stages as they were.", DO, in_footer=True),
    Command(
        "screen.save_pipeline",
        "s",
        "save",
        "Save the stages as they are now as a tokenizer.json.",
        DO,
        in_footer=True,
    ),
)
DIFFERENCES = on(
    (COMPARISON, CHECK),
    Command(
        "screen.difference(1)",
        "n",
        "next",
        "To the next difference.",
        STEP,
        in_footer=True,
    ),
    Command(
        "screen.difference(-1)",
        "N",
        "before",
        "To the difference before.",
        STEP,
        in_footer=True,
    ),
)
CHECKED = on(
    (CHECK,),
    Command(
        "screen.choose",
        "c",
        "choose",
        "Choose the merges to check: what a trainer has written.",
        DO,
        in_footer=True,
    ),
)
RACED = on(
    (RACE,),
    Command(
        "screen.unit",
        "u",
        "time",
        "Compare the trainers by operations, or by processor time.",
        LOOK,
        in_footer=True,
    ),
    Command("screen.again", "r", "again", "Run the race again.", DO, in_footer=True),
)
