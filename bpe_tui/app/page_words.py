"""The page's own words, which its script and its template show: name → English message."""

from __future__ import annotations

from engine.core.wording import Messages

PAGE_WORDS = {
    "screen": "The screen of bpe-tui",
    "keys": "← → step · Space plays",
    "scene_keys": "B N scene",
    "phone": "on a phone, swipe or tap the buttons",
    "steps": "Steps",
    "scene_before": "Scene before",
    "step_back": "Step back",
    "play": "play",
    "pause": "pause",
    "step_on": "Step on",
    "next_scene": "Next scene",
    "no_script": "This page needs JavaScript to go from step to step. It loads nothing.",
    "place": "{place} · {n} of {last}",
    "again": "Try again.",
    "wrong": "No. Try again, or take the hint.",
    "field": "Your answer",
    "answer": "Answer",
    "hint": "Hint",
    "show": "Show me",
}


def page_words(messages: Messages) -> dict[str, str]:
    """Return the words of the page in the language of a table."""
    return {name: messages.get(word, word) for name, word in PAGE_WORDS.items()}
