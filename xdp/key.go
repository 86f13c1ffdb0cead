package xdp

import (
	"encoding/binary"
	"net/netip"

	"github.com/bloomlane/bloomlane/filter/key"
)

// AppendKey appends the key of a prefix in a table: the address in network order, of 4 or 16 bytes,
// with zeros behind the prefix, and then the length in one byte, unless the prefix is one address.
// So the key of an address is the address, and that of an IPv4-mapped address is one of IPv6, which
// no packet of IPv4 has: unmap it first. It panics if p is not valid.
func AppendKey(b []byte, p netip.Prefix) []byte {
	if !p.IsValid() {
		panic("xdp: the key of no prefix")
	}
	address := p.Masked().Addr()
	if address.Is4() {
		bytes := address.As4()
		b = append(b, bytes[:]...)
	} else {
		bytes := address.As16()
		b = append(b, bytes[:]...)
	}
	if !p.IsSingleIP() {
		b = append(b, byte(p.Bits()))
	}
	return b
}

// hashed is the words that SipHash takes of a key, as the program has them: the address of IPv6,
// and the rest of the key below its length. It is the key of exact sets too.
type hashed struct {
	Address [2]uint64
	Tail    uint64
}

func hashedOf(p netip.Prefix) hashed {
	var buffer [24]byte
	rest := AppendKey(buffer[:0], p)
	h := hashed{Tail: uint64(len(rest)) << 56}
	if p.Addr().Is6() {
		h.Address = [2]uint64{binary.LittleEndian.Uint64(rest),
			binary.LittleEndian.Uint64(rest[8:])}
		rest = rest[16:]
	}
	var last [8]byte
	copy(last[:], rest)
	h.Tail |= binary.LittleEndian.Uint64(last[:])
	return h
}

// trieKey is the key of a prefix in tries: its bits, with those of the version, which come first.
type trieKey struct {
	Bits, Version uint32
	Address       [16]byte
}

func trieKeyOf(p netip.Prefix) trieKey {
	const versionBits = 32
	k := trieKey{Bits: versionBits + uint32(p.Bits()), Version: 6}
	if p.Addr().Is4() {
		k.Version = 4
	}
	copy(k.Address[:], p.Masked().Addr().AsSlice())
	return k
}

// length is how the program looks prefixes of a length up.
type length struct {
	Mask [2]uint64
	Tail uint64
}

// lengths are those of a version, as a constant of the program.
type lengths struct {
	Count  uint64
	Length [MaxLengths]length
}

// lengthsOf returns what the program needs of the prefix lengths of one version.
func lengthsOf(all []int, zero netip.Addr) lengths {
	l := lengths{Count: uint64(len(all))}
	for i, bits := range all {
		var mask [16]byte
		for bit := range bits {
			mask[bit/8] |= 0x80 >> (bit % 8)
		}
		l.Length[i] = length{
			Mask: [2]uint64{binary.LittleEndian.Uint64(mask[:]),
				binary.LittleEndian.Uint64(mask[8:])},
			Tail: hashedOf(netip.PrefixFrom(zero, bits)).Tail,
		}
	}
	return l
}

// sipWords returns the words of a key of SipHash-1-3.
func sipWords(k key.Key) (first, second uint64) {
	bytes := k.Bytes()
	last := bytes[len(bytes)-16:] // behind the tag
	return binary.LittleEndian.Uint64(last), binary.LittleEndian.Uint64(last[8:])
}
