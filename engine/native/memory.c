/* Memory: where there is none left, the thread jumps back to the function that Python called. */
#include "kernel.h"

/* To be raised with each change of what Python calls: VERSION of engine/native/__init__.py. */
EXPORT int64_t kernel_version(void) { return 2; }

THREAD_LOCAL jmp_buf *out_of_memory;

static NO_RETURN void give_up(void) { longjmp(*out_of_memory, 1); }

static int too_many(int64_t items, size_t size) {
    return items < 0 || (uint64_t)items > (uint64_t)PTRDIFF_MAX / size;
}

void *allocated(int64_t items, size_t size) {
    void *memory = too_many(items, size) ? NULL : calloc((size_t)items + !items, size);
    if (memory == NULL) give_up();
    return memory;
}

void *grown(void *at, int64_t *room, int64_t needed, size_t size) {
    const int64_t items = needed > 2 * *room ? needed : 2 * *room;
    void *memory = too_many(items, size) ? NULL : realloc(at, (size_t)items * size);
    if (memory == NULL) give_up(); /* what was at `at` is still there, and is freed with the rest */
    *room = items;
    return memory;
}
