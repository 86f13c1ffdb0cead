/* The program, on addresses that follow each other from one run to the next: with it one call of
 * BPF_PROG_TEST_RUN asks for many members. */
#include "../program/program.c"

/* What stands behind the header of the packet. */
struct orbit {
    uint32_t index, period, first;
};

SEC("xdp") int sweep(struct xdp_md *context)
{
    enum { IP = 14, SOURCE = IP + 12, ORBIT = IP + 20 };
    uint8_t *data = (uint8_t *)(uintptr_t)context->data;
    uint8_t *end = (uint8_t *)(uintptr_t)context->data_end;
    struct orbit *orbit = (struct orbit *)(data + ORBIT);
    uint32_t *source = (uint32_t *)(data + SOURCE);
    struct packet packet;
    int drops;

    if ((uint8_t *)(orbit + 1) > end)
        return XDP_PASS;
    packet_parse(&packet, data, end);
    drops = judge(&packet, (uint64_t)(end - data));
    *source = *source * 1664525 + 1013904223;
    if (++orbit->index >= orbit->period) {
        orbit->index = 0;
        *source = orbit->first;
    }
    return drops ? XDP_DROP : XDP_PASS;
}
