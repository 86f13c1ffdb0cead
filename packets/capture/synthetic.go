package capture

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"net/netip"
)

// MaxSources is the largest number of sources of a synthetic trace: their addresses are 10.0.0.0/8.
const MaxSources = 1 << 24

// Role is what a source of a synthetic trace does.
type Role int

// The roles. Clean sources also send the beginnings of bad sequences, which are no strikes.
const (
	Clean      Role = iota
	Occasional      // sends one or two bad sequences: strikes, but too few
	Bad             // sends three or more
	Blocked         // is in the blocklist
)

// What a synthetic trace is made of.
const (
	rounds       = 20   // packets a source
	maxWords     = 32   // a packet
	badSequences = 1000 // in the list of sequences
	badBit       = 1 << 31
)

// Synthetic is a trace that was never captured: seeded, the same for the same arguments, with a
// blocklist and bad sequences of its own. Every source sends 20 packets of 1 to 32 random words, in
// rounds, each in an order of its own. Bad sequences have words with the top bit set, which no
// other words have, so that what a source is follows from its role alone; half of those with more
// than one word begin in one packet and end in the next of their source. It implements [Packets].
type Synthetic struct {
	sources   int
	blocklist []netip.Addr
	sequences [][]byte

	random   *rand.Rand
	roles    []Role
	order    []int32  // of the sources in this round
	rest     [][]byte // what each source still has to send of a sequence
	position int      // in order
	round    int      // of rounds
	packet   []byte
}

// NewSynthetic returns the trace of a number of sources, 1 to MaxSources, and a seed.
func NewSynthetic(sources int, seed uint64) (*Synthetic, error) {
	if err := checkSources(sources); err != nil {
		return nil, err
	}
	s := &Synthetic{
		sources: sources,
		random:  rand.New(rand.NewPCG(seed, 0)),
		roles:   make([]Role, sources),
		order:   make([]int32, sources),
		rest:    make([][]byte, sources),
	}
	for i := range s.sources {
		s.order[i] = int32(i)
		switch n := s.random.IntN(100); {
		case n < 3:
			s.roles[i] = Blocked
			s.blocklist = append(s.blocklist, s.Source(i))
		case n < 8:
			s.roles[i] = Bad
		case n < 20:
			s.roles[i] = Occasional
		}
	}
	used := map[uint32]bool{} // each word is in one sequence: no part of one is another
	for i := range badSequences {
		var sequence []byte
		for len(sequence) < (i%maxSequence+1)*wordBytes {
			if word := badBit | s.random.Uint32(); !used[word] {
				used[word] = true
				sequence = binary.BigEndian.AppendUint32(sequence, word)
			}
		}
		s.sequences = append(s.sequences, sequence)
	}
	s.shuffle()
	return s, nil
}

func checkSources(sources int) error {
	if sources < 1 || sources > MaxSources {
		return fmt.Errorf("--synthetic is %d, expected 1 to %d", sources, MaxSources)
	}
	return nil
}

// Blocklist returns the sources that are blocked from the start.
func (s *Synthetic) Blocklist() []netip.Addr { return s.blocklist }

// Sequences returns the bad sequences, as the bytes of their words.
func (s *Synthetic) Sequences() [][]byte { return s.sequences }

// Source returns the address of a source.
func (s *Synthetic) Source(i int) netip.Addr {
	return netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})
}

// Role returns the role of a source.
func (s *Synthetic) Role(i int) Role { return s.roles[i] }

func (s *Synthetic) shuffle() {
	s.random.Shuffle(len(s.order),
		func(i, j int) { s.order[i], s.order[j] = s.order[j], s.order[i] })
}

// Next returns the next packet. See [Packets].
func (s *Synthetic) Next() (netip.Addr, []byte, error) {
	if s.position == s.sources {
		s.position = 0
		s.round++
		s.shuffle()
	}
	if s.round >= rounds {
		return netip.Addr{}, nil, io.EOF
	}
	source := int(s.order[s.position])
	s.position++
	s.packet = append(s.packet[:0], s.rest[source]...)
	s.rest[source] = nil
	for range 1 + s.random.IntN(maxWords-2*maxSequence) {
		s.packet = binary.BigEndian.AppendUint32(s.packet, s.random.Uint32()&^badBit)
	}
	sequence := s.sequences[s.random.IntN(len(s.sequences))]
	begin := wordBytes
	switch {
	case s.strikes(source):
		if s.random.IntN(2) == 0 {
			begin = len(sequence)
		}
		s.packet = append(s.packet, sequence[:begin]...)
		s.rest[source] = sequence[begin:]
	case len(sequence) > begin && s.random.IntN(8) == 0: // a beginning, and then something else
		s.packet = append(s.packet, sequence[:begin]...)
		s.packet = binary.BigEndian.AppendUint32(s.packet, s.random.Uint32()&^badBit)
	}
	return s.Source(source), s.packet, nil
}

// strikes says whether a source sends a bad sequence in this round. Bad sources do so in rounds 2,
// 5, 8, …, so that they are blacklisted at different times of a trace; what they send afterwards is
// rejected. Occasional sources do so once or twice. None does in the last round.
func (s *Synthetic) strikes(source int) bool {
	switch s.roles[source] {
	case Bad:
		return s.round%3 == 2 && s.round >= source%8
	case Occasional:
		return s.round == 4 || s.round == 11 && source%2 == 0
	}
	return false
}
