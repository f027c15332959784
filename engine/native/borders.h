/* Shared by counting and encoding: where a text is cut into pieces.
 *
 * A piece is a stretch of text that can be pretokenized alone; see
 * NativePieceCounter in engine/counting/count.py.
 */
#ifndef BORDERS_H
#define BORDERS_H

#include "kernel.h"

/* The classes of bytes that decide where a piece ends: `BorderTables` of engine/text/patterns.py. */
typedef struct { uint8_t left[256], right[256], before_left; } BorderTables;

/* For each two adjacent bytes, the left one in the low bits: 1 for a border before the left byte,
 * 2 for a border before the right byte, or both.
 *
 * For vectors, bytes with equal borders on both sides are a class, if there are at most 16: the class
 * of each byte, and the tables of each class. */
typedef struct {
    uint8_t of_two[1 << 16];
    bool in_vectors;
    uint8_t class_of[256], left[16], right[16], before_left;
    /* Without tables: a piece ends before each mark, of a run of marks only before the first if
     * `in_runs`; a text is one piece if there is no mark. Such pieces are pretokens. */
    bool has_tables, in_runs;
    uint8_t mark[4], mark_size;
} Borders;
void set_borders(Borders *borders, const BorderTables *tables);

/* Write the ends of the next pieces of a text that is not empty; return how many they are, at least
 * one. `most`: room for ends, at least `IN_BLOCK`. */
enum { IN_BLOCK = 63 };
int find_ends(const Borders *borders, const uint8_t *begin, const uint8_t *end,
              const uint8_t **ends, int most);

#endif
