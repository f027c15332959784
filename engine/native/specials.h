/* Shared by counting and encoding: the special tokens that are cut out of a text. */
#ifndef SPECIALS_H
#define SPECIALS_H

#include "kernel.h"

typedef struct { int64_t begin, size; int32_t id; } SpecialToken; /* `begin`: offset in `text` */

/* Special tokens by their first bytes; of those with one first byte the longest comes first. */
typedef struct {
    ARRAY(uint8_t) text;
    ARRAY(SpecialToken) tokens;
    int32_t first[257]; /* byte → index of its first token; the next byte's is their end */
    int first_bytes;    /* number of bytes that begin a token */
    uint8_t first_byte; /* one of them */
} Specials;

/* Set the special tokens: joined and longest first. `ids` may be NULL. False without memory. */
bool set_specials(Specials *s, const uint8_t *text, const int64_t *sizes, const int32_t *ids,
                  int64_t count);
void release_specials(Specials *s); /* allowed in any state */

/* Return the place of the next special token, and point to it: the leftmost, then the longest. The
 * end and NULL if there is none. */
const uint8_t *next_special(const Specials *s, const uint8_t *at, const uint8_t *end,
                            const SpecialToken **found);

#endif
