package capture

import (
	"encoding/binary"
	"net/netip"
	"reflect"
	"slices"
	"testing"
)

func synthetic(t *testing.T, sources int, seed uint64) (*Synthetic, []packet) {
	t.Helper()
	trace, err := NewSynthetic(sources, seed)
	if err != nil {
		t.Fatal(err)
	}
	all, err := drain(trace)
	if err != nil {
		t.Fatal(err)
	}
	return trace, all
}

func TestSyntheticIsSeeded(t *testing.T) {
	one, first := synthetic(t, 300, 7)
	again, second := synthetic(t, 300, 7)
	if !reflect.DeepEqual(first, second) || !reflect.DeepEqual(one.Blocklist(),
		again.Blocklist()) || !reflect.DeepEqual(one.Sequences(), again.Sequences()) {
		t.Error("two traces of the same seed differ")
	}
	if _, other := synthetic(t, 300, 8); reflect.DeepEqual(first, other) {
		t.Error("traces of two seeds are the same")
	}
}

// TestSyntheticRoles holds every source against its role, by looking for the sequences in all that
// it sends: no packet ends a sequence that a clean source began.
func TestSyntheticRoles(t *testing.T) {
	trace, all := synthetic(t, 1000, 1)
	sent, number := map[netip.Addr][]byte{}, map[netip.Addr]int{}
	spans, whole := 0, 0 // sequences of some words that go from one packet into the next, or do not
	bad := map[string]bool{}
	for _, sequence := range trace.Sequences() {
		bad[string(sequence)] = true
	}
	precedes := map[string]string{} // of each word of a sequence but the first
	for _, sequence := range trace.Sequences() {
		for at := wordBytes; at < len(sequence); at += wordBytes {
			precedes[string(sequence[at:at+wordBytes])] = string(sequence[at-wordBytes : at])
		}
	}
	first := map[netip.Addr]int{} // packets of the first round
	moved := 0
	for i, p := range all {
		round := i / 1000
		if place, seen := first[p.source]; seen != (round > 0) {
			t.Fatalf("packet %d of round %d is of %s, which was seen %v", i%1000, round,
				p.source, seen)
		} else if !seen {
			first[p.source] = i
		} else if place != i%1000 {
			moved++
		}
	}
	if want := 1000 * (rounds - 1); moved < want*9/10 {
		t.Errorf("%d packets of later rounds are in another place than in the first, want %d or so",
			moved, want)
	}
	hits := map[netip.Addr]int{}
	for _, p := range all {
		if words := len(p.payload) / wordBytes; words < 1 || words > maxWords ||
			len(p.payload)%wordBytes != 0 {
			t.Fatalf("a packet of %d bytes, want 1 to %d words", len(p.payload), maxWords)
		}
		number[p.source]++
		stream, sentBefore := append(sent[p.source], p.payload...), len(sent[p.source])
		for end := sentBefore + wordBytes; end <= len(stream); end += wordBytes {
			if want, later := precedes[string(stream[end-wordBytes:end])]; later {
				if end < 2*wordBytes || string(stream[end-2*wordBytes:end-wordBytes]) != want {
					t.Fatalf("source %s sends a later word of a sequence alone", p.source)
				}
			}
			for n := wordBytes; n <= min(end, maxSequence*wordBytes); n += wordBytes {
				if bad[string(stream[end-n:end])] {
					hits[p.source]++
					switch {
					case end-n < sentBefore:
						spans++
					case n > wordBytes:
						whole++
					}
				}
			}
		}
		sent[p.source] = stream
	}
	if len(number) != 1000 || len(all) != 1000*rounds {
		t.Errorf("%d packets of %d sources, want %d of 1000", len(all), len(number), 1000*rounds)
	}
	counts, begun := map[Role]int{}, 0
	for i := range 1000 {
		source, role := trace.Source(i), trace.Role(i)
		counts[role]++
		if blocked := slices.Contains(trace.Blocklist(), source); blocked != (role == Blocked) {
			t.Errorf("source %s of role %d: in the blocklist is %v", source, role, blocked)
		}
		least, most := map[Role]int{Occasional: 1, Bad: 3}[role],
			map[Role]int{Occasional: 2, Bad: rounds}[role]
		if hits[source] < least || hits[source] > most {
			t.Errorf("source %s of role %d sends %d bad sequences, want %d to %d", source, role,
				hits[source], least, most)
		}
		for at := 0; role == Clean && at < len(sent[source]); at += wordBytes {
			if binary.BigEndian.Uint32(sent[source][at:])&badBit != 0 {
				begun++
			}
		}
	}
	for role := Clean; role <= Blocked; role++ {
		if counts[role] < 10 {
			t.Errorf("%d sources of role %d, want at least 10", counts[role], role)
		}
	}
	if spans < 10 || whole < 10 || begun < 10 {
		t.Errorf("%d sequences span packets, %d do not, clean sources begin %d; want at least 10 "+
			"of each", spans, whole, begun)
	}
}

func TestSyntheticBounds(t *testing.T) {
	for _, sources := range []int{-1, 0, MaxSources + 1} {
		if err := checkSources(sources); err == nil {
			t.Errorf("%d sources: no error", sources)
		}
	}
	for _, sources := range []int{1, MaxSources} { // whose trace would take 600 MB
		if err := checkSources(sources); err != nil {
			t.Error(err)
		}
	}
}
