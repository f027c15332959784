"""What the recordings of all models share: records of steps, runs, players, frames, vocabularies.

A trainer writes its steps into a *record*, in columns of numbers. A *run* is the record of one
training with what is asked about it, a *player* is a run and a cursor, a *frame* a run and a step.
Uses encoding, counting and what is below them; the models and what is above them use it.

Naming
------
place   of a token: its position in the order of making, which is units (bytes or characters),
        special tokens, merges. Records are kept in places; the `vocab` of a record is a list by
        place.
id      of a token: what encoding gives for it. In a run of ours the id is the place; a tokenizer
        from elsewhere may number otherwise. `TokenIds` turns one into the other.
number  of a pair (of a piece, in Unigram): its position in the order in which pairs first appear.
        Counts are arrays by number.
rank    of a merge: its position among all merges, from 0. So rank k is made by step k + 1, and
        `index` of a recorded step is its rank.
row     of a token: its position in a `TokenTable`.
step    a state: step 0 is the corpus before any merge, step k the corpus after the first k merges.
"""
