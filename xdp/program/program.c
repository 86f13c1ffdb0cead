/*
 * The packet programs: drop for XDP, classify for traffic control. Go chooses the
 * values of the constants when it loads them, so that the kernel leaves out what is not used. program_test.go builds program.o again.
 */
#include "../../c/bloomlane.h"

#include "kernel.h"
#include "packet.h"
#include "ranges.h"

enum { MOST_LENGTHS = 8 };

/* The lists of addresses. */
enum { LIST_DENY, LIST_NEVER, LIST_TRAP, LISTS };

/* What becomes of a packet. What is counted only besides a verdict stands behind LEARNED. */
enum {
    VERDICT_PASSED,
    VERDICT_DENIED,
    VERDICT_SPARED,
    VERDICT_FRAGMENT,
    VERDICT_MALFORMED,
    VERDICT_OTHER,
    LEARNED,
    UNLEARNED,
    CLEARED,
    COUNTERS
};

/* A length of prefixes: the bits of an address that count, and what the hash takes at its end. */
struct length {
    struct address mask;
    uint64_t tail;
};

struct lengths {
    uint64_t count;
    struct length length[MOST_LENGTHS];
};

const volatile struct lengths lengths4, lengths6;
const volatile uint32_t report, exact, learn, of_destination, drop_fragments, drop_malformed, filter4;

/* The places of the lists in the maps of their parts. A store of one puts all parts of a list in
 * force. Nothing is at place 0. */
volatile uint32_t places[LISTS];

/* The words that the hash takes. Of an IPv4 prefix they are zero, but for the tail. */
struct prefix {
    struct address address;
    uint64_t tail;
};

/* A prefix as tries have it, behind its number of bits: those of the version count too. */
struct trie_key {
    uint32_t bits, version;
    struct address address;
};

/* A table. The first element says how many blocks follow, and has the key. Types of inner maps are
 * named by their sizes, because the compiler does not describe what they point to. */
struct table {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE | BPF_F_INNER_MAP);
    __uint(max_entries, 2);
    __uint(key_size, sizeof(uint32_t));
    __uint(value_size, sizeof(blm_block512));
};

struct set {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __uint(max_entries, 1);
    __uint(key_size, sizeof(struct prefix));
    __uint(value_size, sizeof(uint8_t));
};

/* The prefixes of other lengths than those of tables. */
struct trie {
    __uint(type, BPF_MAP_TYPE_LPM_TRIE);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __uint(max_entries, 1);
    __uint(key_size, sizeof(struct trie_key));
    __uint(value_size, sizeof(uint32_t));
};

/* The prefixes of IPv4, unless filter4 says that they are in tables. */
struct pages {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE | BPF_F_INNER_MAP);
    __uint(max_entries, 1);
    __uint(key_size, sizeof(uint32_t));
    __uint(value_size, sizeof(union ranges_page));
};

/* The parts of lists, at their places. One more than the lists are, and place 0, is for a list that
 * takes the place of another. */
#define PARTS(NAME, TYPE)                                                                         \
    struct {                                                                                      \
        __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);                                                 \
        __uint(max_entries, LISTS + 2);                                                           \
        __type(key, uint32_t);                                                                    \
        __array(values, struct TYPE);                                                             \
    } NAME SEC(".maps")

PARTS(tables, table);
PARTS(sets, set);
PARTS(tries, trie);
PARTS(pages, pages);

struct counter {
    uint64_t packets, bytes;
};

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, COUNTERS);
    __type(key, uint32_t);
    __type(value, struct counter);
} counters SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_RINGBUF);
    __uint(max_entries, 1 << 18);
} learned SEC(".maps");

/* What user space learns. */
struct sighting {
    struct address address, trap;
    uint64_t version;
};

static inline __attribute__((always_inline)) void count(uint32_t what, uint64_t bytes)
{
    struct counter *counter = bpf_map_lookup_elem(&counters, &what);

    if (counter != NULL) {
        counter->packets++;
        counter->bytes += bytes;
    }
}

/* Reports whether a table has a prefix, after its filter has found it. */
static inline __attribute__((always_inline)) int confirmed(uint32_t place,
                                                           const struct prefix *prefix)
{
    void *set;

    if (!exact)
        return 1;
    set = bpf_map_lookup_elem(&sets, &place);
    return set != NULL && bpf_map_lookup_elem(set, prefix) != NULL;
}

/* What a list has of an address: nothing, a prefix, or only for its filter one. */
enum { ABSENT, PRESENT, CORRECTED };

/*
 * Returns what the table at a place has of an address, which is given by its words. It is no static
 * function, so that the kernel verifies it once, and not for each way to a call.
 */
__attribute__((noinline)) int filtered(uint32_t place, uint64_t first, uint64_t second,
                                       uint32_t version)
{
    const uint32_t zero = 0;
    void *table = bpf_map_lookup_elem(&tables, &place);
    const volatile struct lengths *lengths = version == 4 ? &lengths4 : &lengths6;
    const blm_block512 *header, *block;
    blm_sip_key key;
    uint32_t nblocks;
    int answer = ABSENT;

    if (table == NULL)
        return ABSENT;
    header = bpf_map_lookup_elem(table, &zero);
    if (header == NULL)
        return ABSENT;
    nblocks = (uint32_t)header->lane[0];
    key.word[0] = header->lane[1];
    key.word[1] = header->lane[2];
    for (uint32_t i = 0; i < MOST_LENGTHS; i++) {
        const volatile struct length *length = &lengths->length[i];
        struct prefix prefix = {.tail = length->tail};
        blm_sip state = blm_sip_begin(&key);
        uint64_t hash;
        uint32_t index;

        if (i >= lengths->count)
            break;
        if (version == 4) {
            prefix.tail |= first & length->mask.word[0];
        } else {
            prefix.address.word[0] = first & length->mask.word[0];
            prefix.address.word[1] = second & length->mask.word[1];
            blm_sip_word(&state, prefix.address.word[0]);
            blm_sip_word(&state, prefix.address.word[1]);
        }
        hash = blm_sip_end(&state, prefix.tail);
        index = 1 + (uint32_t)blm_index(hash, nblocks);
        block = bpf_map_lookup_elem(table, &index);
        if (block == NULL || !blm_query512(block, hash))
            continue;
        if (confirmed(place, &prefix))
            return PRESENT;
        answer = CORRECTED;
    }
    return answer;
}

