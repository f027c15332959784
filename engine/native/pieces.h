/* What counting and encoding share: where a text is cut, and the pieces it is cut into, numbered.
 *
 * What the pieces are is not asked here: engine/counting/by_pieces.py explains it, and the pattern
 * cuts each different piece once.
 */
#ifndef PIECES_H
#define PIECES_H

#include "kernel.h"

enum { WORD = 8 };

/* Where a piece ends, as `BorderTables` of engine/text/patterns.py has it. */
typedef struct { uint8_t left[256], right[256], before_left; } BorderTables;

/* The same for each two bytes side by side, the left one in the low bits: 1 for a border before the
 * left one, 2 for one before the right one, or both. */
typedef struct { uint8_t of_two[1 << 16]; } Borders;
void set_borders(Borders *borders, const BorderTables *tables);

/* `begin`: where it stands in `text`; `value`: the owner's, 0 at first. */
typedef struct { int64_t begin, length, value; } Piece;

/* What a piece is found by: its first bytes, at the most 8, and its length, as far as it can be
 * written. The number −1 is free. */
typedef struct { uint64_t head; uint32_t length; int32_t number; } Slot;

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

/* The numbers of the next pieces of a text, of `TOGETHER` at the most; how many they are. `at` moves
 * behind them. 8 bytes have to be readable behind the text. */
enum { TOGETHER = 64 };
int number_pieces(Pieces *p, const Borders *borders, const uint8_t **at, const uint8_t *end,
                  int32_t *numbers);

/* The piece with these bytes; NULL if there is none. */
const Piece *known_piece(const Pieces *p, const uint8_t *text, int64_t length);

/* The sizes of the pieces from a number on, one after the other. */
void sizes_from(const Pieces *p, int64_t first, int64_t *sizes);

/* Their text, which is joined. */
const uint8_t *text_from(const Pieces *p, int64_t first);

#endif
