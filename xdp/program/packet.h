/*
 * What the program knows of a packet: the addresses of its outermost IP header. packet.go of xdp has
 * the same rules in Go.
 * A frame of Ethernet has up to four VLAN tags, and then IPv4, IPv6 or something else. What follows an
 * IP header is not looked at, but for the extension headers of IPv6: of these up to eight are walked
 * over, to see whether the packet is a fragment.
 */
#ifndef PACKET_H
#define PACKET_H

#include "kernel.h"

enum { MOST_TAGS = 4, MOST_EXTENSIONS = 8 };

enum {
    EXTENSION_HOP_BY_HOP = 0,
    EXTENSION_ROUTING = 43,
    EXTENSION_FRAGMENT = 44,
    EXTENSION_AUTHENTICATION = 51,
    EXTENSION_DESTINATION = 60,
    EXTENSION_MOBILITY = 135,
    EXTENSION_HOST_IDENTITY = 139,
    EXTENSION_SHIM6 = 140
};

/* One more than the unit of an extension header's length field, which a fragment header has not; 0
 * for other protocols. A table and no switch, so that the kernel verifies one way, and not one for
 * each order of headers. */
static const uint8_t extension_units[256] = {
    [EXTENSION_HOP_BY_HOP] = 9,  [EXTENSION_ROUTING] = 9,     [EXTENSION_FRAGMENT] = 1,
    [EXTENSION_DESTINATION] = 9, [EXTENSION_MOBILITY] = 9,    [EXTENSION_HOST_IDENTITY] = 9,
    [EXTENSION_SHIM6] = 9,       [EXTENSION_AUTHENTICATION] = 5,
};

/* What is wrong with a packet. */
enum {
    FAULT_NONE = 0,
    FAULT_FRAGMENT = 1, /* a part of a packet, the first one too */
    FAULT_MALFORMED = 2 /* a header is cut, is none, or is one too many */
};

/* An address as it lies in memory; that of IPv4 is the low half of the first word, above zeros. */
struct address {
    uint64_t word[2];
};

struct packet {
    struct address source, destination; /* of version 4 or 6 */
    uint32_t version;                   /* 0, 4 or 6 */
    uint32_t fault;
};

static inline __attribute__((always_inline)) uint64_t packet_word(const uint8_t *p)
{
    const uint32_t *half = (const uint32_t *)p; /* 8 bytes need not be aligned to 8 */

    return half[0] | (uint64_t)half[1] << 32;
}

static inline __attribute__((always_inline)) void packet_ipv4(struct packet *packet,
                                                              const uint8_t *ip,
                                                              const uint8_t *end)
{
    if (ip + 20 > end || ip[0] >> 4 != 4 || (ip[0] & 15) < 5)
        return;
    packet->version = 4;
    packet->source.word[0] = *(const uint32_t *)(ip + 12);
    packet->destination.word[0] = *(const uint32_t *)(ip + 16);
    /* more fragments, or an offset */
    packet->fault = network16(ip + 6) & 0x3fff ? FAULT_FRAGMENT : FAULT_NONE;
}

static inline __attribute__((always_inline)) void packet_ipv6(struct packet *packet,
                                                              const uint8_t *ip,
                                                              const uint8_t *end)
{
    const uint8_t *at = ip + 40;
    uint8_t next;

    if (at > end || ip[0] >> 4 != 6)
        return;
    packet->version = 6;
    for (int i = 0; i < 2; i++) {
        packet->source.word[i] = packet_word(ip + 8 + 8 * i);
        packet->destination.word[i] = packet_word(ip + 24 + 8 * i);
    }
    next = ip[6];
    for (int i = 0; i <= MOST_EXTENSIONS; i++) {
        uint32_t unit = extension_units[next];

        if (unit == 0) {
            packet->fault = FAULT_NONE;
            return;
        }
        if (i == MOST_EXTENSIONS || at + 8 > end)
            return;
        if (next == EXTENSION_FRAGMENT && network16(at + 2) & 0xfff9) { /* an offset, or more */
            packet->fault = FAULT_FRAGMENT;
            return;
        }
        next = at[0];
        at += 8 + ((unit - 1) * at[1] & 0x7ff); /* no bit is lost, and the kernel sees the bound */
        if (at > end)
            return;
    }
}

/* Reports whether a tag follows: of 802.1Q, of 802.1ad, or of switches that are older than that. */
static inline __attribute__((always_inline)) int packet_tag(uint32_t type)
{
    return type == 0x8100 || type == 0x88a8 || type == 0x9100 || type == 0x9200;
}

static inline __attribute__((always_inline)) void packet_parse(struct packet *packet,
                                                               const uint8_t *data,
                                                               const uint8_t *end)
{
    enum { IPV4 = 0x0800, IPV6 = 0x86dd };
    const uint8_t *at = data + 14;
    uint32_t type;

    *packet = (struct packet){.fault = FAULT_MALFORMED};
    if (at > end)
        return;
    type = network16(data + 12);
    for (int i = 0; i < MOST_TAGS && packet_tag(type); i++) {
        if (at + 4 > end)
            return;
        type = network16(at + 2);
        at += 4;
    }
    switch (type) {
    case IPV4:
        packet_ipv4(packet, at, end);
        return;
    case IPV6:
        packet_ipv6(packet, at, end);
        return;
    default:
        if (!packet_tag(type))
            packet->fault = FAULT_NONE;
    }
}

#endif
