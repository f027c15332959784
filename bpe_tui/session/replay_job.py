"""The work behind an opened tokenizer: read it, count the corpus its way, replay its merges."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from textual.message import Message

from bpe_tui.session import messages
from bpe_tui.session.config import TokenizerConfig, kept_count
from bpe_tui.session.jobs import CorpusJob
from bpe_tui.session.recent_files import remember
from engine.bpe.replay import CHANGES_TEXT, Replay
from engine.bpe.trainer import StopReason
from engine.core.errors import TokenizerFileError
from engine.encoding.tokenizer import Tokenizer
from engine.formats import open_tokenizer
from engine.text.corpus import Corpus
from engine.text.excerpt import Excerpt


class ReplayJob(CorpusJob):
    """Opens a tokenizer and replays its merges as `config` says."""

    def __init__(self, config: TokenizerConfig, post: Callable[[Message], object]) -> None:
        super().__init__("replay", post)
        self._config = config

    def work(self) -> None:
        config = self._config
        try:
            opened = open_tokenizer(
                *config.paths, special_tokens=config.special_tokens, pattern=config.pattern
            )
        except TokenizerFileError as error:
            self.check_cancelled()
            if config.otherwise is None:
                raise
            self.post(messages.NoTokenizer(error, config.otherwise))
            return
        self.check_cancelled()
        counts_as_it_cuts = opened.tokenizer.rules.splitter.by_pieces
        if config.corpus is not None and not counts_as_it_cuts:
            opened = replace(opened, notes=(*opened.notes, f"{CHANGES_TEXT}: so none is counted"))
        self.post(messages.TokenizerOpened(opened))
        if config.corpus is None or not counts_as_it_cuts:
            self._replay(Replay(opened.tokenizer, {}), 0, 0)
        else:
            self._replay_over(Corpus(config.corpus), opened.tokenizer)
        self.post(messages.TrainingEnded(StopReason.REPLAYED))

    def _replay_over(self, corpus: Corpus, tokenizer: Tokenizer) -> None:
        pattern, special_tokens = tokenizer.pattern, tokenizer.special_tokens
        kept = kept_count(corpus, pattern, special_tokens, self._config.cache)
        count, bytes_read = self.read(corpus, kept, pattern, special_tokens)
        self.post(messages.Indexing(len(count.counts)))
        excerpt = Excerpt.of(corpus.head, pattern, special_tokens, complete=corpus.head_is_all)
        self._replay(Replay(tokenizer, count.counts, excerpt), count.documents, bytes_read)
        kept.keep(count)  # now that nobody waits for it

    def _replay(self, replay: Replay, documents: int, bytes_read: int) -> None:
        self.post(messages.TrainingStarted(replay.timeline, documents, bytes_read, replay.obstacle))
        remember(self._config)
        self.record(replay.steps())
