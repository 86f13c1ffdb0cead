/*
 * XDP programs for the study: what deny lists are in the kernel's own maps, a bare pass, drop and
 * parse beside them, and two programs that give each packet its next source.
 */
#include "../../../xdp/program/packet.h"

enum {
    BPF_MAP_TYPE_PROG_ARRAY = 3,
    BPF_MAP_TYPE_LRU_HASH = 9,
    BPF_MAP_TYPE_LPM_TRIE = 11,
    BPF_MAP_TYPE_BLOOM_FILTER = 30
};

enum { XDP_ABORTED = 0 };

static long (*const bpf_tail_call)(void *context, void *programs, uint32_t index) = (void *)12;
static long (*const bpf_redirect)(uint32_t interface, uint64_t flags) = (void *)23;
static long (*const bpf_map_peek_elem)(void *map, void *value) = (void *)89;

/* ---- The lists ---------------------------------------------------------------------------- */

struct prefix4 {
    uint32_t bits;
    uint32_t address;
};

struct prefix6 {
    uint32_t bits;
    uint32_t address[4];
};

#define LIST(name, kind, flags, key_type)                                                         \
    struct {                                                                                      \
        __uint(type, kind);                                                                       \
        __uint(map_flags, flags);                                                                 \
        __uint(max_entries, 1);                                                                   \
        __type(key, key_type);                                                                    \
        __type(value, uint8_t);                                                                   \
    } name SEC(".maps");

/* The kernel's Bloom filter has values and no keys, and here 5 hashes, which is also its default. */
#define BLOOM_LIST(name, value_type)                                                              \
    struct {                                                                                      \
        __uint(type, BPF_MAP_TYPE_BLOOM_FILTER);                                                  \
        __uint(max_entries, 1);                                                                   \
        __uint(key_size, 0);                                                                      \
        __uint(map_extra, 5);                                                                     \
        __type(value, value_type);                                                                \
    } name SEC(".maps");

LIST(hash4, BPF_MAP_TYPE_HASH, 0, uint32_t)
LIST(hash6, BPF_MAP_TYPE_HASH, 0, struct address)
LIST(lru4, BPF_MAP_TYPE_LRU_HASH, 0, uint32_t)
LIST(lru6, BPF_MAP_TYPE_LRU_HASH, 0, struct address)
LIST(lpm4, BPF_MAP_TYPE_LPM_TRIE, BPF_F_NO_PREALLOC, struct prefix4)
LIST(lpm6, BPF_MAP_TYPE_LPM_TRIE, BPF_F_NO_PREALLOC, struct prefix6)
BLOOM_LIST(bloom4, uint32_t)
BLOOM_LIST(bloom6, struct address)

/* Packets by verdict, which any program that drops packets counts. */
struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 3);
    __type(key, uint32_t);
    __type(value, uint64_t);
} counts SEC(".maps");

static inline __attribute__((always_inline)) int verdict(uint32_t is)
{
    uint64_t *count = bpf_map_lookup_elem(&counts, &is);

    if (count)
        ++*count;
    return (int)is;
}

/* ---- The programs ------------------------------------------------------------------------- */

/* Parses like the program of module xdp, and drops a packet whose source is in FOUND4 or FOUND6. */
#define PROGRAM(name, FOUND4, FOUND6)                                                             \
    SEC("xdp") int name(struct xdp_md *context)                                                   \
    {                                                                                             \
        struct packet packet;                                                                     \
                                                                                                  \
        packet_parse(&packet, (const uint8_t *)(uint64_t)context->data,                           \
                     (const uint8_t *)(uint64_t)context->data_end);                               \
        if (packet.version == 4) {                                                                \
            uint32_t source = (uint32_t)packet.source.word[0];                                    \
                                                                                                  \
            return verdict((FOUND4) ? XDP_DROP : XDP_PASS);                                       \
        }                                                                                         \
        if (packet.version == 6) {                                                                \
            struct address source = packet.source;                                                \
                                                                                                  \
            return verdict((FOUND6) ? XDP_DROP : XDP_PASS);                                       \
        }                                                                                         \
        return verdict(XDP_PASS);                                                                 \
    }

