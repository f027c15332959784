"""The stages of a `tokenizer.json`, from a text to ids and back, and the output of each.

Each kind of stage has a module and a registry in it: `normalizers`, `pretokenizers`, `models`,
`post_processors`, `decoders`. To add a stage, write a class whose fields are its settings (see
`stage`) and name it in the registry of its kind. The room uses the models of WordPiece and
Unigram and the rooms below; formats, analysis and the application use it.
"""
