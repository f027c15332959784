"""Why a text is encoded as it is, and not otherwise."""
