/* Counting: leave out the special tokens of a text, cut the rest into pieces, count equal pieces. */
#include "pieces.h"
#include "specials.h"

/* The part of a text between two special tokens. */
typedef struct { int64_t begin, end; } Stretch;

/* The value of a piece is its count in the chunk that is being counted; between calls it is 0. */
typedef struct {
    Pieces all;
    Borders borders;
    ARRAY(int64_t) numbers; /* the pieces of the last chunk, and the count of each */
    ARRAY(int64_t) counts;
    int64_t known;          /* number of pieces before that chunk */

    Specials specials; /* left out of all pieces */

    int64_t filled;         /* stretches of the last chunk that begin with a word */
    ARRAY(Stretch) unclear; /* stretches that may be all whitespace */
} Counter;

/* Return whether one of the first bytes is visible ASCII. If none is, Python looks closer. */
static bool is_clear(const uint8_t *at, const uint8_t *end) {
    for (int more = 4; more-- && at < end; at++)
        if (*at > ' ' && *at < 0x7F) return true;
    return false;
}

static bool count_stretch(Counter *c, const uint8_t *at, const uint8_t *end) {
    int32_t numbers[TOGETHER];
    while (at < end) {
        const int pieces = number_pieces(&c->all, &c->borders, &at, end, numbers);
        TRY(pieces >= 0);
        for (int each = 0; each < pieces; each++)
            if (c->all.pieces.at[numbers[each]].value++ == 0) TRY(PUSH(c->numbers, numbers[each]));
    }
    return true;
}

static bool count_text(Counter *c, const uint8_t *text, const uint8_t *end) {
    c->numbers.length = c->counts.length = c->unclear.length = 0;
    c->filled = 0;
    c->known = c->all.pieces.length;
    const uint8_t *at = text;
    for (const SpecialToken *special; at < end; at += special ? special->size : 0) {
        const uint8_t *begin = at;
        at = next_special(&c->specials, begin, end, &special);
        TRY(count_stretch(c, begin, at));
        if (is_clear(begin, at)) c->filled++;
        else if (begin < at) TRY(PUSH(c->unclear, ((Stretch){begin - text, at - text})));
    }
    for (int64_t each = 0; each < c->numbers.length; each++) {
        Piece *piece = &c->all.pieces.at[c->numbers.at[each]];
        TRY(PUSH(c->counts, piece->value));
        piece->value = 0;
    }
    return true;
}

/* -- called by Python */

EXPORT void counter_free(Counter *c) {
    release_pieces(&c->all);
    RELEASE(c->numbers);
    RELEASE(c->counts);
    release_specials(&c->specials);
    RELEASE(c->unclear);
    free(c);
}

/* Make a counter. `tokens`: the special tokens joined, longest first. NULL without memory. */
EXPORT Counter *counter_new(const BorderTables *borders, const uint8_t *tokens, const int64_t *sizes,
                            int64_t count, uint64_t seed) {
    Counter *c = calloc(1, sizeof *c);
    if (c == NULL) return NULL;
    set_borders(&c->borders, borders);
    if (start_pieces(&c->all, seed) && set_specials(&c->specials, tokens, sizes, NULL, count)) return c;
    counter_free(c);
    return NULL;
}

/* Count a text, with 8 more bytes that may be read after it. Return the number of its different
 * pieces; `counter_numbers` and `counter_counts` have them. After FAILED only free the counter. */
EXPORT int64_t counter_count(Counter *c, const uint8_t *text, int64_t size) {
    return count_text(c, text, text + size) ? c->numbers.length : FAILED;
}

EXPORT const int64_t *counter_numbers(const Counter *c) { return c->numbers.at; }
EXPORT const int64_t *counter_counts(const Counter *c) { return c->counts.at; }

/* Of the last chunk: the number of stretches with a word, and the stretches that may have none. */
EXPORT int64_t counter_filled(const Counter *c) { return c->filled; }
EXPORT int64_t counter_unclear(const Counter *c) { return c->unclear.length; }
EXPORT const Stretch *counter_unclear_stretches(const Counter *c) { return c->unclear.at; }

/* The pieces that the last chunk had first: their number, their sizes, and their text, joined. */
EXPORT int64_t counter_new_pieces(const Counter *c) { return c->all.pieces.length - c->known; }
EXPORT void counter_new_sizes(const Counter *c, int64_t *sizes) {
    sizes_from(&c->all, c->known, sizes);
}
EXPORT const uint8_t *counter_new_text(const Counter *c) { return text_from(&c->all, c->known); }
