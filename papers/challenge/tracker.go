package challenge

import (
	"container/list"
	"slices"

	"github.com/bloomlane/bloomlane/papers/claim"
)

// set is a set of sources.
type set interface {
	insert(source uint32)
	contains(source uint32) bool
	delete(source uint32)
	bits() float64 // of its memory
}

// members are what only grows: the bad sources.
type members interface {
	insert(source uint32)
	contains(source uint32) bool
}

// patterns are the known sequences of words.
type patterns interface {
	has(words ...uint32) bool
}

// sets are those that a tracker asks.
type sets struct {
	good set
	bad  members
	data patterns
}

// maxStrikes and longest are the document's three strikes, and the words of the longest sequence
// here.
const (
	maxStrikes = 3
	longest    = 3
)

// inserts says which packets insert their source into the good set.
type inserts int

const (
	once   inserts = iota // the first, by an exact table of sources
	always                // all
	absent                // those whose source the good set does not show
)

// rules are a reading of what the document leaves undefined.
type rules struct {
	// overlaps says that each of the sequences that end with a word is a strike. Else the longest
	// is, and no later one has words of it.
	overlaps bool

	onePerPacket bool // a packet has one strike at most

	inserts inserts

	// goodFirst says that a source in the good set is not looked for in the bad one.
	goodFirst bool

	// limit is the most sources of the exact table: beyond it the source that was not seen for the
	// longest time is deleted. If it comes again, it is new. The document has no limit, which is 0.
	limit int
}

// rejected is the verdict of a source that is bad. Others are strikes.
const rejected = -1

// outcome is what became of a trace.
type outcome struct {
	verdicts []int8
	counts
	sources []source // by number
}

// counts are what a tracker did.
type counts struct {
	strikes int
	moved   int // from good to bad
	deletes int // from the good set, of moved sources and for the limit
	visible int // of them, after which the source is still in it
	queries int // packets of good sources that came before
	hidden  int // of them, those whose source the good set does not show
}

// source is the exact state of one.
type source struct {
	strikes int
	history [longest]uint32 // of words that may begin a sequence
	held    int             // of them
	lookups int             // of sequences, all told
	inTable *list.Element   // nil if it is new, or comes as a new one
}

// track applies the rules to a trace, with the blocklist in the bad set.
func (r rules) track(t *trace, s sets) (o outcome) {
	o.verdicts, o.sources = make([]int8, len(t.packets)), make([]source, len(t.sources))
	recent := list.New() // the table: numbers of sources, the latest first
	leave := func(number int) {
		recent.Remove(o.sources[number].inTable)
		o.sources[number].inTable = nil
		o.deletes++
		s.good.delete(t.sources[number])
		if s.good.contains(t.sources[number]) {
			o.visible++
		}
	}
	for i, p := range t.packets {
		address, from := t.sources[p.from], &o.sources[p.from]
		shown := s.good.contains(address)
		if !(r.goodFirst && shown) && s.bad.contains(address) {
			o.verdicts[i] = rejected
			continue
		}
		if from.inTable != nil {
			if o.queries++; !shown {
				o.hidden++
			}
			recent.MoveToFront(from.inTable)
		} else {
			if r.limit > 0 && recent.Len() == r.limit {
				leave(recent.Back().Value.(int))
			}
			*from = source{lookups: from.lookups, inTable: recent.PushFront(p.from)}
			if r.inserts == once {
				s.good.insert(address)
			}
		}
		if r.inserts == always || r.inserts == absent && !s.good.contains(address) {
			s.good.insert(address)
		}
		strikes := r.inspect(from, p.words, s.data)
		o.strikes += strikes
		o.verdicts[i] = int8(strikes)
		if from.strikes >= maxStrikes {
			o.moved++
			s.bad.insert(address)
			leave(p.from)
		}
	}
	return o
}

