package guard

import (
	"net/netip"

	"github.com/bloomlane/bloomlane/kernel"
)

// reference is the rules written down as they are told, a look-up at a time: what the engine with its
// batches is held against.
type reference struct {
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

func newReference(sets Sets, limit int, blocklist []netip.Addr, sequences [][]byte) *reference {
	r := &reference{sets: sets, limit: limit}
	for _, source := range blocklist {
		sets.Bad.Insert(source.AsSlice())
	}
	for _, sequence := range sequences {
		sets.Sequences.Insert(sequence)
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
		r.sets.Good.Insert(source.AsSlice())
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
		if s.strikes == 3 {
			r.find(source)
			r.delete(source)
			r.sets.Bad.Insert(source.AsSlice())
			r.counts.Blacklisted++
			return ThirdStrike
		}
	}
	if verdict == Strike {
		r.counts.Struck++
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
	case kernel.Deleted:
		r.counts.Cleared++
	case kernel.Retained:
		r.counts.Retained++
	}
}