/* Returns what a list has of an address, as the function above does for a table. */
__attribute__((noinline)) int has(uint32_t list, uint64_t first, uint64_t second,
                                  uint32_t version)
{
    struct trie_key whole = {32, version, {{first, second}}};
    uint32_t place;
    void *part;
    int answer;

    if (list >= LISTS)
        return ABSENT;
    place = places[list];
    if (version == 4 && !filter4) {
        part = bpf_map_lookup_elem(&pages, &place);
        if (part != NULL && ranges_have(part, __builtin_bswap32((uint32_t)first)))
            return PRESENT;
        return ABSENT;
    }
    answer = filtered(place, first, second, version);
    part = bpf_map_lookup_elem(&tries, &place);
    whole.bits += version == 4 ? 32 : 128;
    if (answer != PRESENT && part != NULL && bpf_map_lookup_elem(part, &whole) != NULL)
        return PRESENT;
    return answer;
}

static inline __attribute__((always_inline)) int listed(uint32_t list,
                                                        const struct address *address,
                                                        uint32_t version)
{
    return has(list, address->word[0], address->word[1], version) == PRESENT;
}

/* Tells user space of an address whose packet met a trap. */
static inline __attribute__((always_inline)) void tell(const struct packet *packet,
                                                       const struct address *address,
                                                       const struct address *trap)
{
    struct sighting sighting = {*address, *trap, packet->version};

    if (listed(LIST_TRAP, trap, packet->version) &&
        !listed(LIST_NEVER, address, packet->version))
        count(bpf_ringbuf_output(&learned, &sighting, sizeof(sighting), 0) == 0 ? LEARNED
                                                                                : UNLEARNED,
              0);
}

/* Reports whether packets with this verdict fall. */
static inline __attribute__((always_inline)) int falls(uint32_t verdict)
{
    return verdict == VERDICT_DENIED || (verdict == VERDICT_FRAGMENT && drop_fragments) ||
           (verdict == VERDICT_MALFORMED && drop_malformed);
}

static inline __attribute__((always_inline)) uint32_t verdict_on(const struct packet *packet)
{
    const struct address *address = of_destination ? &packet->destination : &packet->source;
    const struct address *peer = of_destination ? &packet->source : &packet->destination;
    uint32_t verdict = packet->fault == FAULT_FRAGMENT    ? VERDICT_FRAGMENT
                       : packet->fault == FAULT_MALFORMED ? VERDICT_MALFORMED
                       : packet->version == 0             ? VERDICT_OTHER
                                                          : VERDICT_PASSED;
    int answer;

    if (packet->version == 0)
        return verdict;
    answer = has(LIST_DENY, address->word[0], address->word[1], packet->version);
    if (answer == CORRECTED)
        count(CLEARED, 0);
    if (answer == PRESENT)
        verdict = VERDICT_DENIED;
    else if (learn)
        tell(packet, address, peer);
    if (falls(verdict) && listed(LIST_NEVER, address, packet->version))
        verdict = VERDICT_SPARED;
    return verdict;
}

/* Counts a packet, and reports whether it is dropped. */
static inline __attribute__((always_inline)) int judge(const struct packet *packet, uint64_t bytes)
{
    uint32_t verdict = verdict_on(packet);

    count(verdict, bytes);
    return !report && falls(verdict);
}

SEC("xdp")
int drop(struct xdp_md *context)
{
    const uint8_t *data = (const uint8_t *)(uintptr_t)context->data;
    const uint8_t *end = (const uint8_t *)(uintptr_t)context->data_end;
    struct packet packet;

    packet_parse(&packet, data, end);
    return judge(&packet, (uint64_t)(end - data)) ? XDP_DROP : XDP_PASS;
}

/* Reads what lies at the start of a packet in one piece, and reports whether that is all of it. */
static inline __attribute__((always_inline)) int whole(struct packet *packet,
                                                       const struct __sk_buff *skb)
{
    const uint8_t *data = (const uint8_t *)(uintptr_t)skb->data;
    const uint8_t *end = (const uint8_t *)(uintptr_t)skb->data_end;

    packet_parse(packet, data, end);
    return packet->fault != FAULT_MALFORMED || end - data == skb->len;
}

SEC("tc")
int classify(struct __sk_buff *skb)
{
    enum { HEADERS = 14 + 4 * MOST_TAGS + 40 + 2048 * MOST_EXTENSIONS }; /* at most */
    struct packet packet;

    /* Of a packet in pieces the first one can end in a header. */
    if (!whole(&packet, skb)) {
        bpf_skb_pull_data(skb, skb->len < HEADERS ? skb->len : HEADERS);
        whole(&packet, skb);
    }
    return judge(&packet, skb->len) ? TCX_DROP : TCX_NEXT;
}

/* For the helpers of the kernel that ask for it. */
const char terms[] SEC("license") = "GPL";
