/* What counting and encoding share: where a text is cut, and the pieces it is cut into, numbered.
 *
 * What the pieces are is not asked here: engine/counting/by_pieces.py explains it, and the pattern
 * cuts each different piece once.
 */
#ifndef PIECES_H
#define PIECES_H

#include "kernel.h"

enum { WORD = 8 };

/* Where a piece ends: `BorderTables` of engine/text/patterns.py. */
typedef struct { uint8_t left[256], right[256], before_left; } Borders;

/* `head`: the first bytes, at the most 8; `begin`: where it stands in `text`; `value`: the owner's,
 * 0 at first. */
typedef struct { uint64_t head; int64_t begin, length, value; } Piece;
typedef struct { uint32_t hash; int32_t number; } Slot; /* half of a hash; −1 is free */

/* Different pieces in the order in which they first came. `slots` has an entry for each, and is at
 * most half full. Behind the last byte of `text` there are 8 more that may be read. */
typedef struct {
    ARRAY(Piece) pieces;
    ARRAY(uint8_t) text;
    Slot *slots;
    int64_t slot_count; /* a power of two */
    uint64_t seed;
} Pieces;

/* All jump to `out_of_memory` if there is none; `release_pieces` is right in any state. */
void start_pieces(Pieces *p, uint64_t seed);
void release_pieces(Pieces *p);

/* The number of a piece; a new one gets the next. 8 bytes have to be readable behind the text. */
int64_t number_of_piece(Pieces *p, const uint8_t *text, int64_t length);

/* The piece with these bytes; NULL if there is none. */
const Piece *known_piece(const Pieces *p, const uint8_t *text, int64_t length);

/* Where the piece ends that begins at a place. */
const uint8_t *end_of_piece(const Borders *borders, const uint8_t *at, const uint8_t *end);

/* The sizes of the pieces from a number on, one after the other. */
void sizes_from(const Pieces *p, int64_t first, int64_t *sizes);

/* Their text, which is joined. */
const uint8_t *text_from(const Pieces *p, int64_t first);

#endif
