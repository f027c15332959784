#include "pieces.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "pieces are read as little-endian words" /* such machines go without the kernel */
#endif

enum { FEW_SLOTS = 1 << 12 };

/* The bytes of a text as a number; 8 of them have to be readable, however short it is. */
static uint64_t word_at(const uint8_t *text, int64_t length) {
    uint64_t word;
    memcpy(&word, text, WORD);
    return length >= WORD ? word : word & ((1ull << 8 * length) - 1);
}

static uint64_t hash_of(const Pieces *p, const uint8_t *text, int64_t length) {
    uint64_t hash = (uint64_t)length;
    for (int64_t at = 0; at < length; at += WORD)
        hash = scrambled(hash ^ word_at(text + at, length - at), p->seed);
    return hash;
}

static void grow_slots(Pieces *p, int64_t count) {
    Slot *slots = allocated(count, sizeof *slots);
    free(p->slots);
    p->slots = slots;
    p->slot_count = count;
    memset(slots, -1, (size_t)count * sizeof *slots);
    RESERVE(p->text, WORD);
    for (int64_t number = 0; number < p->pieces.length; number++) {
        const Piece *piece = &p->pieces.at[number];
        const uint64_t hash = hash_of(p, p->text.at + piece->begin, piece->length);
        uint64_t slot = hash & (uint64_t)(count - 1);
        while (slots[slot].number >= 0) slot = (slot + 1) & (uint64_t)(count - 1);
        slots[slot] = (Slot){(uint32_t)(hash >> 32), (int32_t)number};
    }
}

void start_pieces(Pieces *p, uint64_t seed) {
    p->seed = seed | 1;
    grow_slots(p, FEW_SLOTS);
}

void release_pieces(Pieces *p) {
    RELEASE(p->pieces);
    RELEASE(p->text);
    free(p->slots);
    p->slots = NULL;
}

/* The slot of a piece, or the free one where it would stand. */
static inline uint64_t slot_of(const Pieces *p, const uint8_t *text, int64_t length, uint64_t hash) {
    const uint64_t head = word_at(text, length), mask = (uint64_t)p->slot_count - 1;
    uint64_t slot = hash & mask;
    for (Slot met; (met = p->slots[slot]).number >= 0; slot = (slot + 1) & mask) {
        const Piece *piece = &p->pieces.at[met.number];
        if (met.hash == (uint32_t)(hash >> 32) && piece->head == head && piece->length == length &&
            (length <= WORD || !memcmp(p->text.at + piece->begin, text, (size_t)length)))
            break;
    }
    return slot;
}

int64_t number_of_piece(Pieces *p, const uint8_t *text, int64_t length) {
    const uint64_t hash = hash_of(p, text, length), slot = slot_of(p, text, length, hash);
    if (p->slots[slot].number >= 0) return p->slots[slot].number;
    if (p->pieces.length == INT32_MAX) longjmp(*out_of_memory, 1); /* no number is left */
    RESERVE(p->text, length + WORD);
    RESERVE(p->pieces, 1);
    const int64_t number = p->pieces.length;
    p->slots[slot] = (Slot){(uint32_t)(hash >> 32), (int32_t)number};
    PUSH(p->pieces, ((Piece){word_at(text, length), p->text.length, length, 0}));
    copy(p->text.at + p->text.length, text, length);
    p->text.length += length;
    if (2 * p->pieces.length > p->slot_count) grow_slots(p, 4 * p->slot_count);
    return number;
}

const Piece *known_piece(const Pieces *p, const uint8_t *text, int64_t length) {
    const int32_t number = p->slots[slot_of(p, text, length, hash_of(p, text, length))].number;
    return number < 0 ? NULL : &p->pieces.at[number];
}

const uint8_t *end_of_piece(const Borders *borders, const uint8_t *at, const uint8_t *end) {
    const int before_left = borders->before_left;
    int rules = at + 1 < end ? borders->left[at[0]] & borders->right[at[1]] : 0;
    while (++at < end) {
        const int behind = rules & ~before_left;
        rules = at + 1 < end ? borders->left[at[0]] & borders->right[at[1]] : 0;
        if (behind | (rules & before_left)) break;
    }
    return at;
}

void sizes_from(const Pieces *p, int64_t first, int64_t *sizes) {
    for (int64_t number = first; number < p->pieces.length; number++)
        *sizes++ = p->pieces.at[number].length;
}

const uint8_t *text_from(const Pieces *p, int64_t first) {
    return p->text.at + (first < p->pieces.length ? p->pieces.at[first].begin : 0);
}
