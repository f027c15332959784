/* Shared by the files that encode: pretokens that are spelled in pieces, not in bytes. */
#ifndef SPELLING_H
#define SPELLING_H

#include "trie.h"

typedef ARRAY(int32_t) Ids;

/* How a pretoken is spelled: in bytes; in characters and symbols; in the pieces with the highest sum of
 * scores; in the longest pieces from the left. */
typedef enum { IN_BYTES, IN_UNITS, BEST_SUM, LONGEST_FIRST } Way;

/* The pieces of a tokenizer. Text that no piece spells becomes tokens of its bytes if `has_bytes`,
 * else `unknown`, or nothing if that is −1. */
typedef struct {
    Way way;
    Trie trie;
    int32_t unknown;
    bool has_bytes;
    bool fuses;         /* adjacent unknown characters are one token */
    bool in_32_bits;    /* sums are rounded, and counted anew where they are large */
    bool drops_spaces;  /* a pretoken that begins with a space has no tokens */
    int32_t inside;     /* node of the pieces that continue a word; −1 if there are none */
    int64_t most;       /* characters of the longest word that is not unknown */
    double *scores;     /* by id */
    double unknown_score;
} Units;

/* A place of a text: the greatest sum of scores up to it, the piece that ends there (−1: unknown) and
 * the place where that begins (−1: no piece ends there). */
typedef struct { double sum; int32_t begin, id; } Arrival;

/* Memory for the search of the greatest sum. Nothing in it outlives a call. */
typedef struct { ARRAY(Arrival) arrivals; ARRAY(int32_t) path; } Lattice;

/* Add the ids of a pretoken. `byte_ids`: of the 256 bytes. False without memory. */
bool spell(const Units *units, const int32_t *byte_ids, Lattice *lattice, const uint8_t *text,
           int64_t length, Ids *ids);

bool set_units(Units *units, const uint8_t *text, const int64_t *sizes, const int32_t *ids,
               int64_t count, const double *scores, const int32_t *settings);
void release_units(Units *units); /* allowed in any state */

#endif
