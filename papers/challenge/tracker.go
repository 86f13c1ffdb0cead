package challenge

import (
	"container/list"
	"slices"
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
	sources map[uint32]*source
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
	address uint32
	strikes int
	history [longest]uint32 // of words that may begin a sequence
	held    int             // of them
	lookups int             // of sequences, all told
	moved   bool
	inTable *list.Element // where there is a limit
}

// track applies the rules to a trace, with the blocklist in the bad set.
func (r rules) track(t *trace, s sets) (o outcome) {
	o.verdicts = make([]int8, len(t.packets))
	o.sources = make(map[uint32]*source, len(t.sources))
	recent := list.New()
	for i, p := range t.packets {
		shown := s.good.contains(p.source)
		if !(r.goodFirst && shown) && s.bad.contains(p.source) {
			o.verdicts[i] = rejected
			continue
		}
		from := o.sources[p.source]
		if from != nil && !from.moved {
			if o.queries++; !shown {
				o.hidden++
			}
		}
		switch {
		case from == nil:
			if r.limit > 0 && len(o.sources) == r.limit {
				oldest := recent.Remove(recent.Back()).(*source)
				delete(o.sources, oldest.address)
				o.delete(s.good, oldest.address)
			}
			from = &source{address: p.source}
			o.sources[p.source] = from
			if r.limit > 0 {
				from.inTable = recent.PushFront(from)
			}
			if r.inserts == once {
				s.good.insert(p.source)
			}
		case from.moved: // and visible in the good set all the same: it comes as a new one
			*from = source{address: p.source, lookups: from.lookups}
			if r.inserts == once {
				s.good.insert(p.source)
			}
		case r.limit > 0:
			recent.MoveToFront(from.inTable)
		}
		if r.inserts == always || r.inserts == absent && !s.good.contains(p.source) {
			s.good.insert(p.source)
		}
		strikes := r.inspect(from, p.words, s.data)
		o.strikes += strikes
		o.verdicts[i] = int8(strikes)
		if from.strikes >= maxStrikes {
			from.moved = true
			o.moved++
			if r.limit > 0 {
				recent.Remove(from.inTable)
				delete(o.sources, p.source)
			}
			s.bad.insert(p.source)
			o.delete(s.good, p.source)
		}
	}
	return o
}

func (o *outcome) delete(good set, source uint32) {
	o.deletes++
	good.delete(source)
	if good.contains(source) {
		o.visible++
	}
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

// mistakes are what a tracker's filters do to verdicts, beside exact sets.
type mistakes struct {
	innocent, guilty int // packets, by what exact sets do to them
	blocked          int // packets of innocent sources that are rejected
	passed           int // packets of guilty ones that are not
	wrong            int // strikes that exact sets do not find
	missed           int // strikes that they alone find
}

func (o *outcome) compare(exact *outcome) (m mistakes) {
	for i, found := range o.verdicts {
		is := exact.verdicts[i]
		if is == rejected {
			m.guilty++
		} else {
			m.innocent++
		}
		switch {
		case found == rejected && is != rejected:
			m.blocked++
			m.missed += int(is)
		case found != rejected && is == rejected:
			m.passed++
			m.wrong += int(found)
		default:
			m.wrong += int(max(found-is, 0))
			m.missed += int(max(is-found, 0))
		}
	}
	return m
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
	for _, sequence := range s[words[len(words)-1]] {
		if slices.Equal(sequence, words) {
			return true
		}
	}
	return false
}

// exactly tracks with exact sets.
func (r rules) exactly(t *trace) (outcome, sets) {
	s := sets{exactSources{}, t.blocklist(), patternsOf(t.sequences)}
	return r.track(t, s), s
}

// blocklist returns the sources that are bad from the start.
func (t *trace) blocklist() exactSources {
	bad := exactSources{}
	for _, source := range t.blocked {
		bad.insert(source)
	}
	return bad
}
