"""WordPiece: pairs merge by score instead of count, and words are encoded by longest match.

    score(a, b) = count(ab) / (count(a) · count(b))

Schuster and Nakajima (2012) merge what raises the likelihood of the corpus most, which is this
ratio: pointwise mutual information without the logarithm. BERT (Devlin et al. 2018) took it over
with its own notation: a piece inside of a word is written `##piece`. Google never published the
trainer; what is here is the algorithm as Hugging Face's course tells it
(https://huggingface.co/learn/nlp-course/chapter6/6), and like all descriptions it leaves the ties
open: see `engine.wordpiece.score`.

Hugging Face's own `WordPieceTrainer` does something else: it wraps their `BpeTrainer`, merges the
most frequent pair, and writes the pieces with `##`. Encoding is the same everywhere.

Uses bpe for what both merge alike, recording and what is below; pipeline and above use it.
"""
