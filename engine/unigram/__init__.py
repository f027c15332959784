"""The Unigram language model tokenizer (Kudo 2018), made to be watched.

BPE builds a vocabulary up; Unigram starts with far too many pieces and removes most. Each piece has
a probability. The probability of a text is the sum over all its segmentations; the best
segmentation is the one with the greatest product of probabilities. Read in this order:

- one text under one model: `pieces`, `lattice`;
- a model learnt: `seed`, `lattice_arrays`, `em`, `trainer`;
- the same learnt as a textbook has it, one removal a step: `grams`, `textbook`;
- the learning played back: `record`, `frame`.

Sources: T. Kudo, Subword Regularization (ACL 2018, arXiv:1804.10959); SentencePiece
(`unigram_model_trainer.cc`); Hugging Face tokenizers (`models/unigram`). A module that differs from
either of the two says so.

Uses encoding, counting, text and core; pipeline and above use it.
"""
