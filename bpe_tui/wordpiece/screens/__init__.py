"""WordPiece's screens and windows."""
