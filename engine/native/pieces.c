/* Counting: a text is cut into pieces where the bytes show a border, and equal pieces are counted.
 *
 * What the pieces are is not asked here: engine/counting/by_pieces.py explains it, and has the
 * pattern cut each piece once.
 */
#include "kernel.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "pieces are read as little-endian words" /* such machines go without the kernel */
#endif

enum { WORD = 8, FEW_SLOTS = 1 << 12 };

/* `head`: the first bytes, at the most 8; `begin`: where it stands in `text`; `count`: how often it
 * has come in this chunk. */
typedef struct { uint64_t head; int64_t begin, length, count; } Piece;
typedef struct { uint32_t hash; int32_t number; } Slot; /* half of a hash; −1 is free */

/* The pieces in the order in which they first came.
 * Between two calls every count is 0, and `slots` has an entry for each piece, at most half full. */
typedef struct {
    ARRAY(Piece) pieces;
    ARRAY(uint8_t) text;
    Slot *slots;
    int64_t slot_count; /* a power of two */
    uint64_t seed;
    uint8_t left[256], right[256], before_left; /* `BorderTables` */
    ARRAY(int64_t) numbers; /* the pieces of the last chunk, and how often each came */
    ARRAY(int64_t) counts;
    int64_t known; /* how many pieces there were before that chunk */
} Counter;

/* The bytes of a text as a number; 8 of them have to be readable, however short it is. */
static uint64_t word_at(const uint8_t *text, int64_t length) {
    uint64_t word;
    memcpy(&word, text, WORD);
    return length >= WORD ? word : word & ((1ull << 8 * length) - 1);
}

static uint64_t hash_of(const Counter *c, const uint8_t *text, int64_t length) {
    uint64_t hash = (uint64_t)length;
    for (int64_t at = 0; at < length; at += WORD)
        hash = scrambled(hash ^ word_at(text + at, length - at), c->seed);
    return hash;
}

static void grow_slots(Counter *c, int64_t count) {
    Slot *slots = allocated(count, sizeof *slots);
    free(c->slots);
    c->slots = slots;
    c->slot_count = count;
    memset(slots, -1, (size_t)count * sizeof *slots);
    RESERVE(c->text, WORD); /* readable behind the last piece */
    for (int64_t number = 0; number < c->pieces.length; number++) {
        const Piece *piece = &c->pieces.at[number];
        const uint64_t hash = hash_of(c, c->text.at + piece->begin, piece->length);
        uint64_t slot = hash & (uint64_t)(count - 1);
        while (slots[slot].number >= 0) slot = (slot + 1) & (uint64_t)(count - 1);
        slots[slot] = (Slot){(uint32_t)(hash >> 32), (int32_t)number};
    }
}

/* The number of a piece; a new one gets the next. */
static int64_t number_of(Counter *c, const uint8_t *text, int64_t length) {
    const uint64_t hash = hash_of(c, text, length), head = word_at(text, length);
    uint64_t slot = hash & (uint64_t)(c->slot_count - 1);
    for (Slot met; (met = c->slots[slot]).number >= 0; slot = (slot + 1) & (uint64_t)(c->slot_count - 1)) {
        const Piece *piece = &c->pieces.at[met.number];
        if (met.hash == (uint32_t)(hash >> 32) && piece->head == head && piece->length == length &&
            (length <= WORD || !memcmp(c->text.at + piece->begin, text, (size_t)length)))
            return met.number;
    }
    if (c->pieces.length == INT32_MAX) longjmp(*out_of_memory, 1); /* no number is left */
    RESERVE(c->text, length + WORD);
    RESERVE(c->pieces, 1);
    const int64_t number = c->pieces.length;
    c->slots[slot] = (Slot){(uint32_t)(hash >> 32), (int32_t)number};
    PUSH(c->pieces, ((Piece){head, c->text.length, length, 0}));
    copy(c->text.at + c->text.length, text, length);
    c->text.length += length;
    if (2 * c->pieces.length > c->slot_count) grow_slots(c, 4 * c->slot_count);
    return number;
}

/* Where the piece ends that begins at a place. */
static const uint8_t *end_of_piece(const Counter *c, const uint8_t *at, const uint8_t *end) {
    int rules = at + 1 < end ? c->left[at[0]] & c->right[at[1]] : 0;
    while (++at < end) {
        const int behind = rules & ~c->before_left;
        rules = at + 1 < end ? c->left[at[0]] & c->right[at[1]] : 0;
        if (behind | (rules & c->before_left)) break;
    }
    return at;
}

static void count_stretch(Counter *c, const uint8_t *at, const uint8_t *end) {
    while (at < end) {
        const uint8_t *next = end_of_piece(c, at, end);
        const int64_t number = number_of(c, at, next - at);
        if (c->pieces.at[number].count++ == 0) PUSH(c->numbers, number);
        at = next;
    }
}

/* -- what Python calls */

EXPORT void counter_free(Counter *c) {
    RELEASE(c->pieces);
    RELEASE(c->text);
    RELEASE(c->numbers);
    RELEASE(c->counts);
    free(c->slots);
    free(c);
}

static int begin(Counter *c) {
    jmp_buf place;
    out_of_memory = &place;
    if (setjmp(place)) return 0;
    grow_slots(c, FEW_SLOTS);
    return 1;
}

/* NULL: there is no memory. */
EXPORT Counter *counter_new(const uint8_t *left, const uint8_t *right, int32_t before_left,
                            uint64_t seed) {
    Counter *c = calloc(1, sizeof *c);
    if (c == NULL) return NULL;
    memcpy(c->left, left, sizeof c->left);
    memcpy(c->right, right, sizeof c->right);
    c->before_left = (uint8_t)before_left;
    c->seed = seed | 1;
    if (begin(c)) return c;
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
    c->known = c->pieces.length;
    for (int64_t each = 0; each <= stretches; each++)
        count_stretch(c, text + (each ? ends[each - 1] : 0),
                      text + (each < stretches ? starts[each] : size));
    for (int64_t each = 0; each < c->numbers.length; each++) {
        Piece *piece = &c->pieces.at[c->numbers.at[each]];
        PUSH(c->counts, piece->count);
        piece->count = 0;
    }
    return c->numbers.length;
}

EXPORT const int64_t *counter_numbers(const Counter *c) { return c->numbers.at; }
EXPORT const int64_t *counter_counts(const Counter *c) { return c->counts.at; }

/* The pieces that came first in the last chunk: how many they are, their sizes, and their text. */
EXPORT int64_t counter_new_pieces(const Counter *c) { return c->pieces.length - c->known; }
EXPORT void counter_new_sizes(const Counter *c, int64_t *sizes) {
    for (int64_t number = c->known; number < c->pieces.length; number++)
        *sizes++ = c->pieces.at[number].length;
}
EXPORT const uint8_t *counter_new_text(const Counter *c) {
    return c->text.at + (c->known < c->pieces.length ? c->pieces.at[c->known].begin : 0);
}
