package guard

import (
	"net/netip"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
)

// reference is the rules written down as they are told, a look-up at a time: what the engine with
// its batches is held against.
type reference struct {
	t      *testing.T
	sets   Sets
	limit  int
	states []*referenceState // the least recently seen first
	counts Counts
}

type referenceState struct {
	source  netip.Addr
	strikes int
	history []string // the last three words
}

func newReference(
	t *testing.T,
	sets Sets,
	limit int,
	blocklist []netip.Addr,
	sequences [][]byte,
) *reference {
	r := &reference{t: t, sets: sets, limit: limit}
	for _, source := range blocklist {
		mustInsert(t, sets.Bad, source.AsSlice())
	}
	for _, sequence := range sequences {
		mustInsert(t, sets.Sequences, sequence)
	}
	return r
}

func (r *reference) packet(source netip.Addr, payload []byte) Verdict {
	if !source.IsValid() {
		r.counts.NoIP++
		return NoIP
	}
	if r.sets.Bad.Query(source.AsSlice()) {
		r.counts.Rejected++
		return Rejected
	}
	s := r.find(source)
	if s == nil {
		if len(r.states) == r.limit {
			oldest := r.states[0]
			r.states = r.states[1:]
			r.delete(oldest.source)
			r.counts.Evicted++
		}
		s = &referenceState{source: source}
		mustInsert(r.t, r.sets.Good, source.AsSlice())
		r.counts.Admitted++
	}
	r.states = append(r.states, s)

	verdict := Accepted
	for ; len(payload) > 0; payload = payload[4:] {
		r.counts.Words++
		s.history = append(s.history, string(payload[:4]))
		if len(s.history) > 3 {
			s.history = s.history[1:]
		}
		for n := len(s.history); n > 0; n-- {
			sequence := ""
			for _, word := range s.history[len(s.history)-n:] {
				sequence += word
			}
			if !r.sets.Sequences.Query([]byte(sequence)) {
				continue
			}
			r.counts.Strikes++
			s.strikes++
			s.history = nil
			verdict = Strike
			break
		}
		if s.strikes == 3 && r.sets.Spares != nil && r.sets.Spares(source.AsSlice()) {
			r.counts.Spared++
			s.strikes = 0
		}
		if s.strikes == 3 {
			r.find(source)
			r.delete(source)
			mustInsert(r.t, r.sets.Bad, source.AsSlice())
			r.counts.ThirdStrike++
			return ThirdStrike
		}
	}
	if verdict == Strike {
		r.counts.Strike++
	} else {
		r.counts.Accepted++
	}
	return verdict
}

// find takes the state of a source out of the list.
func (r *reference) find(source netip.Addr) *referenceState {
	for i, s := range r.states {
		if s.source == source {
			r.states = append(r.states[:i:i], r.states[i+1:]...)
			return s
		}
	}
	return nil
}

func (r *reference) delete(source netip.Addr) {
	switch r.sets.Good.Delete(source.AsSlice()) {
	case filter.Deleted:
		r.counts.Cleared++
	case filter.Retained:
		r.counts.Retained++
	}
}
