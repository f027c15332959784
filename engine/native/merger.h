/* The state of training by the most frequent pair; engine/bpe/trainers/fast.py explains it.
 *
 * All pretokens are in one array of cells, a cell for each unit, with a border before and after each
 * pretoken. Units are the tokens before the first merge: bytes, characters, or tokens that earlier
 * merges have made. A token has its id in its first and its last cell, so both neighbours are found
 * at once.
 * Every pair that has ever occurred has a number, in the order of appearance; everything else about
 * pairs is in arrays over these numbers. When too many starts are of no use any more, compact.c
 * drops these.
 *
 * Invariants between two steps:
 *
 * 1. From the first cell of a token to the first cell of the next, the cells spell every pretoken.
 * 2. `counts` has the number of occurrences of each pair. After the step that made a pair its count
 *    only falls, and no new pair is more frequent than the merged one.
 * 3. Every occurrence of a pair that may still merge is at one of its `starts`, which ascend. At
 *    other starts the pair has been broken up since.
 * 4. Each pair whose count is at least `floor` has one entry in the heap. The count in the entry is
 *    not below the true count.
 */
#ifndef MERGER_H
#define MERGER_H

#include "rules.h"

enum { BORDER = -1, INSIDE = -2, NO_PAIR = -1, BYTES = 256 };

/* `BLOCK` cells fill a line of the processor's cache. */
enum { BLOCK = 16 };

typedef struct { int32_t left, right; } Pair;
typedef struct { int64_t begin, end; } Span;
typedef struct { int64_t count; int32_t pair; } Entry;

/* The record of a step, as in `Batch` of merging.py. `changes_end`: the number of changes of all
 * steps up to this one; `pairs`: the number of pairs after it; `tied`: the number of pairs with the
 * highest score, if scores choose. */
typedef struct {
    int64_t pair, left, right, count, occurrences, pretokens, changes_end, pairs, tied;
} Step;

/* The places of one new pair in a step: those where the new token has `token` beside it.
 * `weight`: the count of the pair. `next_start`: the index in `starts` for its next start, LEFT_OUT
 * until the pair has a number and for a pair that gets none. */
typedef struct { int32_t token; int64_t size, weight, next_start; } Group;
enum { LEFT_OUT = -1 };

/* The neighbours of the new tokens of a step, on one side. `group_of`: token → its group, −1 if it
 * has none, as all tokens have between two steps. Each start belongs to a group. */
typedef struct {
    ARRAY(Group) groups;
    ARRAY(int32_t) group_of;
    ARRAY(int32_t) starts;
    ARRAY(int32_t) groups_of_starts;
} Neighbours;

typedef struct Scores Scores;
typedef struct Merger Merger;
struct Merger {
    ARRAY(int32_t) cells;
    int32_t *borders;       /* block → number of borders in all blocks before it */
    int64_t *times;         /* pretoken → its count */
    ARRAY(uint8_t) text;    /* the bytes of all tokens, joined */
    ARRAY(int64_t) ends;    /* id → end of its bytes in `text` */
    ARRAY(int32_t) widths;  /* id → number of its cells */
    ARRAY(int64_t) words;   /* id → number of its words */
    ARRAY(int64_t) uses;    /* unit → number of its occurrences before the first merge */
    int64_t prefix;         /* bytes that a token loses when it becomes the right part of another */

    ARRAY(Pair) pairs;
    ARRAY(int64_t) counts;
    ARRAY(uint32_t) begins; /* pair → begin of its part of `starts`; the next pair's part follows */
    ARRAY(int32_t) starts;
    int64_t places;         /* number of pairs in all pretokens: the most starts that are of use */
    int32_t *slots;         /* a hash table of pairs' numbers; −1 is free */
    int64_t slot_count;     /* a power of two, at least twice the pairs */
    uint64_t seed;

    int64_t min_count, longest; /* `longest`: in bytes, of a token */
    int64_t most_words;         /* of a token; 0 for any number */
    int (*wins)(const Merger *, Pair, Pair);
    int32_t tie_ids[BYTES];     /* byte → its rank where ids break ties */

    ARRAY(Entry) heap;
    int64_t floor;
    ARRAY(int32_t) ties;        /* the result of `merger_find_ties` */
    ARRAY(int32_t) popped;      /* pairs that never return to the heap; only `merger_pop` has such */
    Scores *scores;             /* they choose instead of the heap; NULL if counts do */

    Neighbours before, after;
    ARRAY(Step) steps;           /* of the last call of `merger_run` */
    ARRAY(int32_t) changed;      /* the pairs whose counts these steps changed */
    ARRAY(int64_t) after_counts; /* and the new counts */
    int64_t earlier_changes;     /* number of changes in all calls before that one */
};

static inline Span bytes_of(const Merger *m, int32_t token) {
    return (Span){token ? m->ends.at[token - 1] : 0, m->ends.at[token]};
}

static inline int64_t size_of(const Merger *m, int32_t token) {
    const Span bytes = bytes_of(m, token);
    return bytes.end - bytes.begin;
}

static inline int64_t width_of(const Merger *m, int32_t token) { return m->widths.at[token]; }

/* Return the part of `starts` that a pair has. */
static inline Span span_of(const Merger *m, int32_t pair) {
    const bool is_last = pair + 1 == m->begins.length;
    return (Span){m->begins.at[pair], is_last ? m->starts.length : m->begins.at[pair + 1]};
}

/* ties.c: return the rule of a name, NULL if there is none. A rule returns whether one pair goes
 * before another of the same count. */
int (*tie_rule_named(const char *name))(const Merger *, Pair, Pair);

/* compact.c: drop starts that are of no use, if these are many. */
void compact(Merger *m);

/* respell.c: write the tokens that earlier merges make of the pretokens into the cells. `texts`: the
 * pretokens; `ends`: of each, if they were joined. */
bool respell(Merger *m, const Rules *earlier, const uint8_t *const *texts, const int64_t *ends,
             int64_t pretokens);

/* scores.c: prepare to choose by score; choose the pair of the highest score, NO_PAIR if none is
 * left; correct the scores after a step, before which `known` pairs were known. */
bool start_scores(Merger *m);
bool best_score(Merger *m, int32_t *pair, int64_t *tied);
bool update_scores(Merger *m, const Step *step, int64_t known);
void release_scores(Merger *m);

/* queue.c */
bool push(Merger *m, int32_t pair);
bool best_pair(Merger *m, int32_t *pair);

#endif
