package guard

import "net/netip"

// Batch is packets that were read together, with their payloads in one piece of memory. It can be
// used again and again without allocating.
type Batch struct {
	sources []netip.Addr
	ends    []int  // of the payloads in words, in bytes
	words   []byte // big-endian
}

// Reset empties the batch.
func (b *Batch) Reset() { b.sources, b.ends, b.words = b.sources[:0], b.ends[:0], b.words[:0] }

// Add appends a packet: its source, the zero Addr where it has no IP header, and its payload, whole
// big-endian words, which are copied.
func (b *Batch) Add(source netip.Addr, payload []byte) {
	b.sources = append(b.sources, source)
	b.words = append(b.words, payload...)
	b.ends = append(b.ends, len(b.words))
}

// Len returns the number of packets.
func (b *Batch) Len() int { return len(b.sources) }

// Words returns the number of words in all packets.
func (b *Batch) Words() int { return len(b.words) / wordBytes }

// Packet returns a packet.
func (b *Batch) Packet(i int) (source netip.Addr, payload []byte) {
	start := 0
	if i > 0 {
		start = b.ends[i-1]
	}
	return b.sources[i], b.words[start:b.ends[i]]
}
