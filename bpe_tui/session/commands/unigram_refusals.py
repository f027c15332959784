"""What the commands of BPE are for that Unigram has no use for: a sentence for each key."""

from __future__ import annotations

_TIES = "Ties are of pairs that occur equally often; Unigram merges none. t goes to the next prune."
_BREAKPOINTS = (
    "Breakpoints stop BPE's merges; a Unigram training has few steps, and t finds prunes."
)
REFUSED = {
    "app.tie(1)": _TIES,
    "app.tie(-1)": _TIES,
    "app.breakpoints": _BREAKPOINTS,
    "app.run_to_breakpoint": _BREAKPOINTS,
    "screen.sub_step": "Moves are a heap's, and Unigram has no heap: a step is the least there is.",
    "app.what_if": "What if forks BPE's merges: another pair, another tie rule. "
    "Unigram chooses no pair.",
    "screen.heap_view": "The heap is of BPE's pairs; Unigram weighs all its pieces "
    "anew in each step.",
    "screen.show('pseudocode')": "The pseudocode is of BPE's trainers; d shows "
    "what an iteration or a prune of Unigram computes.",
    "screen.show('merges')": "Unigram merges nothing; m shows its steps.",
    "screen.fold": "The tree that folds is of merges; a piece has none below it.",
    "screen.filter('partial')": "Pieces are of whole characters; p leaves the single ones.",
    "screen.filter('unused')": "Pieces have expected counts; u leaves those below one.",
    "screen.filter('unreachable')": "What no best segmentation uses is sorted first by loss; "
    "d leaves the pieces that go next.",
    "app.show('race')": "The race is between BPE's trainers, which make the same merges; "
    "Unigram has one trainer.",
    "screen.compare": "The comparison is with tokenizers of merges; s saves the "
    "pieces for other programs.",
    "screen.specials": "Special tokens are one piece each here; BPE's screen can "
    "read them as text.",
    "screen.show('dropout')": "Dropout leaves merges out by chance; Unigram draws "
    "segmentations by chance with n.",
    "screen.show('lockstep')": "The comparison is of BPE's encoders, which merge; Unigram's way is "
    "the best through the lattice.",
    "screen.show('regex')": "The regex microscope is on BPE's encoding screen; "
    "Unigram's text is cut by the same pattern.",
}
"""Action of a command → what it is for."""
