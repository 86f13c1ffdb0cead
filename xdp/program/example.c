/*
 * The filter in an XDP program of your own: it drops packets of IPv4 whose source the filter finds.
 * example_linux_test.go fills it from Go. With libbpf, <linux/bpf.h> and <bpf/bpf_helpers.h> take the place
 * of kernel.h.
 */
#include "../../c/bloomlane.h"

#include "kernel.h"

/* Element 0 has the number of blocks in lane 0 and the key of SipHash-1-3 in lanes 1 and 2. The blocks
 * follow: Go maps them, and makes its filter over them by deletable.Over. */
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries, 2); /* Go makes it as large as its plan */
    __type(key, uint32_t);
    __type(value, blm_block512);
} table SEC(".maps");

/* Reports whether the filter has an address in network order. */
static inline int denied(uint32_t address)
{
    uint32_t index = 0;
    const blm_block512 *header = bpf_map_lookup_elem(&table, &index), *block;
    blm_sip_key key;
    uint64_t hash;

    if (header == NULL || header->lane[0] == 0)
        return 0;
    key.word[0] = header->lane[1];
    key.word[1] = header->lane[2];
    hash = blm_siphash(&key, &address, sizeof(address));
    index = 1 + (uint32_t)blm_index(hash, header->lane[0]);
    block = bpf_map_lookup_elem(&table, &index);
    return block != NULL && blm_query512(block, hash);
}

SEC("xdp")
int example(struct xdp_md *context)
{
    const uint8_t *data = (const uint8_t *)(uintptr_t)context->data;

    if (data + 34 > (const uint8_t *)(uintptr_t)context->data_end || network16(data + 12) != 0x0800)
        return XDP_PASS; /* your program goes on here */
    return denied(*(const uint32_t *)(data + 26)) ? XDP_DROP : XDP_PASS;
}

const char terms[] SEC("license") = "GPL";
