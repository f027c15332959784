/* Adding up the counts of chunks, in the order of the chunks. Pretokens are numbered by first
 * appearance. */
#include "pieces.h"

/* The pieces of one counter: their pretokens, joined, and the end of each piece among these. */
typedef struct { ARRAY(int64_t) ends; ARRAY(int32_t) pretokens; } PieceTable;

typedef struct {
    Pieces pretokens; /* the value of each is its count */
    ARRAY(PieceTable) counters;
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

/* Make an empty tally. NULL without memory. */
EXPORT Tally *tally_new(uint64_t seed) {
    Tally *t = calloc(1, sizeof *t);
    if (t == NULL || start_pieces(&t->pretokens, seed)) return t;
    tally_free(t);
    return NULL;
}

static bool learn(Tally *t, int64_t counter, const uint8_t *text, const int64_t *lengths,
                  const int64_t *sizes, int64_t pieces) {
    while (t->counters.length <= counter) TRY(PUSH(t->counters, ((PieceTable){{0}, {0}})));
    PieceTable *known = &t->counters.at[counter];
    for (int64_t each = 0; each < pieces; each++) {
        for (int64_t left = sizes[each]; left; left--) {
            const int64_t pretoken = number_of_piece(&t->pretokens, text, *lengths);
            TRY(pretoken >= 0 && PUSH(known->pretokens, (int32_t)pretoken));
            text += *lengths++;
        }
        TRY(PUSH(known->ends, known->pretokens.length));
    }
    return true;
}

/* Learn new pieces of a counter. `text`: their pretokens, joined, each of a length; `sizes`: the
 * number of pretokens of each piece. After the text 8 bytes may be read. After FAILED only free
 * the tally. */
EXPORT int64_t tally_learn(Tally *t, int64_t counter, const uint8_t *text, const int64_t *lengths,
                           const int64_t *sizes, int64_t pieces) {
    return learn(t, counter, text, lengths, sizes, pieces) ? 0 : FAILED;
}

/* Add the counts of pieces of a counter. Return the number of their pretokens; FAILED for a piece
 * that the counter has not learnt. */
EXPORT int64_t tally_add(Tally *t, int64_t counter, const int64_t *pieces, const int64_t *counts,
                         int64_t length) {
    const PieceTable *known = &t->counters.at[counter];
    int64_t added = 0;
    for (int64_t each = 0; each < length; each++) {
        const int64_t piece = pieces[each], count = counts[each];
        if (piece < 0 || piece >= known->ends.length) return FAILED;
        int64_t at = piece ? known->ends.at[piece - 1] : 0;
        added += (known->ends.at[piece] - at) * count;
        for (; at < known->ends.at[piece]; at++)
            t->pretokens.pieces.at[known->pretokens.at[at]].value += count;
    }
    return added;
}

/* The number of pretokens; the sizes and counts of the first ones; the text of all, joined. */
EXPORT int64_t tally_distinct(const Tally *t) { return t->pretokens.pieces.length; }
EXPORT void tally_counts(const Tally *t, int64_t first, int64_t *sizes, int64_t *counts) {
    for (int64_t each = 0; each < first; each++) {
        sizes[each] = t->pretokens.pieces.at[each].length;
        counts[each] = t->pretokens.pieces.at[each].value;
    }
}
EXPORT const uint8_t *tally_text(const Tally *t) { return t->pretokens.text.at; }
