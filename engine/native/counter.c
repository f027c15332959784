/* Counting: special tokens are left out of a text, the rest is cut into pieces, and equal ones are
 * counted. */
#include "pieces.h"

typedef struct { int64_t begin, end; } Stretch;

/* Between two calls the value of every piece is 0; within one it is how often it has come. */
typedef struct {
    Pieces all;
    Borders borders;
    ARRAY(int64_t) numbers; /* the pieces of the last chunk, and how often each came */
    ARRAY(int64_t) counts;
    int64_t known; /* how many pieces there were before that chunk */

    ARRAY(uint8_t) specials; /* the special tokens one after the other, longest first */
    ARRAY(int64_t) special_sizes;
    uint8_t may_begin[256]; /* byte → whether a special token begins with it */
    int first_bytes;        /* how many such bytes there are */

    int64_t filled;           /* stretches of the last chunk, between special tokens, with a word */
    ARRAY(Stretch) unclear;   /* those that may be all whitespace */
} Counter;

/* The size of the special token that stands at a place; 0 if none does. */
static int64_t special_at(const Counter *c, const uint8_t *at, const uint8_t *end) {
    const uint8_t *token = c->specials.at;
    for (int64_t each = 0; each < c->special_sizes.length; each++) {
        const int64_t size = c->special_sizes.at[each];
        if (size <= end - at && !memcmp(token, at, (size_t)size)) return size;
        token += size;
    }
    return 0;
}

/* Where the next special token stands, and its size; the end, if there is none. */
static const uint8_t *next_special(const Counter *c, const uint8_t *at, const uint8_t *end,
                                   int64_t *size) {
    *size = 0;
    if (c->special_sizes.length == 0) return end;
    for (; at < end; at++) {
        if (c->first_bytes == 1 && !(at = memchr(at, *c->specials.at, (size_t)(end - at)))) break;
        if (c->may_begin[*at] && (*size = special_at(c, at, end))) return at;
    }
    return end;
}

/* Whether a word stands at the beginning, in visible ASCII; else Python has a closer look. */
static int is_clear(const uint8_t *at, const uint8_t *end) {
    for (int more = 4; more-- && at < end; at++)
        if (*at > ' ' && *at < 0x7F) return 1;
    return 0;
}

static void count_stretch(Counter *c, const uint8_t *at, const uint8_t *end) {
    int32_t numbers[TOGETHER];
    while (at < end) {
        const int pieces = number_pieces(&c->all, &c->borders, &at, end, numbers);
        for (int each = 0; each < pieces; each++)
            if (c->all.pieces.at[numbers[each]].value++ == 0) PUSH(c->numbers, numbers[each]);
    }
}

/* -- what Python calls */

EXPORT void counter_free(Counter *c) {
    release_pieces(&c->all);
    RELEASE(c->numbers);
    RELEASE(c->counts);
    RELEASE(c->specials);
    RELEASE(c->special_sizes);
    RELEASE(c->unclear);
    free(c);
}

static int begin(Counter *c, const uint8_t *tokens, const int64_t *sizes, int64_t count,
                 uint64_t seed) {
    jmp_buf place;
    out_of_memory = &place;
    if (setjmp(place)) return 0;
    start_pieces(&c->all, seed);
    int64_t end = 0;
    for (int64_t each = 0; each < count; end += sizes[each++]) {
        c->first_bytes += !c->may_begin[tokens[end]];
        c->may_begin[tokens[end]] = 1;
        PUSH(c->special_sizes, sizes[each]);
    }
    RESERVE(c->specials, end);
    copy(c->specials.at, tokens, end);
    return 1;
}

/* The special tokens stand one after the other, longest first. NULL: there is no memory. */
EXPORT Counter *counter_new(const BorderTables *borders, const uint8_t *tokens, const int64_t *sizes,
                            int64_t count, uint64_t seed) {
    Counter *c = calloc(1, sizeof *c);
    if (c == NULL) return NULL;
    set_borders(&c->borders, borders);
    if (begin(c, tokens, sizes, count, seed)) return c;
    counter_free(c);
    return NULL;
}

/* Count a text, behind which there are 8 bytes that may be read. Tells how many different pieces it
 * has, which are in `counter_numbers` and `counter_counts`; `FAILED` without memory, and then it is
 * not to be used any more. */
EXPORT int64_t counter_count(Counter *c, const uint8_t *text, int64_t size) {
    jmp_buf place;
    out_of_memory = &place;
    if (setjmp(place)) return FAILED;
    c->numbers.length = c->counts.length = c->unclear.length = 0;
    c->filled = 0;
    c->known = c->all.pieces.length;
    const uint8_t *at = text, *end = text + size;
    for (int64_t special; at < end; at += special) {
        const uint8_t *begin = at;
        at = next_special(c, begin, end, &special);
        count_stretch(c, begin, at);
        if (is_clear(begin, at)) c->filled++;
        else if (begin < at) PUSH(c->unclear, ((Stretch){begin - text, at - text}));
    }
    for (int64_t each = 0; each < c->numbers.length; each++) {
        Piece *piece = &c->all.pieces.at[c->numbers.at[each]];
        PUSH(c->counts, piece->value);
        piece->value = 0;
    }
    return c->numbers.length;
}

EXPORT const int64_t *counter_numbers(const Counter *c) { return c->numbers.at; }
EXPORT const int64_t *counter_counts(const Counter *c) { return c->counts.at; }

/* Of the last chunk: how many stretches hold a word, and where those stand that may hold none. */
EXPORT int64_t counter_filled(const Counter *c) { return c->filled; }
EXPORT int64_t counter_unclear(const Counter *c) { return c->unclear.length; }
EXPORT const Stretch *counter_unclear_stretches(const Counter *c) { return c->unclear.at; }

/* The pieces that came first in the last chunk: how many they are, their sizes, and their text. */
EXPORT int64_t counter_new_pieces(const Counter *c) { return c->all.pieces.length - c->known; }
EXPORT void counter_new_sizes(const Counter *c, int64_t *sizes) {
    sizes_from(&c->all, c->known, sizes);
}
EXPORT const uint8_t *counter_new_text(const Counter *c) { return text_from(&c->all, c->known); }