static inline __attribute__((always_inline)) int in_lpm6(struct address source)
{
    struct prefix6 key = {.bits = 128};

    __builtin_memcpy(key.address, &source, sizeof(key.address));
    return bpf_map_lookup_elem(&lpm6, &key) != NULL;
}

/* No packet has the source 0: it is asked about so that the parser is not left out. */
PROGRAM(parse, source == 0, (source.word[0] | source.word[1]) == 0)
PROGRAM(hash, bpf_map_lookup_elem(&hash4, &source) != NULL,
        bpf_map_lookup_elem(&hash6, &source) != NULL)
PROGRAM(lru, bpf_map_lookup_elem(&lru4, &source) != NULL,
        bpf_map_lookup_elem(&lru6, &source) != NULL)
PROGRAM(lpm, bpf_map_lookup_elem(&lpm4, (&(struct prefix4){32, source})) != NULL, in_lpm6(source))
PROGRAM(bloom, bpf_map_peek_elem(&bloom4, &source) == 0,
        bpf_map_peek_elem(&bloom6, &source) == 0)

SEC("xdp") int pass(struct xdp_md *context)
{
    (void)context;
    return XDP_PASS;
}

SEC("xdp") int drop(struct xdp_md *context)
{
    (void)context;
    return XDP_DROP;
}

/* ---- The sources of the packets ----------------------------------------------------------- */

/* An address of IPv4 is the first word. */
struct source {
    uint32_t word[4];
};

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __type(key, uint32_t);
    __type(value, struct source);
} sources SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_PROG_ARRAY);
    __uint(max_entries, 1);
    __uint(key_size, 4);
    __uint(value_size, 4);
} subject SEC(".maps");

uint32_t next = 0;                     /* index of the source of the next packet */
const volatile uint32_t interface = 0; /* that generated packets leave by */

/* Writes the next source into a packet of Ethernet and IP. */
static inline __attribute__((always_inline)) int give(struct xdp_md *context)
{
    uint8_t *at = (uint8_t *)(uint64_t)context->data;
    uint32_t index = next;
    const struct source *source = bpf_map_lookup_elem(&sources, &index);

    if (!source || at + 14 + 40 > (uint8_t *)(uint64_t)context->data_end)
        return 0;
    next = index + 1;
    if (network16(at + 12) == 0x0800)
        *(uint32_t *)(at + 14 + 12) = source->word[0];
    else
        __builtin_memcpy(at + 14 + 8, source, sizeof(*source));
    return 1;
}

/* Goes on in the program that is timed. */
SEC("xdp") int feed(struct xdp_md *context)
{
    if (give(context))
        bpf_tail_call(context, &subject, 0);
    return XDP_ABORTED;
}

/* Sends the packet to the other end of a veth pair, where the program that is timed is attached. The
 * stack behind that wants the checksum of an IPv4 header. */
SEC("xdp") int generate(struct xdp_md *context)
{
    uint16_t *ip;
    uint32_t sum = 0;

    if (!give(context))
        return XDP_ABORTED;
    ip = (uint16_t *)((uint8_t *)(uint64_t)context->data + 14);
    if ((uint8_t *)(ip + 10) > (uint8_t *)(uint64_t)context->data_end)
        return XDP_ABORTED;
    if (network16((uint8_t *)(ip - 1)) == 0x0800) {
        ip[5] = 0;
        for (int i = 0; i < 10; i++)
            sum += ip[i];
        sum = (sum & 0xffff) + (sum >> 16);
        ip[5] = (uint16_t)~(sum + (sum >> 16));
    }
    return (int)bpf_redirect(interface, 0);
}

char terms[] SEC("license") = "Apache-2.0";
