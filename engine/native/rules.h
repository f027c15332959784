/* Shared by the files that encode: the merges of a tokenizer, and how one pretoken is merged. */
#ifndef RULES_H
#define RULES_H

#include "pieces.h"
#include "spelling.h"

typedef struct { int32_t rank, made; } Merge;
typedef struct { int32_t left, right; Merge merge; } Rule; /* the rank −1 is free */

/* A tokenizer. Nothing changes after it has been made, so several encoders read it at once. */
typedef struct {
    Borders borders;
    int32_t byte_ids[256];
    Rule *table; /* a hash table by pair, at most half full */
    uint64_t mask, seed;
    uint8_t *merging; /* a bit for each of 8 × as many hashes: 0 if no pair of that hash merges */
    Pieces whole;     /* pretokens that are one token without merging; the value is the id */
    int64_t longest;  /* bytes of the longest of these */
    Units units;      /* how a pretoken is spelled before it is merged */
} Rules;

/* A token of a long pretoken: the places of its neighbours (−1 beyond the ends) and its merge with
 * the next token. */
typedef struct { int32_t id, previous, next; Merge merge; } Part;
typedef struct { int32_t rank, place; } Candidate;

/* The tokens of a part of a long pretoken, by place: place 0, its `next`, … */
typedef ARRAY(Part) Window;

/* Memory to merge a pretoken in. Nothing in it outlives a call. */
typedef struct {
    Window window, next;
    ARRAY(Candidate) heap;
    ARRAY(uint8_t) text;
    Ids spelled;
    Lattice lattice;
} Workspace;

/* Add the ids of a pretoken. False without memory. */
bool encode_pretoken(const Rules *rules, Workspace *space, const uint8_t *text, int64_t length,
                     Ids *ids);

/* Give the memory back; allowed in any state. */
void release_workspace(Workspace *space);

#endif
