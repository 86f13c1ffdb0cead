package flows

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gopacket/gopacket/layers"

	"github.com/bloomlane/bloomlane/packets/capture"
)

// rounds is a number of repetitions of a test, or with -short a part of it.
func rounds(n uint64) uint64 {
	if testing.Short() {
		return n / 8
	}
	return n
}

// diary is an observer that writes everything down.
type diary []string

func (d *diary) began(f *flow) {
	*d = append(*d, fmt.Sprintf("%v begins %s to %s by %d syn %v", f.first, f.key.low, f.key.high,
		f.key.protocol, f.syn))
}

func (d *diary) ended(f *flow, at time.Duration, why end) {
	*d = append(*d, fmt.Sprintf("%v ends %s to %s by %d, %v after %d packets, the last %v", at,
		f.key.low, f.key.high, f.key.protocol, why, f.packets, f.last))
}

// between returns a TCP packet between two ports of two hosts.
func between(from, to uint16, at time.Duration, flags capture.Flags) capture.Header {
	host := func(port uint16) netip.Addr { return netip.AddrFrom4([4]byte{192, 0, 2, byte(port)}) }
	return capture.Header{
		Time: epoch.Add(at), Whole: true, Protocol: layers.IPProtocolTCP,
		Source: host(from), SourcePort: from, Destination: host(to),
		DestinationPort: to, Flags: flags,
	}
}

// TestFlows tells when flows begin and end, by the packets of one connection or of few.
func TestFlows(t *testing.T) {
	const s = time.Second
	const up, timeout = true, 10 * s
	packet := func(up bool, now time.Duration, flags capture.Flags) capture.Header {
		if up {
			return between(1, 2, now, flags)
		}
		return between(2, 1, now, flags)
	}
	udp := func(at time.Duration) capture.Header {
		h := between(1, 2, at, 0)
		h.Protocol = layers.IPProtocolUDP
		return h
	}
	timeless := packet(up, 0, capture.ACK)
	timeless.Time = time.Time{}
	fragment := capture.Header{Time: epoch.Add(20 * s), Source: netip.IPv6Loopback(),
		Destination: netip.IPv6Loopback(), Fragment: true}

	for _, test := range []struct {
		name    string
		packets []capture.Header
		want    string // b and e of beginnings and ends: the seconds, and why
		late    int
	}{
		{"both directions are one flow", []capture.Header{packet(up, 0, capture.SYN),
			packet(!up, 1*s, capture.SYN|capture.ACK), packet(up, 2*s, capture.ACK)},
			"b0 e2cut", 0},
		{"a flow begins in the middle", []capture.Header{packet(!up, 0, capture.ACK)},
			"b0 e0cut", 0},
		{"one FIN ends nothing, two do", []capture.Header{packet(up, 0, capture.SYN),
			packet(up, 1*s, capture.FIN), packet(up, 2*s, capture.FIN),
			packet(!up, 3*s, capture.FIN)}, "b0 e3closed", 0},
		{"the first RST ends", []capture.Header{packet(up, 0, capture.SYN),
			packet(!up, 1*s, capture.RST), packet(!up, 2*s, capture.RST)}, "b0 e1reset", 1},
		{"a RST alone", []capture.Header{packet(up, 1*s, capture.RST)}, "b0 e0reset", 0},
		{"the last ACK begins no flow", []capture.Header{packet(up, 0, capture.FIN),
			packet(!up, 1*s, capture.FIN), packet(up, 2*s, capture.ACK)}, "b0 e1closed", 1},
		{"a SYN does", []capture.Header{packet(up, 0, capture.FIN), packet(!up, 1*s, capture.FIN),
			packet(up, 2*s, capture.SYN)}, "b0 e1closed b2 e2cut", 0},
		{"late packets may be late for the timeout only",
			[]capture.Header{packet(up, 0, capture.RST), packet(up, 10*s, capture.ACK)},
			"b0 e0reset b10 e10cut", 0},
		{"a SYN after one FIN does too", []capture.Header{packet(up, 0, capture.SYN),
			packet(up, 1*s, capture.FIN), packet(up, 5*s, capture.SYN),
			packet(!up, 8*s, capture.FIN), packet(up, 9*s, capture.ACK)},
			"b0 e5closed b5 e9cut", 0},
		{"and after the other side's", []capture.Header{packet(up, 0, capture.SYN),
			packet(!up, 1*s, capture.FIN), packet(up, 5*s, capture.SYN)},
			"b0 e5closed b5 e5cut", 0},
		{"a SYN sent again begins nothing", []capture.Header{packet(up, 0, capture.SYN),
			packet(up, 3*s, capture.SYN)}, "b0 e3cut", 0},
		{"idle", []capture.Header{packet(up, 0, capture.SYN), udp(9 * s),
			packet(up, 9*s, capture.ACK), udp(18 * s), packet(up, 19*s, capture.ACK)},
			"b0 b9 e19idle b19 e19cut e19cut", 0},
		{"the end of an idle flow is when it was idle, not when it was noticed",
			[]capture.Header{udp(0), packet(up, 25*s, capture.SYN)}, "b0 e10idle b25 e25cut", 0},
		{"protocols are different flows", []capture.Header{packet(up, 0, 0), udp(0)},
			"b0 b0 e0cut e0cut", 0},
		{"UDP has no flags",
			[]capture.Header{{Time: epoch, Whole: true, Protocol: layers.IPProtocolUDP,
				Source: netip.IPv6Loopback(), Destination: netip.IPv6Loopback(),
				Flags: capture.RST}}, "b0 e0cut", 0},
		{"times that go back", []capture.Header{udp(5 * s), udp(9 * s), udp(1 * s), udp(18 * s)},
			"b0 e13cut", 0},
		{"packets without a time", []capture.Header{timeless, packet(up, 7*s, capture.ACK),
			timeless, packet(up, 16*s, capture.ACK)}, "b0 e9cut", 0},
		{"fragments pass the time", []capture.Header{udp(0), fragment}, "b0 e10idle", 0},
		{"a leap", []capture.Header{udp(0), udp(1 << 62), udp(0)},
			"b0 e10idle b4611686018 e4611686018cut", 0},
	} {
		var found []string
		note := func(kind string, at time.Duration, why string) {
			found = append(found, fmt.Sprintf("%s%d%s", kind, at/time.Second, why))
		}
		tr, err := newTracker(timeout, 100, scribe{note})
		if err != nil {
			t.Fatal(err)
		}
		for i := range test.packets {
			tr.packet(&test.packets[i])
		}
		tr.finish()
		if got := fmt.Sprint(found); got != "["+test.want+"]" || tr.packets.Late != test.late {
			t.Errorf("%s: %v and %d late, want %s and %d", test.name, got, tr.packets.Late,
				test.want, test.late)
		}
	}
}

