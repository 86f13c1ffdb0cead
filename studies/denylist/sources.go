package denylist

import (
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
)

// family is a version of IP.
type family string

const (
	ipv4 family = "IPv4"
	ipv6 family = "IPv6"
)

var families = []family{ipv4, ipv6}

// mix is the share of the sources of packets that are listed.
type mix struct {
	Name   string
	Listed float64
}

var mixes = []mix{{"none", 0}, {"1 %", 0.01}, {"all", 1}}

// address is one of either family: of IPv4 it is the first four bytes.
type address [16]byte

func (a address) addr(f family) netip.Addr {
	if f == ipv4 {
		return netip.AddrFrom4([4]byte(a[:4]))
	}
	return netip.AddrFrom16(a)
}

// spread maps numbers to others, no two to the same: the finalizer of MurmurHash3.
func spread(x uint32) uint32 {
	x = (x ^ x>>16) * 0x85ebca6b
	x = (x ^ x>>13) * 0xc2b2ae35
	return x ^ x>>16
}

// addresses returns different addresses of hosts, spread over their family's: members, and others.
func addresses(f family, members, others int) (listed, unlisted []address) {
	all := make([]address, 0, members+others)
	for i := uint32(0); len(all) < members+others; i++ {
		var a address
		if f == ipv4 {
			binary.BigEndian.PutUint32(a[:], spread(i))
			if a[0] == 0 || a[0] == 127 || a[0] >= 224 { // of no host
				continue
			}
		} else {
			copy(a[:], []byte{0x20, 0x01, 0x0d, 0xb8})
			binary.BigEndian.PutUint32(a[4:], spread(i))
			binary.BigEndian.PutUint32(a[8:], spread(^i))
			binary.BigEndian.PutUint32(a[12:], spread(i+1))
		}
		all = append(all, a)
	}
	return all[:members], all[members:]
}

// draw returns sources in random order, of which a share is listed. As far as there are, they
// differ.
func (m mix) draw(n int, listed, unlisted []address) []address {
	random := rand.New(rand.NewPCG(1, uint64(1000*m.Listed)))
	pick := func(list []address, n int) (some []address) {
		order := random.Perm(len(list))
		for i := range n {
			some = append(some, list[order[i%len(order)]])
		}
		return some
	}
	hits := int(m.Listed * float64(n))
	all := append(pick(listed, hits), pick(unlisted, n-hits)...)
	random.Shuffle(n, func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

const ethernet = 14 // bytes of its header

// write writes a source into a packet.
func (a address) write(packet []byte, f family) {
	if f == ipv4 {
		copy(packet[ethernet+12:], a[:4])
	} else {
		copy(packet[ethernet+8:], a[:])
	}
}

// frame returns the packet that sources are written into: the shortest that Ethernet has, of UDP to
// an address that no host has.
func frame(f family) []byte {
	const least = 64
	p := make([]byte, least+20)
	copy(p, []byte{2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1})
	ip := p[ethernet:]
	if f == ipv4 {
		p = p[:least]
		copy(p[12:], []byte{8, 0})
		copy(ip, []byte{0x45, 0, 0, least - ethernet, 0, 0, 0, 0, 64, 17})
		copy(ip[16:], []byte{198, 18, 0, 1})
		return p
	}
	copy(p[12:], []byte{0x86, 0xdd})
	copy(ip, []byte{0x60, 0, 0, 0, 0, byte(len(ip) - 40), 17, 64})
	copy(ip[24:], []byte{0x20, 0x01, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1})
	return p
}
