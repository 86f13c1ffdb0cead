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
	"strings"

	"github.com/bloomlane/bloomlane/packets/capture"
)

// packet is the document's, with as many words as a real one has.
type packet struct {
	from  int // the number of its source in the trace
	words []uint32
}

// trace is packets, and the lists that go with them.
type trace struct {
	name      string
	packets   []packet
	sources   []uint32 // each once, in the order of their first packets
	blocked   []uint32
	sequences [][]uint32
}

// What the synthetic trace is made of.
const (
	sources       = 10_000
	perSource     = 40 // packets of one word, as the document has them
	knownPatterns = 1000
	badBit        = 1 << 31
	turnovers     = 10 // the sources in all, by those that send at a time
)

// synthetic returns a trace of n sources that come and go: each sends for a tenth of the time. Of
// 100, 3 are blocked from the start, 5 send three to five bad sequences, and 12 send one or two.
// Words of bad sequences have the top bit, and no others do. A fifth of the others send the
// beginning of one. A tenth of the sequences of one word are the end of longer ones.
func synthetic(rng *rand.Rand, n int) *trace {
	t := &trace{name: "synthetic"}
	for i := range knownPatterns {
		sequence := make([]uint32, i%longest+1)
		for j := range sequence {
			sequence[j] = rng.Uint32() | badBit
		}
		if i%(10*longest) == longest { // ends another one too
			sequence[0] = t.sequences[i-1][longest-1]
		}
		t.sequences = append(t.sequences, sequence)
	}
	type sent struct {
		chance float64
		packet int
	}
	var all []sent
	var words []uint32 // of all packets
	for i := range n {
		source := uint32(10<<24 | i)
		t.sources = append(t.sources, source)
		bad, begins := 0, false
		switch u := rng.IntN(100); {
		case u < 3:
			t.blocked = append(t.blocked, source)
		case u < 8:
			bad = maxStrikes + rng.IntN(3)
		case u < 20:
			bad = 1 + rng.IntN(2)
		case u < 36:
			begins = true
		}
		begin := float64(i) / float64(n)
		times := make([]float64, perSource)
		for j := range times {
			times[j] = begin + rng.Float64()/turnovers
		}
		slices.Sort(times)
		for _, at := range times {
			all = append(all, sent{at, len(all)})
		}
		words = append(words, script(rng, t.sequences, bad, begins)...)
	}
	slices.SortFunc(all, func(a, b sent) int { return cmp.Compare(a.chance, b.chance) })
	for _, p := range all {
		t.packets = append(t.packets, packet{p.packet / perSource, words[p.packet:][:1]})
	}
	return t
}

// script returns the words of a source, with some bad sequences at random places, or the beginning
// of one.
func script(rng *rand.Rand, sequences [][]uint32, bad int, begins bool) []uint32 {
	var insert [][]uint32
	for range bad {
		insert = append(insert, sequences[rng.IntN(len(sequences))])
	}
	if begins {
		long := sequences[longest*rng.IntN(len(sequences)/longest)+longest-1]
		insert = append(insert, long[:longest-1])
	}
	rest := perSource
	for _, sequence := range insert {
		rest -= len(sequence)
	}
	words := make([][]uint32, rest, rest+len(insert))
	for i := range words {
		words[i] = []uint32{rng.Uint32() &^ badBit}
	}
	words = append(words, insert...)
	rng.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	return slices.Concat(words...)
}

// readCapture reads a capture. Its bad sequences are a thousand, of which 30 are in it: of the two
// sources that send the most words but for the busiest, with first words that no other one sends.
// No source is blocked from the start.
func readCapture(rng *rand.Rand, path string) (t *trace, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	t = &trace{name: "capture"}
	numbers := map[netip.Addr]int{} // of sources
	for reader := capture.Open(file); ; {
		address, payload, err := reader.Next()
		address = address.Unmap()
		switch {
		case errors.Is(err, io.EOF):
			return t, t.list(rng)
		case err != nil:
			return nil, fmt.Errorf("%s: %w", path, err)
		case !address.Is4():
			continue // the document's sources have 32 bits
		}
		from, seen := numbers[address]
		if !seen {
			from = len(numbers)
			numbers[address] = from
			t.sources = append(t.sources, binary.BigEndian.Uint32(address.AsSlice()))
		}
		p := packet{from: from}
		for ; len(payload) > 0; payload = payload[4:] {
			p.words = append(p.words, binary.BigEndian.Uint32(payload))
		}
		t.packets = append(t.packets, p)
	}
}

// list chooses the bad sequences of a capture.
func (t *trace) list(rng *rand.Rand) error {
	const inside, several = 30, -1
	sends, senders := make([][]uint32, len(t.sources)), map[uint32]int{} // of a word; or several
	for _, p := range t.packets {
		sends[p.from] = append(sends[p.from], p.words...)
		for _, word := range p.words {
			if sender, sent := senders[word]; sent && sender != p.from {
				senders[word] = several
			} else {
				senders[word] = p.from
			}
		}
	}
	busiest := slices.SortedStableFunc(slices.Values(sends),
		func(a, b []uint32) int { return cmp.Compare(len(b), len(a)) })
	for i, words := range busiest[min(1, len(busiest)):min(3, len(busiest))] {
		for range 100 * inside {
			n := 1 + rng.IntN(longest)
			if len(words) < n || len(t.sequences) == (i+1)*inside/2 {
				break
			}
			at := rng.IntN(len(words) - n + 1)
			if senders[words[at]] != several {
				t.sequences = append(t.sequences, words[at:at+n])
			}
		}
	}
	if len(t.sequences) == 0 {
		return errors.New("challenge: no source of the capture sends a word of its own")
	}
	for i := len(t.sequences); i < knownPatterns; i++ {
		sequence := make([]uint32, i%longest+1)
		for j := range sequence {
			sequence[j] = rng.Uint32()
		}
		t.sequences = append(t.sequences, sequence)
	}
	return nil
}

// defaultCapture finds a capture of 26,068 packets that comes with the module that reads captures.
func defaultCapture() (string, error) {
	const module = "github.com/gopacket/gopacket"
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s", err, bytes.TrimSpace(exit.Stderr))
		}
		return "", fmt.Errorf("challenge: find the capture of %s, or give one with --capture: %w",
			module, err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "layers", "testdata", "cip.pcap"), nil
}
