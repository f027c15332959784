/* What all files of the kernel share: arrays that grow, and what happens when memory runs out.
 *
 * The kernel knows nothing of Python. It is called through ctypes, so other threads run meanwhile.
 * It keeps nothing that Python owns: what comes in is copied or read before the call returns, and
 * what goes out is copied by the caller before the next call.
 */
#ifndef KERNEL_H
#define KERNEL_H

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef _MSC_VER
#include <intrin.h>
#define EXPORT __declspec(dllexport)
#define THREAD_LOCAL __declspec(thread)
#define NO_RETURN __declspec(noreturn)
#define PREFETCH(address) _mm_prefetch((const char *)(address), _MM_HINT_T0)
static inline int lowest_bit(uint64_t bits) {
    unsigned long place;
    _BitScanForward64(&place, bits);
    return (int)place;
}
#else
#define EXPORT __attribute__((visibility("default")))
#define THREAD_LOCAL __thread
#define NO_RETURN __attribute__((noreturn))
#define PREFETCH(address) __builtin_prefetch(address)
static inline int lowest_bit(uint64_t bits) { return __builtin_ctzll(bits); }
#endif

/* Where a thread goes on when memory runs out. Each exported function that allocates sets it:
 *
 *     jmp_buf place;
 *     out_of_memory = &place;
 *     if (setjmp(place)) return FAILED;
 */
extern THREAD_LOCAL jmp_buf *out_of_memory;
enum { FAILED = -1 };

/* `items` of `size` bytes each, all zero; does not return if there is no memory. */
void *allocated(int64_t items, size_t size);

/* The same memory with room for at least `needed` items, or twice what it had; likewise. */
void *grown(void *at, int64_t *room, int64_t needed, size_t size);

/* An array that grows: `ARRAY(int32_t) starts = {0}; PUSH(starts, 5); starts.at[0]`.
 * A pointer into it is no longer true after the next PUSH or RESERVE: keep an index. */
#define ARRAY(type) struct { type *at; int64_t length, room; }
#define RESERVE(array, more)                                                                       \
    do {                                                                                           \
        if ((array).length + (more) > (array).room)                                                \
            (array).at = grown((array).at, &(array).room, (array).length + (more),                 \
                               sizeof *(array).at);                                                \
    } while (0)
#define PUSH(array, value)                                                                         \
    do {                                                                                           \
        RESERVE(array, 1);                                                                         \
        (array).at[(array).length++] = (value);                                                    \
    } while (0)
#define RELEASE(array)                                                                             \
    do {                                                                                           \
        free((array).at);                                                                          \
        (array).at = NULL;                                                                         \
        (array).length = (array).room = 0;                                                         \
    } while (0)

/* As memcpy, which must not be given NULL even to copy nothing. */
static inline void copy(void *to, const void *from, int64_t size) {
    if (size) memcpy(to, from, (size_t)size);
}

/* A hash: times a random odd number, so that nobody can write a file whose keys all meet. */
static inline uint64_t scrambled(uint64_t key, uint64_t seed) {
    key = (key ^ (key >> 32)) * seed;
    return key ^ (key >> 29);
}

#endif
