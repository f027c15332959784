"""The panels that show a Unigram training and a text under it."""
