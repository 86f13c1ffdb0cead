/*
 * bloomlane.h as a shared object, for bloomlane.py beside it:
 *
 *     cc -O2 -shared -fPIC -o libbloomlane.so bloomlane.c
 */
#include "../../c/bloomlane.h"

/* A filter, and its key if it was opened with one. */
typedef struct {
    blm_filter filter;
    blm_key key;
} bloomlane;

size_t bloomlane_size(void) { return sizeof(bloomlane); }

int bloomlane_open(bloomlane *b, const void *file, size_t size, const char *key)
{
    int error = key == NULL ? BLM_OK : blm_key_of_text(&b->key, key);

    return error != BLM_OK ? error
                           : blm_open(&b->filter, file, size, key == NULL ? NULL : &b->key);
}

const char *bloomlane_message(int error) { return blm_message(error); }

int bloomlane_algorithm(const bloomlane *b) { return b->filter.algorithm; }

int bloomlane_query(const bloomlane *b, const void *data, size_t n)
{
    return blm_query(&b->filter, blm_hash(&b->key, data, n));
}

int bloomlane_query_hash(const bloomlane *b, uint64_t hash) { return blm_query(&b->filter, hash); }
