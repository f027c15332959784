/* Shared by scanning and spelling: the characters of a text in UTF-8.
 *
 * A byte that is not valid UTF-8 is a character by itself, as Python's `surrogateescape` has it.
 */
#ifndef CHARACTERS_H
#define CHARACTERS_H

#include "kernel.h"

/* Return the code of the character with the bits `first` and `more` bytes after them; −1 if it is
 * invalid or below `least`. */
static inline int32_t code_of(const uint8_t *at, const uint8_t *end, int more, int32_t first,
                              int32_t least) {
    if (end - at <= more) return -1;
    int32_t code = first;
    for (int place = 1; place <= more; place++) {
        if ((at[place] & 0xC0) != 0x80) return -1;
        code = code << 6 | (at[place] & 0x3F);
    }
    const int is_surrogate = code >= 0xD800 && code < 0xE000;
    return code < least || code > 0x10FFFF || is_surrogate ? -1 : code;
}

/* Return the code of a character beyond ASCII, −1 if it is no UTF-8, and set its size. */
static inline int32_t read_character(const uint8_t *at, const uint8_t *end, int32_t *size) {
    const uint8_t a = *at;
    int32_t code = -1;
    if (a >= 0xC2 && a < 0xE0) *size = 2, code = code_of(at, end, 1, a & 0x1F, 0x80);
    if (a >= 0xE0 && a < 0xF0) *size = 3, code = code_of(at, end, 2, a & 0x0F, 0x800);
    if (a >= 0xF0 && a < 0xF5) *size = 4, code = code_of(at, end, 3, a & 0x07, 0x10000);
    if (code < 0) *size = 1;
    return code;
}

/* Return the number of bytes of the character at a place. */
static inline int32_t size_of_character(const uint8_t *at, const uint8_t *end) {
    int32_t size = 1;
    if (*at >= 0x80) read_character(at, end, &size);
    return size;
}

#endif
