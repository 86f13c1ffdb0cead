/* The operations of bloomlane.h and the parser of packet.h as programs, whose input is a packet and
 * whose results tests compare. */
#include "../../c/bloomlane.h"
#include "../program/kernel.h"
#include "../program/packet.h"

enum { FAILED = 255 };

/* A record of kernel/vectors: other is what a merge takes. */
struct record {
    uint64_t hash, nblocks;
    blm_block512 other;
};

/* A block of either size is at the start of an element. */
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries, 1);
    __type(key, uint32_t);
    __type(value, blm_block512);
} blocks SEC(".maps");

static inline __attribute__((always_inline)) const struct record *record_of(struct xdp_md *context)
{
    const struct record *record = (const struct record *)(uintptr_t)context->data;

    return (const uint8_t *)(record + 1) > (const uint8_t *)(uintptr_t)context->data_end ? NULL
                                                                                        : record;
}

static inline __attribute__((always_inline)) void *block_of(const struct record *record)
{
    uint32_t index = (uint32_t)blm_index(record->hash, record->nblocks);

    return bpf_map_lookup_elem(&blocks, &index);
}

#define OPERATION(NAME, TYPE, BODY)                                                               \
    SEC("xdp") int NAME(struct xdp_md *context)                                                   \
    {                                                                                             \
        const struct record *record = record_of(context);                                         \
        TYPE *block;                                                                              \
                                                                                                  \
        if (record == NULL)                                                                       \
            return FAILED;                                                                        \
        block = block_of(record);                                                                 \
        if (block == NULL)                                                                        \
            return FAILED;                                                                        \
        BODY                                                                                      \
    }

#define OPERATIONS(BITS)                                                                          \
    OPERATION(query##BITS, blm_block##BITS, return blm_query##BITS(block, record->hash);)         \
    OPERATION(insert##BITS, blm_block##BITS, return blm_insert##BITS(block, record->hash);)       \
    OPERATION(delete##BITS, blm_block##BITS, return blm_delete##BITS(block, record->hash);)       \
    OPERATION(merge##BITS, blm_block##BITS,                                                       \
              blm_merge##BITS(block, (const blm_block##BITS *)&record->other);                    \
              return 0;)

OPERATIONS(512)
OPERATIONS(256)

/* The key and the data follow each other in the packet, and the hash takes the place of the key. */
#define SIPHASH(LENGTH)                                                                           \
    SEC("xdp") int siphash##LENGTH(struct xdp_md *context)                                        \
    {                                                                                             \
        uint8_t *data = (uint8_t *)(uintptr_t)context->data;                                      \
        blm_sip_key key;                                                                          \
                                                                                                  \
        if (data + 16 + (LENGTH) > (uint8_t *)(uintptr_t)context->data_end)                       \
            return FAILED;                                                                        \
        key = blm_sip_key_of(data);                                                               \
        *(uint64_t *)data = blm_siphash(&key, data + 16, LENGTH);                                 \
        return 0;                                                                                 \
    }

SIPHASH(0)
SIPHASH(4)
SIPHASH(5)
SIPHASH(8)
SIPHASH(16)
SIPHASH(17)
SIPHASH(31)

struct packet parsed;

SEC("xdp") int parse(struct xdp_md *context)
{
    packet_parse(&parsed, (const uint8_t *)(uintptr_t)context->data,
                 (const uint8_t *)(uintptr_t)context->data_end);
    return 0;
}

const char terms[] SEC("license") = "GPL";
