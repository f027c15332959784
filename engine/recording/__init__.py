"""Recordings of all models: records of steps, runs, players, frames, vocabularies.

A trainer writes its steps into a *record*, in columns of numbers. A *run* is the record of one
training with lookups, a *player* is a run and a cursor, a *frame* is a run and a step. This room
uses encoding, counting and the rooms below them; the models and the rooms above them use it.

Naming
------
place   of a token: its position in the order of making: units (bytes or characters),
        special tokens, merges. Records use places; the `vocab` of a record is a list by place.
id      of a token: the number that encoding returns. In a run of ours the id is the place; a
        tokenizer from elsewhere may number otherwise. `IdMap` converts between the two.
number  of a pair (of a piece, in Unigram): its position in the order in which pairs first appear.
        Counts are arrays by number.
rank    of a merge: its position among all merges, from 0. So rank k is made by step k + 1, and
        `index` of a recorded step is its rank.
row     of a token: its position in a `TokenTable`.
step    a state: step 0 is the corpus before any merge, step k the corpus after the first k merges.
"""
