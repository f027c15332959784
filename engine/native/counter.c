/* Counting: a text is cut into pieces, and equal ones are counted. */
#include "pieces.h"

/* Between two calls the value of every piece is 0; within one it is how often it has come. */
typedef struct {
    Pieces all;
    Borders borders;
    ARRAY(int64_t) numbers; /* the pieces of the last chunk, and how often each came */
    ARRAY(int64_t) counts;
    int64_t known; /* how many pieces there were before that chunk */
} Counter;

static void count_stretch(Counter *c, const uint8_t *at, const uint8_t *end) {
    while (at < end) {
        const uint8_t *next = end_of_piece(&c->borders, at, end);
        const int64_t number = number_of_piece(&c->all, at, next - at);
        if (c->all.pieces.at[number].value++ == 0) PUSH(c->numbers, number);
        at = next;
    }
}

/* -- what Python calls */

EXPORT void counter_free(Counter *c) {
    release_pieces(&c->all);
    RELEASE(c->numbers);
    RELEASE(c->counts);
    free(c);
}

static int begin(Counter *c, uint64_t seed) {
    jmp_buf place;
    out_of_memory = &place;
    if (setjmp(place)) return 0;
    start_pieces(&c->all, seed);
    return 1;
}

/* NULL: there is no memory. */
EXPORT Counter *counter_new(const Borders *borders, uint64_t seed) {
    Counter *c = calloc(1, sizeof *c);
    if (c == NULL) return NULL;
    c->borders = *borders;
    if (begin(c, seed)) return c;
    counter_free(c);
    return NULL;
}

/* Count a text, without the stretches that begin at `starts` and end at `ends`. Behind the text
 * there are 8 bytes that may be read. Tells how many different pieces it has, which are in
 * `counter_numbers` and `counter_counts`; `FAILED` without memory, and then it is not to be used
 * any more. */
EXPORT int64_t counter_count(Counter *c, const uint8_t *text, int64_t size, const int64_t *starts,
                             const int64_t *ends, int64_t stretches) {
    jmp_buf place;
    out_of_memory = &place;
    if (setjmp(place)) return FAILED;
    c->numbers.length = c->counts.length = 0;
    c->known = c->all.pieces.length;
    for (int64_t each = 0; each <= stretches; each++)
        count_stretch(c, text + (each ? ends[each - 1] : 0),
                      text + (each < stretches ? starts[each] : size));
    for (int64_t each = 0; each < c->numbers.length; each++) {
        Piece *piece = &c->all.pieces.at[c->numbers.at[each]];
        PUSH(c->counts, piece->value);
        piece->value = 0;
    }
    return c->numbers.length;
}

EXPORT const int64_t *counter_numbers(const Counter *c) { return c->numbers.at; }
EXPORT const int64_t *counter_counts(const Counter *c) { return c->counts.at; }

/* The pieces that came first in the last chunk: how many they are, their sizes, and their text. */
EXPORT int64_t counter_new_pieces(const Counter *c) { return c->all.pieces.length - c->known; }
EXPORT void counter_new_sizes(const Counter *c, int64_t *sizes) {
    sizes_from(&c->all, c->known, sizes);
}
EXPORT const uint8_t *counter_new_text(const Counter *c) { return text_from(&c->all, c->known); }
