/* The program beside the kernel's own maps, on sources of packets that follow each other in an array. */
#include "../program/program.c"

enum { BPF_MAP_TYPE_BLOOM_FILTER = 30 };

static long (*const bpf_redirect)(uint32_t interface, uint64_t flags) = (void *)23;
static long (*const bpf_map_peek_elem)(void *map, void *value) = (void *)89;

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries, 1 << 20);
    __type(key, uint32_t);
    __type(value, uint32_t);
} sources SEC(".maps");

struct host_prefix {
    uint32_t bits, address;
};

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, 1);
    __type(key, uint32_t);
    __type(value, uint8_t);
} hash4 SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_LPM_TRIE);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __uint(max_entries, 1);
    __type(key, struct host_prefix);
    __type(value, uint8_t);
} lpm4 SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_BLOOM_FILTER);
    __uint(max_entries, 1);
    __uint(key_size, 0);
    __uint(map_extra, 5);
    __type(value, uint32_t);
} bloom4 SEC(".maps");

/* Each packet has its index behind the header, and gets the source of it. */
#define PROGRAM(NAME, DROPS)                                                                      \
    SEC("xdp") int NAME(struct xdp_md *context)                                                   \
    {                                                                                             \
        uint8_t *data = (uint8_t *)(uintptr_t)context->data;                                      \
        uint8_t *end = (uint8_t *)(uintptr_t)context->data_end;                                   \
        uint32_t index, *next;                                                                    \
        struct packet packet;                                                                     \
        int drops;                                                                                \
                                                                                                  \
        if (data + 42 > end)                                                                      \
            return XDP_PASS;                                                                      \
        index = *(uint32_t *)(data + 38);                                                         \
        *(uint32_t *)(data + 38) = (index + 1) & ((1 << 20) - 1);                                 \
        next = bpf_map_lookup_elem(&sources, &index);                                             \
        if (next == NULL)                                                                         \
            return XDP_PASS;                                                                      \
        *(uint32_t *)(data + 26) = *next;                                                         \
        packet_parse(&packet, data, end);                                                         \
        drops = (DROPS);                                                                          \
        return drops ? XDP_DROP : XDP_PASS;                                                       \
    }

static inline __attribute__((always_inline)) int counted(int drops, uint64_t bytes)
{
    count(drops ? VERDICT_DENIED : VERDICT_PASSED, bytes);
    return drops;
}

#define SOURCE ((uint32_t)packet.source.word[0])
PROGRAM(ours, judge(&packet, (uint64_t)(end - data)))
PROGRAM(bare, counted(SOURCE == 0, (uint64_t)(end - data)))
PROGRAM(hash, counted(bpf_map_lookup_elem(&hash4, &(uint32_t){SOURCE}) != NULL, (uint64_t)(end - data)))
PROGRAM(lpm, counted(bpf_map_lookup_elem(&lpm4, (&(struct host_prefix){32, SOURCE})) != NULL,
                     (uint64_t)(end - data)))
PROGRAM(bloom, counted(bpf_map_peek_elem(&bloom4, &(uint32_t){SOURCE}) == 0, (uint64_t)(end - data)))

uint32_t following = 0;                /* index of the source of the next frame */
const volatile uint32_t interface = 0; /* that frames leave by */

SEC("xdp") int pass(struct xdp_md *context)
{
    (void)context;
    return XDP_PASS;
}

/* Gives a frame the next source, and sends it to the other end of a veth pair. */
SEC("xdp") int generate(struct xdp_md *context)
{
    uint8_t *data = (uint8_t *)(uintptr_t)context->data;
    uint32_t index = following & ((1 << 20) - 1), *next, sum = 0;
    uint16_t *ip = (uint16_t *)(data + 14);

    if (data + 42 > (uint8_t *)(uintptr_t)context->data_end)
        return XDP_DROP;
    following = index + 1;
    next = bpf_map_lookup_elem(&sources, &index);
    if (next == NULL)
        return XDP_DROP;
    *(uint32_t *)(data + 26) = *next;
    ip[5] = 0;
    for (int i = 0; i < 10; i++)
        sum += ip[i];
    sum = (sum & 0xffff) + (sum >> 16);
    ip[5] = (uint16_t)~(sum + (sum >> 16));
    return (int)bpf_redirect(interface, 0);
}
