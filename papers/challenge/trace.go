package challenge

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/bloomlane/bloomlane/packets/capture"
	"github.com/bloomlane/bloomlane/packets/guard"
)

// trace is packets, and the lists that go with them.
type trace struct {
	packets   []guard.Packet
	sources   []netip.Addr // each once, in the order of their first packets
	blocked   []netip.Addr
	sequences [][]byte
}

// What traces are made of.
const (
	perSource     = 40 // packets of one word, as the document has them
	knownPatterns = 1000
	turnovers     = 10 // the sources in all, by those that send at a time
	wordBytes     = 4
	longest       = 3 // words of a sequence
	maxStrikes    = 3
)

// word draws one of which the top bit says whether it is of a bad sequence.
func word(rng *rand.Rand, bad bool) []byte {
	w := binary.BigEndian.AppendUint32(nil, rng.Uint32())
	if w[0] &= 0x7f; bad {
		w[0] |= 0x80
	}
	return w
}

// complete draws sequences until there are all, a third of each length.
func (t *trace) complete(rng *rand.Rand) {
	for i := len(t.sequences); i < knownPatterns; i++ {
		var sequence []byte
		for range i%longest + 1 {
			sequence = append(sequence, word(rng, true)...)
		}
		t.sequences = append(t.sequences, sequence)
	}
}

// synthetic returns a trace of n sources that come and go: each sends for a tenth of the time. Of
// 100, 3 are blocked from the start, 5 send three to five bad sequences, and 12 send one or two.
func synthetic(rng *rand.Rand, n int) *trace {
	t := &trace{}
	t.complete(rng)
	type sent struct {
		at float64
		guard.Packet
	}
	var all []sent
	for i := range n {
		source := netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})
		t.sources = append(t.sources, source)
		bad := 0
		switch u := rng.IntN(100); {
		case u < 3:
			t.blocked = append(t.blocked, source)
		case u < 8:
			bad = maxStrikes + rng.IntN(3)
		case u < 20:
			bad = 1 + rng.IntN(2)
		}
		number := 0.0
		for word := range slices.Chunk(script(rng, t.sequences, bad), wordBytes) {
			at := float64(i) + float64(n)/turnovers*(number+rng.Float64())/perSource
			all = append(all, sent{at, guard.Packet{Source: source, Payload: word}})
			number++
		}
	}
	slices.SortStableFunc(all, func(a, b sent) int { return cmp.Compare(a.at, b.at) })
	for _, p := range all {
		t.packets = append(t.packets, p.Packet)
	}
	return t
}

// script returns the words of a source, with some bad sequences at random places.
func script(rng *rand.Rand, sequences [][]byte, bad int) []byte {
	var parts [][]byte
	for range bad {
		parts = append(parts, sequences[rng.IntN(len(sequences))])
	}
	for rest := perSource - len(slices.Concat(parts...))/wordBytes; rest > 0; rest-- {
		parts = append(parts, word(rng, false))
	}
	rng.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	return slices.Concat(parts...)
}

// captured returns a real capture of 26,068 packets, which comes with the module that reads them.
// Its bad sequences are a thousand, of which 30 are in it: of the two sources that send the most
// words but for the busiest, with first words that no other one sends. No source is blocked from
// the start.
func captured(rng *rand.Rand) *trace {
	file := must(os.Open(filepath.Join(moduleFolder("github.com/gopacket/gopacket"),
		"layers", "testdata", "cip.pcap")))
	defer file.Close()
	t, sends := &trace{}, map[netip.Addr][]byte{}
	for reader := capture.Open(file); ; {
		source, payload, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		payload = bytes.Clone(must(payload, err))
		if !source.Is4() {
			continue // the document's sources have 32 bits
		}
		if _, seen := sends[source]; !seen {
			t.sources = append(t.sources, source)
		}
		sends[source] = append(sends[source], payload...)
		t.packets = append(t.packets, guard.Packet{Source: source, Payload: payload})
	}
	const inside = 30
	busiest := slices.SortedStableFunc(slices.Values(t.sources),
		func(a, b netip.Addr) int { return cmp.Compare(len(sends[b]), len(sends[a])) })
	for i, source := range busiest[1:3] {
		words, others := sends[source], []byte{}
		for _, other := range t.sources {
			if other != source {
				others = append(others, sends[other]...)
			}
		}
		for len(t.sequences) < (i+1)*inside/2 {
			n := wordBytes * (1 + rng.IntN(longest))
			at := wordBytes * rng.IntN((len(words)-n)/wordBytes+1)
			if !bytes.Contains(others, words[at:at+wordBytes]) {
				t.sequences = append(t.sequences, words[at:at+n])
			}
		}
	}
	t.complete(rng)
	return t
}

// moduleFolder is where the go command has a module.
func moduleFolder(module string) string {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		err = fmt.Errorf("%w: %s", err, exit.Stderr)
	}
	return string(bytes.TrimSpace(must(out, err)))
}

// outcome is what an engine made of a trace: the verdicts, and the sources that are bad in the end.
type outcome struct {
	*guard.Engine
	verdicts []guard.Verdict
	bad      map[netip.Addr]bool
}

// run runs an engine on sets, with the exact state of up to a number of sources.
func (t *trace) run(sets guard.Sets, limit int) outcome {
	engine := must(guard.NewEngine(sets, limit, t.blocked, t.sequences))
	o := outcome{engine, must(engine.Process(nil, t.packets)), map[netip.Addr]bool{}}
	for _, source := range t.sources {
		if o.Answer(source) == guard.Bad {
			o.bad[source] = true
		}
	}
	return o
}

// exactly runs it on exact sets.
func (t *trace) exactly() outcome { return t.run(guard.NewExactSets(), len(t.sources)) }
