package flows

import (
	"encoding/binary"
	"net/netip"

	"github.com/bloomlane/bloomlane/packets/capture"
)

// tuple is a flow's 5-tuple, with its ends in order, so that both directions have the same key.
type tuple struct {
	low, high netip.AddrPort
	protocol  uint8
}

// keyOf returns the key of a packet's flow, and the end that sent it.
func keyOf(h *capture.Header) (k tuple, sender netip.AddrPort) {
	sender = netip.AddrPortFrom(h.Source, h.SourcePort)
	k = tuple{sender, netip.AddrPortFrom(h.Destination, h.DestinationPort), uint8(h.Protocol)}
	if k.low.Compare(k.high) > 0 {
		k.low, k.high = k.high, k.low
	}
	return k, sender
}

// The first byte of a key's bytes.
const (
	nonMemberKind = 0 // of keys that no flow has
	flowKind      = 1
)

// keyBytes is the length of a key's bytes.
const keyBytes = 2 + 2*(16+2)

// bytes returns the bytes that stand for the key in filters. An IPv4 address is written as an IPv6
// one that maps it; the kind of the addresses is part of the first byte, so that the two are
// different keys.
func (k *tuple) bytes() (b [keyBytes]byte) {
	b[0] = flowKind
	if k.low.Addr().Is4() {
		b[0] |= 4 << 4
	}
	b[1] = k.protocol
	offset := 2
	for _, end := range []netip.AddrPort{k.low, k.high} {
		address := end.Addr().As16()
		copy(b[offset:], address[:])
		binary.BigEndian.PutUint16(b[offset+16:], end.Port())
		offset += 18
	}
	return b
}
