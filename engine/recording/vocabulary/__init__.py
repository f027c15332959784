"""The tokens of a vocabulary in columns: to be sorted, filtered, searched, and taken apart.

Made from a step of a run (`Frame.vocabulary`) or from any tokenizer (`Vocabulary.of_tokenizer`).
"""

from __future__ import annotations

from engine.recording.vocabulary.search import Query
from engine.recording.vocabulary.vocabulary import COLUMNS, FILTERS, Vocabulary

__all__ = ["COLUMNS", "FILTERS", "Query", "Vocabulary"]
