/* Shared by counting and encoding: numbered pieces of text (borders.h).
 *
 * Equal pieces have equal pretokens, so the pattern cuts each different piece only once.
 */
#ifndef PIECES_H
#define PIECES_H

#include "borders.h"

enum { WORD = 8 };

/* `begin`: offset in `text`; `value`: free for the owner, 0 at first. */
typedef struct { int64_t begin, length, value; } Piece;

/* An entry of the hash table: the first bytes of the piece (at most 8), its length (at most
 * UINT32_MAX is written) and its number; −1 if the slot is free. */
typedef struct { uint64_t head; uint32_t length; int32_t number; } Slot;

/* Different pieces in the order of first appearance. The table `slots` is at most half full.
 * After the last byte of `text` 8 more bytes may be read. */
typedef struct {
    ARRAY(Piece) pieces;
    ARRAY(uint8_t) text;
    Slot *slots;
    int64_t slot_count; /* a power of two */
    uint64_t seed;
} Pieces;

/* Return the first bytes of a text as a number. 8 bytes must be readable, however short it is. */
static inline uint64_t word_at(const uint8_t *text, int64_t length) {
    uint64_t word;
    memcpy(&word, text, WORD);
    return length >= WORD ? word : word & ((1ull << 8 * length) - 1);
}

bool start_pieces(Pieces *p, uint64_t seed);
void release_pieces(Pieces *p); /* allowed in any state */

/* Return the number of a piece; a new piece gets the next number. FAILED without memory. After the
 * text 8 bytes must be readable. */
int64_t number_of_piece(Pieces *p, const uint8_t *text, int64_t length);

/* Write the numbers of the next pieces of a text, at most `TOGETHER`, and move `at` after them.
 * Return how many they are, FAILED without memory. After the text 8 bytes must be readable. */
enum { TOGETHER = 64 };
int number_pieces(Pieces *p, const Borders *borders, const uint8_t **at, const uint8_t *end,
                  int32_t *numbers);

/* Return the piece with these bytes, NULL if there is none. */
const Piece *known_piece(const Pieces *p, const uint8_t *text, int64_t length);

/* Write the sizes of the pieces from number `first` on. */
void sizes_from(const Pieces *p, int64_t first, int64_t *sizes);

/* Return the text of the pieces from number `first` on, joined. */
const uint8_t *text_from(const Pieces *p, int64_t first);

#endif
