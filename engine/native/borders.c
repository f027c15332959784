/* Finding borders. Blocks are scanned without a branch on their content: a processor would often
 * mispredict where a piece ends. */
#include "borders.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define VECTORS __attribute__((target("avx2")))

/* Whether the processor has the vectors. `BPE_TUI_KERNEL=plain` goes without them. */
static bool has_vectors(void) {
    const char *wish = getenv("BPE_TUI_KERNEL");
    return __builtin_cpu_supports("avx2") && !(wish && !strcmp(wish, "plain"));
}

/* Return the 16 numbers of a table, twice. */
VECTORS static inline __m256i table_of(const uint8_t *table) {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)table));
}

/* Return the classes of 32 bytes. A shuffle looks up the low half of a byte, in one table for each
 * high half; it gives 0 where the index is above 0x7F, as it is for all other high halves. */
VECTORS static inline __m256i classes_of(const uint8_t *class_of, __m256i bytes) {
    const int tables = _mm256_movemask_epi8(bytes) ? 16 : 8; /* 8 for ASCII */
    __m256i classes = _mm256_setzero_si256();
    for (int high = 0; high < tables; high++) {
        const __m256i others = _mm256_xor_si256(bytes, _mm256_set1_epi8((char)(high << 4)));
        const __m256i index = _mm256_adds_epu8(others, _mm256_set1_epi8(0x70));
        const __m256i found = _mm256_shuffle_epi8(table_of(class_of + 16 * high), index);
        classes = _mm256_or_si256(classes, found);
    }
    return classes;
}

VECTORS static inline uint64_t which_are_set(__m256i low, __m256i high) {
    const __m256i zero = _mm256_setzero_si256();
    const uint32_t of_low = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, zero));
    const uint32_t of_high = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, zero));
    return ~((uint64_t)of_high << 32 | of_low);
}

/* Do what `borders_before` does for 64 bytes, which are 63 twos. */
VECTORS static uint64_t borders_in_vectors(const Borders *borders, const uint8_t *at) {
    const __m256i low = classes_of(borders->class_of, _mm256_loadu_si256((const void *)at));
    const __m256i high = classes_of(borders->class_of, _mm256_loadu_si256((const void *)(at + 32)));
    const __m256i left = table_of(borders->left), right = table_of(borders->right);
    const __m256i right_low = _mm256_shuffle_epi8(right, low);
    const __m256i right_high = _mm256_shuffle_epi8(right, high);
    /* Each byte beside the next one; the last has none. */
    const __m256i middle = _mm256_permute2x128_si256(right_low, right_high, 0x21);
    const __m256i last = _mm256_permute2x128_si256(right_high, right_high, 0x81);
    const __m256i next_low = _mm256_alignr_epi8(middle, right_low, 1);
    const __m256i next_high = _mm256_alignr_epi8(last, right_high, 1);
    const __m256i both_low = _mm256_and_si256(_mm256_shuffle_epi8(left, low), next_low);
    const __m256i both_high = _mm256_and_si256(_mm256_shuffle_epi8(left, high), next_high);
    const __m256i before = _mm256_set1_epi8((char)borders->before_left);
    return which_are_set(_mm256_and_si256(both_low, before), _mm256_and_si256(both_high, before)) |
           which_are_set(_mm256_andnot_si256(before, both_low),
                         _mm256_andnot_si256(before, both_high)) << 1;
}
#else
static bool has_vectors(void) { return false; }
static uint64_t borders_in_vectors(const Borders *borders, const uint8_t *at) {
    (void)borders, (void)at;
    return 0;
}
#endif

/* Find the classes of bytes; return false if there are too many. */
static bool set_classes(Borders *borders, const BorderTables *tables) {
    int classes = 0;
    for (int byte = 0; byte < 256; byte++) {
        int class = 0;
        while (class < classes && (borders->left[class] != tables->left[byte] ||
                                   borders->right[class] != tables->right[byte]))
            class++;
        if (class == 16) return false;
        if (class == classes) classes++;
        borders->left[class] = tables->left[byte];
        borders->right[class] = tables->right[byte];
        borders->class_of[byte] = (uint8_t)class;
    }
    borders->before_left = tables->before_left;
    return true;
}

void set_borders(Borders *borders, const BorderTables *tables) {
    const int before_left = tables->before_left;
    borders->has_tables = false;
    for (int two = 0; two < 1 << 16; two++) {
        const int rules = tables->left[two & 0xFF] & tables->right[two >> 8];
        borders->of_two[two] = (uint8_t)((rules & before_left ? 1 : 0) | (rules & ~before_left ? 2 : 0));
        borders->has_tables |= rules != 0; /* else a text is one piece */
    }
    borders->in_vectors = has_vectors() && set_classes(borders, tables);
}

/* Return a bit for each byte from a place on: 1 for a border before it. `twos`: the number of
 * neighbouring bytes to look at. */
static inline uint64_t borders_before(const Borders *borders, const uint8_t *at, int64_t twos) {
    uint64_t found = 0;
    for (int64_t each = 0; each < twos; each++)
        found |= (uint64_t)borders->of_two[at[each] | at[each + 1] << 8] << each;
    return found;
}

/* Return the next mark from a place on, or the end. */
static const uint8_t *find_mark(const Borders *borders, const uint8_t *at, const uint8_t *end) {
    const size_t size = borders->mark_size;
    while (size && at < end && (at = memchr(at, borders->mark[0], (size_t)(end - at)))) {
        if ((size_t)(end - at) >= size && !memcmp(at, borders->mark, size)) return at;
        at++;
    }
    return end;
}

static int find_marks(const Borders *borders, const uint8_t *begin, const uint8_t *end,
                      const uint8_t **ends, int most) {
    const int64_t size = borders->mark_size;
    int found = 0;
    for (const uint8_t *at = begin + 1; found < most; at += size) {
        at = find_mark(borders, at, end);
        const bool is_after_mark = at - begin >= size && !memcmp(at - size, borders->mark, (size_t)size);
        if (at == end || !(borders->in_runs && is_after_mark)) ends[found++] = at;
        if (at == end) break;
    }
    return found;
}

int find_ends(const Borders *borders, const uint8_t *begin, const uint8_t *end,
              const uint8_t **ends, int most) {
    if (!borders->has_tables) return find_marks(borders, begin, end, ends, most);
    int found = 0;
    for (const uint8_t *block = begin;; block += IN_BLOCK - 1) {
        const int64_t left = end - block - 1;
        const bool is_last = left < IN_BLOCK;
        uint64_t places = !is_last && borders->in_vectors
                              ? borders_in_vectors(borders, block)
                              : borders_before(borders, block, is_last ? left : IN_BLOCK);
        if (is_last) places |= 1ull << (left + 1); /* the end is a border */
        else places &= ~(1ull << IN_BLOCK);        /* its right neighbour is in the next block */
        for (places &= ~1ull; places; places &= places - 1)
            ends[found++] = block + lowest_bit(places);
        if (is_last || found + IN_BLOCK > most) return found;
    }
}
