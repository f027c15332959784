/* Adding up: what counters tell of chunks, in the order of the chunks. Pretokens are numbered as they
 * appear. */
#include "pieces.h"

/* What a counter has told of its pieces: where the pretokens of each end, and what they are. */
typedef struct { ARRAY(int64_t) ends; ARRAY(int32_t) pretokens; } Told;

typedef struct {
    Pieces pretokens; /* their values are how often each has come */
    ARRAY(Told) counters;
} Tally;

EXPORT void tally_free(Tally *t) {
    release_pieces(&t->pretokens);
    for (int64_t each = 0; each < t->counters.length; each++) {
        RELEASE(t->counters.at[each].ends);
        RELEASE(t->counters.at[each].pretokens);
    }
    RELEASE(t->counters);
    free(t);
}

static int begin(Tally *t, uint64_t seed) {
    jmp_buf place;
    out_of_memory = &place;
    if (setjmp(place)) return 0;
    start_pieces(&t->pretokens, seed);
    return 1;
}

/* NULL: there is no memory. */
EXPORT Tally *tally_new(uint64_t seed) {
    Tally *t = calloc(1, sizeof *t);
    if (t == NULL || begin(t, seed)) return t;
    tally_free(t);
    return NULL;
}

/* Learn new pieces of a counter: `sizes` says how many pretokens each has, which stand one after the
 * other in `text`, by their lengths. Behind the text 8 bytes may be read. `FAILED` without memory,
 * and then only `tally_free` may follow. */
EXPORT int64_t tally_learn(Tally *t, int64_t counter, const uint8_t *text, const int64_t *lengths,
                           const int64_t *sizes, int64_t pieces) {
    jmp_buf place;
    out_of_memory = &place;
    if (setjmp(place)) return FAILED;
    while (t->counters.length <= counter) PUSH(t->counters, ((Told){{0}, {0}}));
    Told *told = &t->counters.at[counter];
    int64_t at = 0, pretoken = 0;
    for (int64_t each = 0; each < pieces; each++) {
        for (const int64_t end = pretoken + sizes[each]; pretoken < end; at += lengths[pretoken++])
            PUSH(told->pretokens,
                 (int32_t)number_of_piece(&t->pretokens, text + at, lengths[pretoken]));
        PUSH(told->ends, told->pretokens.length);
    }
    return told->ends.length;
}

/* Count pieces of a counter; how many pretokens they are. `FAILED` for one that it has not told. */
EXPORT int64_t tally_add(Tally *t, int64_t counter, const int64_t *pieces, const int64_t *counts,
                         int64_t length) {
    const Told *told = &t->counters.at[counter];
    int64_t added = 0;
    for (int64_t each = 0; each < length; each++) {
        const int64_t piece = pieces[each], count = counts[each];
        if (piece < 0 || piece >= told->ends.length) return FAILED;
        int64_t at = piece ? told->ends.at[piece - 1] : 0;
        added += (told->ends.at[piece] - at) * count;
        for (; at < told->ends.at[piece]; at++)
            t->pretokens.pieces.at[told->pretokens.at[at]].value += count;
    }
    return added;
}

/* How many pretokens there are; the sizes of the first ones and how often each has come; their text. */
EXPORT int64_t tally_distinct(const Tally *t) { return t->pretokens.pieces.length; }
EXPORT void tally_counts(const Tally *t, int64_t first, int64_t *sizes, int64_t *counts) {
    for (int64_t each = 0; each < first; each++) {
        sizes[each] = t->pretokens.pieces.at[each].length;
        counts[each] = t->pretokens.pieces.at[each].value;
    }
}
EXPORT const uint8_t *tally_text(const Tally *t) { return t->pretokens.text.at; }