type scribe struct {
	note func(kind string, at time.Duration, why string)
}

func (s scribe) began(f *flow) { s.note("b", f.first, "") }
func (s scribe) ended(_ *flow, at time.Duration, why end) {
	s.note("e", at, string(why))
}

// naive is the tracker by the words of the documentation: a list of all flows, looked through for
// every packet.
type naive struct {
	diary   *diary
	timeout time.Duration
	limit   int
	now     time.Duration
	packets Packets
	flows   []*naiveFlow // in the order of their latest packets
}

type naiveFlow struct {
	flow
	ends map[netip.AddrPort]bool // that sent a FIN
}

func (n *naive) packet(h *capture.Header) {
	n.packets.All++
	if h.Time.Sub(epoch) < n.now {
		n.packets.Backward++
	}
	n.now = max(n.now, h.Time.Sub(epoch))
	n.flows = slices.DeleteFunc(n.flows, func(f *naiveFlow) bool {
		gone := f.last+n.timeout <= n.now
		if gone && !f.over {
			n.diary.ended(&f.flow, f.last+n.timeout, idle)
		}
		return gone
	})
	switch {
	case h.Source == netip.Addr{}:
		n.packets.NoIP++
		return
	case h.Fragment:
		n.packets.Fragment++
		return
	case !h.Whole:
		n.packets.Cut++
		return
	}
	from, to := netip.AddrPortFrom(h.Source, h.SourcePort),
		netip.AddrPortFrom(h.Destination, h.DestinationPort)
	ends := []netip.AddrPort{from, to}
	slices.SortFunc(ends, netip.AddrPort.Compare)
	k := tuple{ends[0], ends[1], uint8(h.Protocol)}
	syn := h.Protocol == layers.IPProtocolTCP && h.Flags&capture.SYN != 0 &&
		h.Flags&capture.ACK == 0
	i := slices.IndexFunc(n.flows, func(f *naiveFlow) bool { return f.key == k })
	if i >= 0 && syn && !n.flows[i].over && len(n.flows[i].ends) > 0 {
		n.flows[i].over = true
		n.diary.ended(&n.flows[i].flow, n.now, closed)
	}
	if i >= 0 && n.flows[i].over {
		if !syn {
			n.packets.Late++
			n.flows[i].last = n.now
			n.flows = append(slices.Delete(slices.Clone(n.flows), i, i+1), n.flows[i])
			return
		}
		n.flows = slices.Delete(n.flows, i, i+1)
		i = -1
	}
	if i < 0 {
		if len(n.flows) == n.limit {
			if oldest := n.flows[0]; !oldest.over {
				n.diary.ended(&oldest.flow, n.now, evicted)
			}
			n.flows = n.flows[1:]
		}
		f := &naiveFlow{flow: flow{key: k, first: n.now, syn: syn}, ends: map[netip.AddrPort]bool{}}
		n.flows = append(n.flows, f)
		n.diary.began(&f.flow)
		i = len(n.flows) - 1
	}
	f := n.flows[i]
	n.flows = append(slices.Delete(slices.Clone(n.flows), i, i+1), f)
	f.last = n.now
	f.packets++
	if h.Protocol != layers.IPProtocolTCP {
		return
	}
	if h.Flags&capture.FIN != 0 {
		f.ends[from] = true
	}
	if h.Flags&capture.RST != 0 {
		f.over = true
		n.diary.ended(&f.flow, n.now, reset)
	} else if f.ends[k.low] && f.ends[k.high] {
		f.over = true
		n.diary.ended(&f.flow, n.now, closed)
	}
}

