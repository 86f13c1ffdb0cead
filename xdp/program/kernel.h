/* What the programs take from the kernel's interface, under the kernel's names: they need no headers
 * of the system. */
#ifndef KERNEL_H
#define KERNEL_H

#include <stddef.h>
#include <stdint.h>

#define SEC(name) __attribute__((section(name), used))

/* The fields of a map, as loaders read them from the types. */
#define __uint(name, value) int(*name)[value]
#define __type(name, value) __typeof__(value) *name
#define __array(name, value) __typeof__(value) *name[]

enum {
    BPF_MAP_TYPE_HASH = 1,
    BPF_MAP_TYPE_ARRAY = 2,
    BPF_MAP_TYPE_PERCPU_ARRAY = 6,
    BPF_MAP_TYPE_LPM_TRIE = 11,
    BPF_MAP_TYPE_ARRAY_OF_MAPS = 12,
    BPF_MAP_TYPE_RINGBUF = 27
};

enum { BPF_F_NO_PREALLOC = 1 << 0, BPF_F_MMAPABLE = 1 << 10, BPF_F_INNER_MAP = 1 << 12 };

enum { XDP_DROP = 1, XDP_PASS = 2 };

enum { TCX_NEXT = -1, TCX_DROP = 2 };

struct xdp_md {
    uint32_t data;
    uint32_t data_end;
    uint32_t data_meta;
    uint32_t ingress_ifindex;
    uint32_t rx_queue_index;
    uint32_t egress_ifindex;
};

struct __sk_buff {
    uint32_t len;
    uint32_t before_data[18];
    uint32_t data;
    uint32_t data_end;
};

static void *(*const bpf_map_lookup_elem)(void *map, const void *key) = (void *)1;
static long (*const bpf_skb_pull_data)(struct __sk_buff *skb, uint32_t length) = (void *)39;
static long (*const bpf_ringbuf_output)(void *ring, void *data, uint64_t size,
                                        uint64_t flags) = (void *)130;

/* A number in network order, in memory whose address is even. */
static inline uint16_t network16(const uint8_t *p)
{
    return __builtin_bswap16(*(const uint16_t *)p);
}

#endif
