/* Each operation as a function of its own, to be compiled for BPF. */
#include "../bloomlane.h"

#define OPERATIONS(BITS)                                                                          \
    int query##BITS(const blm_block##BITS *b, uint64_t h) { return blm_query##BITS(b, h); }       \
    int insert##BITS(blm_block##BITS *b, uint64_t h) { return blm_insert##BITS(b, h); }           \
    int delete##BITS(blm_block##BITS *b, uint64_t h) { return blm_delete##BITS(b, h); }           \
    void mask##BITS(blm_block##BITS *b, uint64_t h) { blm_mask##BITS(b, h); }                     \
    void merge##BITS(blm_block##BITS *b, const blm_block##BITS *o) { blm_merge##BITS(b, o); }

OPERATIONS(512)
OPERATIONS(256)

uint32_t index32(uint64_t h, uint32_t n) { return (uint32_t)blm_index(h, n); }
uint64_t index64(uint64_t h, uint64_t n) { return blm_index(h, n); }

/* The keys of packets: addresses of both versions, and a number. */
uint64_t sip4(const blm_sip_key *k, const uint8_t *a) { return blm_siphash(k, a, 4); }
uint64_t sip16(const blm_sip_key *k, const uint8_t *a) { return blm_siphash(k, a, 16); }
uint64_t sip_u64(const blm_sip_key *k, uint64_t x) { return blm_siphash_u64(k, x); }
uint64_t highway4(const blm_highway_key *k, const uint8_t *a) { return blm_highwayhash(k, a, 4); }
uint64_t highway16(const blm_highway_key *k, const uint8_t *a)
{
    return blm_highwayhash(k, a, 16);
}
uint64_t highway_u64(const blm_highway_key *k, uint64_t x) { return blm_highwayhash_u64(k, x); }
uint64_t either4(const blm_key *k, const uint8_t *a) { return blm_hash(k, a, 4); }
uint64_t either16(const blm_key *k, const uint8_t *a) { return blm_hash(k, a, 16); }
uint64_t either_u64(const blm_key *k, uint64_t x) { return blm_hash_u64(k, x); }
