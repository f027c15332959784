/* Shared by scanning and encoding: see scanner.c for these functions. */
#ifndef SCANNER_H
#define SCANNER_H

#include "kernel.h"

typedef struct Scanner Scanner;
EXPORT int64_t scanner_missing_page(Scanner *s, const uint8_t *text, int64_t size, int64_t *begin);
EXPORT int64_t scanner_cut(Scanner *s, const uint8_t *text, const int64_t *sizes, int64_t pieces);
EXPORT const int64_t *scanner_lengths(const Scanner *s);

#endif
