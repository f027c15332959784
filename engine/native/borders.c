/* Finding borders. Blocks are scanned without a branch on their content: a processor would often
 * mispredict where a piece ends. */
#include "borders.h"

void set_borders(Borders *borders, const BorderTables *tables) {
    const int before_left = tables->before_left;
    for (int two = 0; two < 1 << 16; two++) {
        const int rules = tables->left[two & 0xFF] & tables->right[two >> 8];
        borders->of_two[two] = (uint8_t)((rules & before_left ? 1 : 0) | (rules & ~before_left ? 2 : 0));
    }
}

/* Return a bit for each byte from a place on: 1 for a border before it. `twos`: the number of
 * neighbouring bytes to look at. */
static inline uint64_t borders_before(const Borders *borders, const uint8_t *at, int64_t twos) {
    uint64_t found = 0;
    for (int64_t each = 0; each < twos; each++)
        found |= (uint64_t)borders->of_two[at[each] | at[each + 1] << 8] << each;
    return found;
}

int find_ends(const Borders *borders, const uint8_t *begin, const uint8_t *end,
              const uint8_t **ends, int most) {
    int found = 0;
    for (const uint8_t *block = begin;; block += IN_BLOCK - 1) {
        const int64_t left = end - block - 1;
        const bool is_last = left < IN_BLOCK;
        uint64_t places = borders_before(borders, block, is_last ? left : IN_BLOCK);
        if (is_last) places |= 1ull << (left + 1); /* the end is a border */
        else places &= ~(1ull << IN_BLOCK);        /* its right neighbour is in the next block */
        for (places &= ~1ull; places; places &= places - 1)
            ends[found++] = block + lowest_bit(places);
        if (is_last || found + IN_BLOCK > most) return found;
    }
}
