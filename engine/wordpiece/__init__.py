"""WordPiece: pairs merge by score instead of count, and words are encoded by longest match.

    score(a, b) = count(ab) / (count(a) × count(b))

Schuster and Nakajima (2012) merge the pair that raises the likelihood of the corpus most, which is
this ratio: pointwise mutual information without the logarithm. BERT (Devlin et al. 2018) adopted it
with its own notation: a piece inside of a word is written `##piece`. Google never published the
trainer. This is the algorithm of Hugging Face's course
(https://huggingface.co/learn/nlp-course/chapter6/6), which, like all descriptions, does not define
ties: see `engine.wordpiece.score`.

Hugging Face's own `WordPieceTrainer` differs: it wraps their `BpeTrainer`, merges the most frequent
pair, and writes the pieces with `##`. Encoding is the same everywhere.

The room uses bpe for the merging of pairs, recording and the rooms below; pipeline and the rooms
above use it.
"""
