/* Shared by all files of the kernel: arrays that grow, and how memory that runs out is reported.
 *
 * The kernel is called through ctypes, so other threads run meanwhile. It does not know Python and
 * keeps no memory of Python's: arguments are copied or read before the call returns, and Python
 * copies results before its next call. Only texts.c differs: it says how.
 *
 * Memory that runs out is an ordinary result. A function that allocates returns false (or NULL, or
 * FAILED) and its caller returns at once, up to Python. The structure can still be freed.
 */
#ifndef KERNEL_H
#define KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef _MSC_VER
#include <intrin.h>
#define EXPORT __declspec(dllexport)
#define PREFETCH(address) _mm_prefetch((const char *)(address), _MM_HINT_T0)
static inline int lowest_bit(uint64_t bits) {
    unsigned long place;
    _BitScanForward64(&place, bits);
    return (int)place;
}
#else
#define EXPORT __attribute__((visibility("default")))
#define PREFETCH(address) __builtin_prefetch(address)
static inline int lowest_bit(uint64_t bits) { return __builtin_ctzll(bits); }
#endif

enum { FAILED = -1 };

/* Return false from the calling function if this step failed. */
#define TRY(step)                                                                                  \
    do {                                                                                           \
        if (!(step)) return false;                                                                 \
    } while (0)

/* Allocate `items` of `size` bytes each, all zero. NULL without memory. */
void *zeroed(int64_t items, size_t size);

/* The same for a table that is read in random places: in huge pages if it fills some. Then the
 * processor finds the addresses of its memory faster. */
void *zeroed_table(int64_t items, size_t size);

/* Give an array room for `needed` items, or for twice its room if that is more. Without memory
 * return false and change nothing. `pointer`: the address of the pointer to the items. */
bool grow(void *pointer, int64_t *room, int64_t needed, size_t size);

/* Copy bytes. memcpy must not be given NULL, not even to copy nothing. */
static inline void copy(void *to, const void *from, int64_t size) {
    if (size) memcpy(to, from, (size_t)size);
}

/* An array that grows: `ARRAY(int32_t) starts = {0}; TRY(PUSH(starts, 5)); starts.at[0]`.
 * PUSH, APPEND and RESERVE are false without memory. They may move the items: keep an index, no
 * pointer. */
#define ARRAY(type) struct { type *at; int64_t length, room; }
#define RESERVE(array, more)                                                                       \
    ((array).length + (more) <= (array).room ||                                                    \
     grow(&(array).at, &(array).room, (array).length + (more), sizeof *(array).at))
#define PUSH(array, value)                                                                         \
    (RESERVE(array, 1) && ((array).at[(array).length++] = (value), true))
#define APPEND(array, items, count)                                                                \
    (RESERVE(array, count) &&                                                                      \
     (copy((array).at + (array).length, items, (count) * (int64_t)sizeof *(array).at),             \
      (array).length += (count), true))
#define RELEASE(array)                                                                             \
    do {                                                                                           \
        free((array).at);                                                                          \
        (array).at = NULL;                                                                         \
        (array).length = (array).room = 0;                                                         \
    } while (0)

/* Hash a key: multiply it by a random odd number. A file cannot be made whose keys all collide. */
static inline uint64_t scrambled(uint64_t key, uint64_t seed) {
    key = (key ^ (key >> 32)) * seed;
    return key ^ (key >> 29);
}

#endif
