package guard

import (
	"fmt"
	"net/netip"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/packets/sets"
)

// Verdict is what became of a packet: the worst of what became of its words.
type Verdict byte

// The verdicts, as they are written to files.
const (
	Accepted    Verdict = '.'
	Strike      Verdict = 's' // at least one strike, and the source is still good
	ThirdStrike Verdict = 'm' // the source moved from good to bad
	Rejected    Verdict = 'r' // the source was bad before
	NoIP        Verdict = '-' // no IP header, so no source
)

// Answer is what the sets say of a source.
type Answer string

// The answers.
const (
	Good    Answer = "good"
	Bad     Answer = "bad"
	Unknown Answer = "unknown"
)

// The terms of the rules.
const (
	wordBytes   = 4
	maxSequence = 3 // words of the longest sequence
	maxStrikes  = 3
)

// maxGroup is the number of words that are asked about in one batch: enough for a filter larger
// than the cache to overlap its reads of memory, few enough for the keys to stay in the
// first-level cache, and a bound on the engine's memory whatever the length of a packet.
const maxGroup = 512

// state is the exact state of a good source.
type state struct {
	strikes int
	history [(maxSequence - 1) * wordBytes]byte // the latest words since the last strike
	held    int                                 // bytes of history
}

// Verdicts are numbers of packets, by verdict.
type Verdicts struct {
	Accepted    int `json:"accepted"`
	Strike      int `json:"strike"`
	ThirdStrike int `json:"third_strike"`
	Rejected    int `json:"rejected"`
	NoIP        int `json:"no_ip"`
}

// Packets returns the number of all packets.
func (v *Verdicts) Packets() int {
	return v.Accepted + v.Strike + v.ThirdStrike +
		v.Rejected + v.NoIP
}

// Counts are what an engine has done.
type Counts struct {
	Verdicts `json:"verdicts"`

	// not those of rejected packets, nor what follows a third strike
	Words   int `json:"words_looked_at"`
	Lookups int `json:"lookups"` // keys that the sets were asked about
	Strikes int `json:"strikes"`
	Spared  int `json:"spared"` // third strikes after which the source stays good, with no strike

	Admitted int `json:"admitted"` // inserts into the good set
	Evicted  int `json:"evicted"`  // of them, deleted again to make room for the state of others
	Cleared  int `json:"cleared"`  // deletions from the good set that cleared bits
	// deletions from the good set that could not: the source stays visible there
	Retained int `json:"retained"`
}

// Packet is a packet: its source, the zero Addr where it has no IP header, and its payload, whole
// big-endian words.
type Packet struct {
	Source  netip.Addr
	Payload []byte
}

// Engine applies the rules to packets. It is not safe for concurrent use.
type Engine struct {
	sets    Sets
	members sets.Exact // the hashes of those of the good set: the sources that have a state
	states  *simplelru.LRU[netip.Addr, *state]
	limit   int // of states
	counts  Counts

	// Buffers, so that no packet allocates.
	source, evicted [16]byte
	stream          []byte   // history and words
	hashes          []uint64 // of parts of stream
	present         []uint64 // a bit for each of the hashes
}

// NewEngine returns an engine on empty sets that keeps the exact state of up to limit sources. It
// inserts the blocklist and the sequences, in which nothing may be repeated, into their sets.
func NewEngine(sets Sets, limit int, blocklist []netip.Addr, sequences [][]byte) (*Engine, error) {
	states, err := simplelru.NewLRU[netip.Addr, *state](limit, nil)
	if err != nil {
		return nil, fmt.Errorf("--history is %d, expected at least 1", limit)
	}
	e := &Engine{
		sets: sets, states: states, limit: limit,
		stream:  make([]byte, 0, len(state{}.history)+maxGroup*wordBytes),
		hashes:  make([]uint64, 0, maxGroup*maxSequence),
		present: make([]uint64, filter.Words(maxGroup*maxSequence)),
	}
	for _, source := range blocklist {
		if _, err := sets.Bad.Insert(appendKey(e.source[:0], source)); err != nil {
			return nil, fmt.Errorf("guard: insert %s of the blocklist: %w", source, err)
		}
	}
	for i, sequence := range sequences {
		if _, err := sets.Sequences.Insert(sequence); err != nil {
			return nil, fmt.Errorf("guard: insert bad sequence %d: %w", i+1, err)
		}
	}
	return e, nil
}

// Counts returns what the engine has done so far.
func (e *Engine) Counts() Counts { return e.counts }

// Held returns the number of sources whose exact state is kept.
func (e *Engine) Held() int { return e.states.Len() }

// Answer returns what the sets say of a source.
func (e *Engine) Answer(source netip.Addr) Answer {
	key := appendKey(e.source[:0], source)
	switch {
	case e.sets.Bad.Query(key):
		return Bad
	case e.sets.Good.Query(key):
		return Good
	}
	return Unknown
}

// Process applies the rules to packets in their order and appends their verdicts. An error is that
// of a set which refuses a source: the verdicts are then those of the packets before, and the
// source is in the sets that it was in.
func (e *Engine) Process(verdicts []Verdict, packets []Packet) ([]Verdict, error) {
	for i := range packets {
		verdict, err := e.packet(packets[i].Source, packets[i].Payload)
		if err != nil {
			return verdicts, err
		}
		verdicts = append(verdicts, verdict)
	}
	return verdicts, nil
}

