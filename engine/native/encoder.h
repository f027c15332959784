/* Shared by the files that encode texts: the encoder, which remembers pieces and their ids. */
#ifndef ENCODER_H
#define ENCODER_H

#include "rules.h"
#include "scanner.h"
#include "specials.h"

enum { INLINE = 3 }; /* ids in an entry itself */

/* A piece of the hash table. Two entries fill a line of the processor's cache.
 *
 * `length` is 0 if the entry is free. A piece of at most `EXACT` bytes is in `head` and `tail`, with
 * zeros after it. A longer one has the length `LONG_KEY`; `head` is its hash and `tail` its length.
 * `count` is the number of ids, `PENDING` if Python has still to cut the piece. For a longer piece,
 * and for `MANY` ids, `ids` has the place of a record. */
typedef struct { uint64_t head, tail; int32_t ids[INLINE]; uint8_t length, count; } Entry;

typedef struct {
    const Rules *rules;
    Scanner *scanner; /* cuts new pieces; NULL if Python cuts them */

    Entry *entries;     /* at most two thirds full */
    uint64_t mask;      /* number of entries − 1 */
    int64_t filled;
    int64_t met;        /* pieces since everything was forgotten */
    Ids records;        /* number of ids, the text of a piece beyond `EXACT`, ids */
    int64_t room;       /* bytes; when entries and records need more, everything is forgotten */

    ARRAY(uint8_t) pending_text; /* the pieces that Python has to cut, joined */
    ARRAY(int64_t) pending_sizes;
    bool resumes; /* the next stretch was read before, and its pieces have been learnt */

    int64_t searched, special_at; /* the last search for a special token: its begin, what it found */
    const SpecialToken *special;

    Ids ids;  /* of the last stretch */
    Ids made; /* of the last new piece */
    Workspace space;
    int32_t busy; /* set by Python while a thread works on a text without the GIL */
} Encoder;

/* Encode a stretch of a text from `begin` on: 0, or the end of the last stretch. Return its end;
 * `ids` has its ids. If pieces are pending then, learn them, and encode the stretch again. After
 * FAILED, here and below, forget everything or free the encoder. */
EXPORT int64_t encoder_encode(Encoder *e, const Specials *specials, const uint8_t *text, int64_t size,
                              int64_t begin);
EXPORT int64_t encoder_forget(Encoder *e);

#endif
