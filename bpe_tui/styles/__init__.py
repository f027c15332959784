"""Colours (`themes.py`, `app.tcss`) and one arrangement a screen.

Uses nothing; screens name their style sheet, and the app its themes.
"""

from __future__ import annotations

from pathlib import Path


def sheet(name: str) -> Path:
    """A style sheet, by its name; relative paths are looked for beside each class that inherits."""
    return Path(__file__).with_name(name)
