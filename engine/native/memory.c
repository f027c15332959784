/* Memory: blocks that are zero or grow, NULL or false where none is left. */
#include "kernel.h"

/* Raise it with each change of an exported function: VERSION of engine/native/__init__.py. */
EXPORT int64_t kernel_version(void) { return 10; }

static bool too_many(int64_t items, size_t size) {
    return items < 0 || (uint64_t)items > (uint64_t)PTRDIFF_MAX / size;
}

void *zeroed(int64_t items, size_t size) {
    /* calloc may return NULL for no bytes, which would look like a failure */
    return too_many(items, size) ? NULL : calloc((size_t)items + !items, size);
}

#ifdef __linux__
#include <sys/mman.h>
enum { HUGE_PAGE = 1 << 21 };

/* Ask for huge pages where they fit in whole. If that fails, the memory is only slower. */
static void prefer_huge_pages(void *memory, size_t bytes) {
    const uintptr_t begin = ((uintptr_t)memory + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    const uintptr_t end = ((uintptr_t)memory + bytes) / HUGE_PAGE * HUGE_PAGE;
    if (begin < end) madvise((void *)begin, end - begin, MADV_HUGEPAGE);
}

void *zeroed_table(int64_t items, size_t size) {
    const size_t bytes = too_many(items, size) ? 0 : (size_t)items * size;
    if (bytes < HUGE_PAGE) return zeroed(items, size);
    void *memory;
    if (posix_memalign(&memory, HUGE_PAGE, bytes)) return NULL;
    prefer_huge_pages(memory, bytes);
    return memset(memory, 0, bytes);
}
#else
static void prefer_huge_pages(void *memory, size_t bytes) { (void)memory, (void)bytes; }

void *zeroed_table(int64_t items, size_t size) { return zeroed(items, size); }
#endif

bool grow(void *pointer, int64_t *room, int64_t needed, size_t size) {
    const int64_t items = needed > 2 * *room ? needed : 2 * *room;
    void *memory;
    memcpy(&memory, pointer, sizeof memory); /* pointers of all types have the same form */
    memory = too_many(items, size) ? NULL : realloc(memory, (size_t)items * size);
    if (memory == NULL) return false;
    prefer_huge_pages(memory, (size_t)items * size);
    memcpy(pointer, &memory, sizeof memory);
    *room = items;
    return true;
}