// TestTheTrackerIsTheNaiveModel holds it on random packets: few flows that meet often, times that
// stay, leap and go back, and room for all or for few.
func TestTheTrackerIsTheNaiveModel(t *testing.T) {
	happened := map[string]bool{}
	for seed := range rounds(200) {
		random := rand.New(rand.NewPCG(seed, 7))
		limit := 1 + random.IntN(20)
		var got, want diary
		tr, err := newTracker(10*time.Second, limit, &got)
		if err != nil {
			t.Fatal(err)
		}
		model := &naive{diary: &want, timeout: 10 * time.Second, limit: limit}
		now := time.Duration(0)
		for i := range 400 {
			switch n := random.IntN(12); {
			case i == 0:
			case n < 4:
				now += time.Duration(random.IntN(4)) * time.Second
			case n == 4:
				now = max(0, now-time.Duration(random.IntN(30))*time.Second)
			case n == 5:
				now += time.Duration(random.IntN(15)) * time.Second
			}
			h := between(uint16(random.IntN(4)), uint16(random.IntN(4)), now, 0)
			switch random.IntN(4) {
			case 0:
				h.Protocol = layers.IPProtocolUDP
			case 1:
				h.Flags = capture.Flags(random.IntN(32))
			case 2:
				h.Flags = []capture.Flags{capture.SYN, capture.FIN | capture.ACK,
					capture.ACK}[random.IntN(3)]
			}
			switch n := random.IntN(40); {
			case i == 0 || n > 2:
			case n == 0:
				h = capture.Header{Time: h.Time}
			default:
				h.Whole, h.Fragment = false, n == 1
			}
			tr.packet(&h)
			model.packet(&h)
			if tr.packets != model.packets {
				t.Fatalf("seed %d, packet %d, %+v: %+v, want %+v", seed, i, h, tr.packets,
					model.packets)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d, packet %d, %+v:\n%q, want\n%q", seed, i, h,
					got[max(0, len(got)-3):], want[max(0, len(want)-3):])
			}
			if tr.flows.Len() > limit {
				t.Fatalf("%d flows, with room for %d", tr.flows.Len(), limit)
			}
		}
		for _, line := range got {
			if _, why, ends := strings.Cut(line, ", "); ends {
				why, _, _ = strings.Cut(why, " ")
				happened[why] = true
			}
		}
	}
	for _, why := range []end{idle, closed, reset, evicted} {
		if !happened[fmt.Sprint(why)] {
			t.Errorf("no flow ended by %v, only by %v", why, happened)
		}
	}
}

// Both directions have one key, and all different flows have different bytes.
func TestKeys(t *testing.T) {
	seen := map[[keyBytes]byte]string{}
	four, mapped := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("::ffff:192.0.2.1")
	for _, host := range []netip.Addr{four, mapped, netip.MustParseAddr("2001:db8::1")} {
		for _, protocol := range []layers.IPProtocol{layers.IPProtocolTCP, layers.IPProtocolUDP} {
			for _, port := range []uint16{0, 1, 256} {
				there := capture.Header{Source: host, SourcePort: port, Destination: host.Next(),
					DestinationPort: 7, Protocol: protocol}
				back := capture.Header{Destination: host, DestinationPort: port,
					Source: host.Next(), SourcePort: 7, Protocol: protocol}
				k, sender := keyOf(&there)
				other, answerer := keyOf(&back)
				if k != other || sender == answerer {
					t.Errorf("%v and %v are of %v and %v", there, back, k, other)
				}
				name := fmt.Sprint(host, protocol, port)
				if twin, ok := seen[k.bytes()]; ok {
					t.Errorf("%s has the bytes of %s", name, twin)
				}
				seen[k.bytes()] = name
				if k.bytes()[0] == nonMemberKind {
					t.Errorf("%s could be a non-member", name)
				}
			}
		}
	}
}
