/* What training by the most frequent pair knows; engine/bpe/trainers/fast.py explains it.
 *
 * All pretokens stand in one array of cells, a cell a byte, with a border before and behind each. A
 * token writes its id into its first and its last cell, so both its neighbours are one look away.
 * Every pair that ever stood side by side has a number, in the order of appearance; all else about
 * pairs is an array over these numbers.
 *
 * What is true between two steps:
 *
 * 1. From the first cell of a token to the first of the next, the cells spell every pretoken.
 * 2. `counts` says how often each pair stands side by side. Counts only fall after the step that
 *    made the pair, and no new pair is more frequent than the one that merged.
 * 3. A pair stands at each of its `starts`, or has been broken up since; it stands nowhere else.
 *    The starts of a pair are in ascending order.
 * 4. Each pair of at least `floor` that still stands has one entry in the heap, whose count is not
 *    less than the true one.
 */
#ifndef MERGER_H
#define MERGER_H

#include "kernel.h"

enum { BORDER = -1, INSIDE = -2, BYTES = 256 };

typedef struct { int32_t token, pretoken; } Cell;
typedef struct { int32_t left, right; } Pair;
typedef struct { int64_t begin, end; } Span;
typedef struct { int64_t count; int32_t pair; } Entry;

/* What is told of a step, as `MergeBatch` has it. `changes_end`: where its changes end among those
 * of all steps; `pairs`: how many have a number by then. */
typedef struct {
    int64_t pair, left, right, count, occurrences, pretokens, changes_end, pairs;
} Step;

/* Of a step, the new tokens by the token on one side of them. `group_of`: token → its group, −1 if
 * it has none; between steps none has. `starts` and `groups_of_starts` go together. */
typedef struct { int32_t token; int64_t size, weight; } Group;
typedef struct {
    ARRAY(Group) groups;
    ARRAY(int32_t) group_of;
    ARRAY(int32_t) starts;
    ARRAY(int32_t) groups_of_starts;
} Beside;

typedef struct Merger Merger;
struct Merger {
    Cell *cells;
    int64_t cell_count;
    int64_t *times;      /* pretoken → how often it occurs */
    uint8_t *text;       /* the 256 bytes, and then the byte of each cell */
    ARRAY(Span) tokens;  /* id → where its bytes stand in `text`: where it first stood */

    ARRAY(Pair) pairs;
    ARRAY(int64_t) counts;
    ARRAY(Span) spans;          /* pair → where its starts stand in `starts` */
    ARRAY(int32_t) starts;
    ARRAY(int64_t) last_change; /* pair → index of its last change, of all changes ever told */
    int32_t *slots;             /* a hash table of pairs' numbers; −1 is free */
    int64_t slot_count;         /* a power of two, at least twice the pairs */
    uint64_t seed;

    int64_t min_count, longest; /* `longest`: bytes that a token may have */
    int (*wins)(const Merger *, Pair, Pair);
    int32_t tie_ids[BYTES];     /* byte → what it counts for where ids break ties */

    ARRAY(Entry) heap;
    int64_t floor;

    Beside before, after;
    ARRAY(Step) steps;          /* of the last call of `merger_run`, and their changes */
    ARRAY(int32_t) changed;
    ARRAY(int64_t) after_counts;
    int64_t told;               /* changes in all calls before that one */
};

static inline int64_t size_of(const Merger *m, int32_t token) {
    return m->tokens.at[token].end - m->tokens.at[token].begin;
}

/* ties.c: the rule of a name, NULL if there is none; it says whether one pair goes before another
 * of the same count. */
int (*tie_rule_named(const char *name))(const Merger *, Pair, Pair);

/* queue.c */
void push(Merger *m, int32_t pair);
int32_t best_pair(Merger *m);

#endif
