"""The commands of the screens, kind by kind; `table` puts them in their order."""

from __future__ import annotations

from bpe_tui.session.commands.command import (
    CHECK,
    COMPARISON,
    DO,
    ENCODING,
    FILTER,
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
