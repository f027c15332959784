"""The panels that show a WordPiece training and the encoding of a text."""
