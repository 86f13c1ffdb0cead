/*
 * A union of ranges of IPv4 addresses, in an array of pages. ranges.go of xdp writes it, and has the
 * same rules in Go.
 *
 * The first page has a descriptor of 32 bits for each chunk, which is the addresses of one high
 * half. It is 0 if the chunk has nothing, RANGES_ALL if it has all of its addresses, and otherwise
 * says in its low bits what form the chunk's fragment has, and above them at which word it begins.
 * A fragment has low halves of addresses, ascending. It lies in one page, and a page ends with words
 * that belong to none, so that a short fragment is read as if it had the most words.
 *
 * A short fragment, of 1 to RANGES_WORDS words, has single addresses; the last is repeated until the
 * word is full. A long one has a number n, then n entries, then a bit for each entry. With the bit
 * set, the chunk has the entry and all addresses up to the next one, else the entry alone.
 */
#ifndef RANGES_H
#define RANGES_H

#include "kernel.h"

enum {
    RANGES_WORDS = 6, /* of a short fragment, at most */
    RANGES_LONG = 15, /* the form of a long fragment */
    RANGES_ALL = 16,
    RANGES_FORM_BITS = 4,
    RANGES_PAGE_WORDS = 1 << 15, /* those of fragments: 2^16 descriptors */
    RANGES_STEPS = 16            /* enough to search 2^16 entries */
};

union ranges_page {
    uint64_t word[RANGES_PAGE_WORDS + 8];
    uint32_t descriptor[1 << 16];
    uint16_t half[4 * RANGES_PAGE_WORDS + 32];
};

/* Reports whether a short fragment has an address: compares four low halves at once. */
static inline __attribute__((always_inline)) int ranges_short(const volatile uint64_t *fragment,
                                                              uint32_t words, uint64_t low)
{
    const uint64_t ones = UINT64_C(0x0001000100010001), tops = ones << 15;
    uint64_t lanes = low * ones, hits = 0;

#pragma unroll
    for (uint32_t i = 0; i < RANGES_WORDS; i++) {
        uint64_t x = fragment[i] ^ lanes;

        /* The lowest of the top bits that is set is that of a lane of zeros. It moves to where the
         * mask below has a bit for each word of the fragment. */
        hits |= ((x - ones) & ~x & tops) >> (i + 1);
    }
    return (hits & (tops - (tops >> words))) != 0;
}

/* Reports whether a long fragment, which begins at a half of a page, has an address. */
static inline __attribute__((always_inline)) int
ranges_long(const volatile union ranges_page *page, uint32_t at, uint32_t low)
{
    enum { MASK = 4 * RANGES_PAGE_WORDS - 1 };
    uint32_t count = page->half[at & MASK], bits = at + 1 + count, first = 0, entry;

    for (int i = 0; i < RANGES_STEPS && count > 1; i++) {
        uint32_t half = count >> 1;

        if (page->half[(at + 1 + first + half) & MASK] <= low)
            first += half;
        count -= half;
    }
    entry = page->half[(at + 1 + first) & MASK];
    if (entry >= low)
        return entry == low;
    return page->half[(bits + (first >> 4)) & MASK] >> (first & 15) & 1;
}

/* Reports whether ranges have an address, in the byte order of the host. */
static inline __attribute__((always_inline)) int ranges_have(void *ranges, uint32_t address)
{
    const volatile union ranges_page *page;
    uint32_t number = 0, descriptor, form, at;

    page = bpf_map_lookup_elem(ranges, &number);
    if (page == NULL)
        return 0;
    descriptor = page->descriptor[address >> 16];
    form = descriptor & ((1 << RANGES_FORM_BITS) - 1);
    if (form == 0)
        return descriptor != 0;
    at = descriptor >> RANGES_FORM_BITS;
    number = at / RANGES_PAGE_WORDS;
    at %= RANGES_PAGE_WORDS;
    page = bpf_map_lookup_elem(ranges, &number);
    if (page == NULL)
        return 0;
    if (form == RANGES_LONG)
        return ranges_long(page, 4 * at, address & 0xffff);
    return ranges_short(&page->word[at], form, address & 0xffff);
}

#endif
