#include "pieces.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "pieces are read as little-endian words" /* such machines go without the kernel */
#endif

enum { FEW_SLOTS = 1 << 12 };

static uint64_t hash_of(const Pieces *p, const uint8_t *text, int64_t length) {
    uint64_t hash = (uint64_t)length;
    for (int64_t at = 0; at < length; at += WORD)
        hash = scrambled(hash ^ word_at(text + at, length - at), p->seed);
    return hash;
}

/* A text to be looked up among the pieces. */
typedef struct { const uint8_t *text; int64_t length; uint64_t hash; } Lookup;

/* Hash a text, and start to load its slot. */
static inline Lookup lookup(const Pieces *p, const uint8_t *text, int64_t length) {
    const Lookup s = {text, length, hash_of(p, text, length)};
    PREFETCH(&p->slots[s.hash & (uint64_t)(p->slot_count - 1)]);
    return s;
}

static inline Slot slot_for(const uint8_t *text, int64_t length, int64_t number) {
    const uint32_t written = length < UINT32_MAX ? (uint32_t)length : UINT32_MAX;
    return (Slot){word_at(text, length), written, (int32_t)number};
}

/* Return the slot of a piece, or the free slot for it. */
static inline uint64_t slot_of(const Pieces *p, Lookup s) {
    const Slot own = slot_for(s.text, s.length, 0);
    const uint64_t mask = (uint64_t)p->slot_count - 1;
    uint64_t slot = s.hash & mask;
    for (const Slot *met; (met = &p->slots[slot])->number >= 0; slot = (slot + 1) & mask) {
        if (met->head != own.head || met->length != own.length) continue;
        if (s.length <= WORD) break;
        const Piece *piece = &p->pieces.at[met->number];
        if (piece->length == s.length &&
            !memcmp(p->text.at + piece->begin, s.text, (size_t)s.length))
            break;
    }
    return slot;
}

static bool grow_slots(Pieces *p, int64_t count) {
    Slot *slots = zeroed(count, sizeof *slots);
    TRY(slots);
    free(p->slots);
    p->slots = slots;
    p->slot_count = count;
    memset(slots, -1, (size_t)count * sizeof *slots);
    TRY(RESERVE(p->text, WORD));
    for (int64_t number = 0; number < p->pieces.length; number++) {
        const Piece *piece = &p->pieces.at[number];
        const uint8_t *text = p->text.at + piece->begin;
        uint64_t slot = hash_of(p, text, piece->length) & (uint64_t)(count - 1);
        while (slots[slot].number >= 0) slot = (slot + 1) & (uint64_t)(count - 1);
        slots[slot] = slot_for(text, piece->length, number);
    }
    return true;
}

bool start_pieces(Pieces *p, uint64_t seed) {
    p->seed = seed | 1;
    return grow_slots(p, FEW_SLOTS);
}

void release_pieces(Pieces *p) {
    RELEASE(p->pieces);
    RELEASE(p->text);
    free(p->slots);
    p->slots = NULL;
}

static int64_t add_piece(Pieces *p, Lookup s, uint64_t slot) {
    const int64_t number = p->pieces.length;
    const bool fits = number < INT32_MAX; /* else no number is left */
    if (!fits || !RESERVE(p->text, s.length + WORD) || !RESERVE(p->pieces, 1)) return FAILED;
    p->slots[slot] = slot_for(s.text, s.length, number);
    p->pieces.at[p->pieces.length++] = (Piece){p->text.length, s.length, 0};
    copy(p->text.at + p->text.length, s.text, s.length);
    p->text.length += s.length;
    if (2 * p->pieces.length > p->slot_count && !grow_slots(p, 4 * p->slot_count)) return FAILED;
    return number;
}

static inline int64_t number_of(Pieces *p, Lookup s) {
    const uint64_t slot = slot_of(p, s);
    const int32_t number = p->slots[slot].number;
    return number >= 0 ? number : add_piece(p, s, slot);
}

int64_t number_of_piece(Pieces *p, const uint8_t *text, int64_t length) {
    return number_of(p, lookup(p, text, length));
}

const Piece *known_piece(const Pieces *p, const uint8_t *text, int64_t length) {
    const int32_t number = p->slots[slot_of(p, lookup(p, text, length))].number;
    return number < 0 ? NULL : &p->pieces.at[number];
}

/* Looked up together, many slots are waited for as long as one. */
int number_pieces(Pieces *p, const Borders *borders, const uint8_t **at, const uint8_t *end,
                  int32_t *numbers) {
    const uint8_t *ends[TOGETHER];
    Lookup pieces[TOGETHER];
    const int found = *at < end ? find_ends(borders, *at, end, ends, TOGETHER) : 0;
    for (int each = 0; each < found; *at = ends[each++])
        pieces[each] = lookup(p, *at, ends[each] - *at);
    for (int each = 0; each < found; each++) {
        const int64_t number = number_of(p, pieces[each]);
        if (number < 0) return FAILED;
        numbers[each] = (int32_t)number;
    }
    return found;
}

void sizes_from(const Pieces *p, int64_t first, int64_t *sizes) {
    for (int64_t number = first; number < p->pieces.length; number++)
        *sizes++ = p->pieces.at[number].length;
}

const uint8_t *text_from(const Pieces *p, int64_t first) {
    return p->text.at + (first < p->pieces.length ? p->pieces.at[first].begin : 0);
}
