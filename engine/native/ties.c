/* The tie rules of engine/bpe/ties.py. No two tokens have the same bytes, so a rule never finds two
 * pairs equal. */
#include "merger.h"

static int compare_bytes(const Merger *m, int32_t one, int32_t other) {
    const int64_t size = size_of(m, one), other_size = size_of(m, other);
    const uint8_t *bytes = m->text.at + bytes_of(m, one).begin;
    const uint8_t *other_bytes = m->text.at + bytes_of(m, other).begin;
    const int order = memcmp(bytes, other_bytes, (size_t)(size < other_size ? size : other_size));
    return order ? order : (size > other_size) - (size < other_size);
}

static int greatest_bytes(const Merger *m, Pair one, Pair other) {
    if (one.left != other.left) return compare_bytes(m, one.left, other.left) > 0;
    return compare_bytes(m, one.right, other.right) > 0;
}

static int32_t tie_id(const Merger *m, int32_t token) {
    return token < BYTES ? m->tie_ids[token] : token;
}

static int smallest_ids(const Merger *m, Pair one, Pair other) {
    if (one.left != other.left) return tie_id(m, one.left) < tie_id(m, other.left);
    return tie_id(m, one.right) < tie_id(m, other.right);
}

static uint8_t joined_byte(const Merger *m, Pair pair, int64_t place) {
    const int64_t size = size_of(m, pair.left);
    return place < size ? m->text.at[bytes_of(m, pair.left).begin + place]
                        : m->text.at[bytes_of(m, pair.right).begin + place - size];
}

static int shortest_piece(const Merger *m, Pair one, Pair other) {
    const int64_t size = size_of(m, one.left) + size_of(m, one.right);
    const int64_t other_size = size_of(m, other.left) + size_of(m, other.right);
    if (size != other_size) return size < other_size;
    for (int64_t place = 0; place < size; place++) {
        const uint8_t byte = joined_byte(m, one, place), other_byte = joined_byte(m, other, place);
        if (byte != other_byte) return byte < other_byte;
    }
    return size_of(m, one.left) < size_of(m, other.left);
}

int (*tie_rule_named(const char *name))(const Merger *, Pair, Pair) {
    if (!strcmp(name, "lexicographic")) return greatest_bytes;
    if (!strcmp(name, "smallest-ids") || !strcmp(name, "huggingface")) return smallest_ids;
    if (!strcmp(name, "sentencepiece")) return shortest_piece;
    return NULL;
}