// packet applies the rules to a packet.
func (e *Engine) packet(source netip.Addr, payload []byte) (Verdict, error) {
	if !source.IsValid() {
		e.counts.NoIP++
		return NoIP, nil
	}
	key := appendKey(e.source[:0], source)
	e.counts.Lookups++
	if e.sets.Bad.Query(key) {
		e.counts.Rejected++
		return Rejected, nil
	}
	s, err := e.admit(source, key)
	if err != nil {
		return 0, fmt.Errorf("guard: admit %s: %w", source, err)
	}
	before := e.counts.Strikes
	for len(payload) > 0 {
		n := min(len(payload), maxGroup*wordBytes)
		e.inspect(s, key, payload[:n])
		if s.strikes >= maxStrikes {
			if err := e.blacklist(source, key); err != nil {
				return 0, fmt.Errorf("guard: blacklist %s: %w", source, err)
			}
			e.counts.ThirdStrike++
			return ThirdStrike, nil
		}
		payload = payload[n:]
	}
	if e.counts.Strikes > before {
		e.counts.Strike++
		return Strike, nil
	}
	e.counts.Accepted++
	return Accepted, nil
}

// admit returns the state of a source. One that has none is new, or was evicted: it is not in the
// good set, and is inserted.
func (e *Engine) admit(source netip.Addr, key []byte) (*state, error) {
	if s, ok := e.states.Get(source); ok {
		return s, nil
	}
	var s *state
	if e.states.Len() < e.limit {
		s = new(state)
	} else {
		var oldest netip.Addr
		oldest, s, _ = e.states.RemoveOldest()
		*s = state{}
		e.remove(appendKey(e.evicted[:0], oldest))
		e.counts.Evicted++
	}
	hash := e.sets.Good.Key.Hash(key)
	if _, err := e.sets.Good.InsertHash(hash); err != nil {
		return nil, err // and it has no state, as it is no member
	}
	_, _ = e.members.InsertHash(hash) // it never fails
	e.states.Add(source, s)
	e.counts.Admitted++
	return s, nil
}

// blacklist moves a source from the good set to the bad one.
func (e *Engine) blacklist(source netip.Addr, key []byte) error {
	if _, err := e.sets.Bad.Insert(key); err != nil {
		return err
	}
	e.states.Remove(source)
	e.remove(key)
	return nil
}

// remove deletes a member of the good set.
func (e *Engine) remove(key []byte) {
	hash := e.sets.Good.Key.Hash(key)
	e.members.DeleteHash(hash)
	switch e.sets.Good.DeleteHash(hash) {
	case filter.Deleted:
		e.counts.Cleared++
	case filter.Retained:
		e.counts.Retained++
	}
}

// inspect looks the sequences up that end with each of the words, up to the third strike of a
// source that is not spared.
//
// All look-ups that can be needed are asked in one batch, as if there were no hit, which is the
// usual case and then the whole answer. The sequence set does not change, so where there are hits
// their bits are right for the rules' own order too: only that a sequence does not reach back over
// a strike.
func (e *Engine) inspect(s *state, source, words []byte) {
	stream := append(append(e.stream[:0], s.history[:s.held]...), words...)
	hashes := e.hashes[:0]
	for end := s.held + wordBytes; end <= len(stream); end += wordBytes {
		for n := longest(end); n > 0; n -= wordBytes {
			hashes = append(hashes, e.sets.Sequences.Key.Hash(stream[end-n:end]))
		}
	}
	e.counts.Words += len(words) / wordBytes
	e.counts.Lookups += len(hashes)

	begin := 0 // of the history, in stream
	if e.sets.Sequences.QueryHashBatch(hashes, e.present) > 0 {
		lookup := 0
		for end := s.held + wordBytes; end <= len(stream); end += wordBytes {
			for n := longest(end); n > 0; n -= wordBytes {
				hit := filter.At(e.present, lookup)
				lookup++
				if !hit || end-n < begin {
					continue
				}
				begin = end // which leaves this word no shorter sequences
				e.counts.Strikes++
				if s.strikes++; s.strikes < maxStrikes {
					continue
				}
				if e.sets.Spares == nil || !e.sets.Spares(source) {
					e.counts.Words -= (len(stream) - end) / wordBytes
					return
				}
				e.counts.Spared++
				s.strikes = 0
			}
		}
	}
	begin = max(begin, len(stream)-len(s.history))
	s.held = copy(s.history[:], stream[begin:])
}

// longest returns the length of the longest sequence that can end after a number of bytes.
func longest(end int) int { return min(end, maxSequence*wordBytes) }

// appendKey appends the bytes of an address: 4 or 16, an IPv4-mapped IPv6 address being IPv6.
func appendKey(key []byte, source netip.Addr) []byte {
	if source.Is4() {
		four := source.As4()
		return append(key, four[:]...)
	}
	sixteen := source.As16()
	return append(key, sixteen[:]...)
}
