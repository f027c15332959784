"""The stages of a `tokenizer.json`, from a text to ids and back, and what each made of a text.

Each kind of stage has its registry: `normalizers`, `pretokenizers`, `models`, `post_processors`,
`decoders`. To add a stage, write a class whose fields are its settings (see `stage`) and a line in
the registry of its kind. Uses the models of WordPiece, Unigram and BPE and what is below them;
formats, analysis and the application use it.
"""