// inspect looks for the sequences that end with each of the words of a packet, up to the third
// strike.
func (r rules) inspect(from *source, words []uint32, data patterns) (strikes int) {
	for _, word := range words {
		from.history[from.held] = word
		n, found := from.held+1, 0
		for first := range n {
			from.lookups++
			if data.has(from.history[first:n]...) {
				found++
				if !r.overlaps {
					break
				}
			}
		}
		if r.onePerPacket && strikes > 0 {
			found = 0
		}
		if r.onePerPacket {
			found = min(found, 1)
		}
		strikes += found
		if from.strikes += found; from.strikes >= maxStrikes {
			return strikes
		}
		switch {
		case found > 0 && !r.overlaps:
			from.held = 0
		case n == longest:
			from.held = copy(from.history[:], from.history[1:])
		default:
			from.held = n
		}
	}
	return strikes
}

// numbers returns what the tracker did, and what its filters do to verdicts beside exact sets.
func (o *outcome) numbers(exact *outcome) claim.Outcome {
	innocent, guilty := 0, 0 // packets, by what exact sets do to them
	blocked, passed := 0, 0  // packets of innocent sources that are rejected, of guilty that not
	wrong, missed := 0, 0    // strikes that exact sets do not find, and that they alone find
	for i, found := range o.verdicts {
		is := exact.verdicts[i]
		if is == rejected {
			guilty++
		} else {
			innocent++
		}
		switch {
		case found == rejected && is != rejected:
			blocked++
			missed += int(is)
		case found != rejected && is == rejected:
			passed++
			wrong += int(found)
		default:
			wrong += int(max(found-is, 0))
			missed += int(max(is-found, 0))
		}
	}
	all := claim.Outcome{}
	for name, n := range map[string]int{"deletes": o.deletes, "visible": o.visible,
		"queries": o.queries, "hidden": o.hidden, "innocent": innocent, "guilty": guilty,
		"blocked": blocked, "passed": passed, "wrong": wrong, "missed": missed} {
		all[name] = []float64{float64(n)}
	}
	return all
}

// exactSources are sources without errors.
type exactSources map[uint32]bool

func (s exactSources) insert(source uint32)        { s[source] = true }
func (s exactSources) contains(source uint32) bool { return s[source] }
func (s exactSources) delete(source uint32)        { delete(s, source) }
func (s exactSources) bits() float64               { return 0 }

// exactPatterns are sequences without errors, by their last word.
type exactPatterns map[uint32][][]uint32

func patternsOf(sequences [][]uint32) exactPatterns {
	all := exactPatterns{}
	for _, words := range sequences {
		last := words[len(words)-1]
		all[last] = append(all[last], words)
	}
	return all
}

func (s exactPatterns) has(words ...uint32) bool {
	return slices.ContainsFunc(s[words[len(words)-1]],
		func(sequence []uint32) bool { return slices.Equal(sequence, words) })
}

// step is an insert or a delete.
type step struct {
	source uint32
	delete bool
}

// recorder is an exact set that keeps what was done.
type recorder struct {
	exactSources
	steps []step
}

func (r *recorder) insert(source uint32) {
	r.exactSources.insert(source)
	r.steps = append(r.steps, step{source, false})
}

func (r *recorder) delete(source uint32) {
	r.exactSources.delete(source)
	r.steps = append(r.steps, step{source, true})
}

// truth is what exact sets make of a trace, and what a tracker does to the good one.
type truth struct {
	outcome
	sets
	bad   exactSources // in the end
	steps []step
}

// exactly tracks with exact sets.
func (r rules) exactly(t *trace) *truth {
	good, bad := &recorder{exactSources: exactSources{}}, t.blocklist()
	s := sets{good, bad, patternsOf(t.sequences)}
	return &truth{r.track(t, s), s, bad, good.steps}
}

// blocklist returns the sources that are bad from the start.
func (t *trace) blocklist() exactSources {
	bad := exactSources{}
	for _, source := range t.blocked {
		bad.insert(source)
	}
	return bad
}

// answer is what a source is.
func (s *sets) answer(source uint32) string {
	switch {
	case s.bad.contains(source):
		return "bad"
	case s.good.contains(source):
		return "good"
	}
	return "neither"
}
