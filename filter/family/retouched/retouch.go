package retouched

import (
	"cmp"
	"math/rand/v2"
	"runtime"
	"slices"

	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/internal/probe"
)

// Report says what New bought off, and at what price.
type Report struct {
	Algorithm Algorithm
	Cleared   []uint64 // the bits, in the order in which they were cleared

	Absent    int      // troublesome keys that were not present before
	BoughtOff []uint64 // troublesome keys that are no longer present, in the order of their source
	Remaining []uint64 // troublesome keys that are still present, in the order of their source
	Protected int      // those of the Remaining whose bits all belong to protected members too

	Others     int // other false positives that were present before
	OthersGone int // those of them that are no longer present

	Members int      // all members
	Lost    []uint64 // hashes of those that are no longer found, in the order of their source
}

// New returns a copy of a filter that does not find the troublesome keys, as far as config allows.
// It only reads of, which nothing may change meanwhile, but which may be closed. The error is a
// *[filter.SizingError], an *[AbsentError], a *[TooManyError] or [filter.ErrClosed], or wraps the
// error of a source. Then there is no filter and no report.
func New(b Base, config Config) (f *Filter, r *Report, err error) {
	defer base.RecoverClosed(&err)
	if err := config.check(); err != nil {
		return nil, nil, err
	}
	size, err := layoutOf(b)
	if err != nil {
		return nil, nil, err
	}
	w := &work{
		base: b, layout: size, algorithm: cmp.Or(config.Algorithm, ImprovedRatio), config: config,
		random: rand.NewPCG(config.Seed, randomStream), index: index{most: most},
	}
	if err := w.read(); err != nil {
		return nil, nil, err
	}
	if w.algorithm == Randomized {
		w.clearAtRandom()
	} else {
		w.clearSelected()
	}
	report := w.report()
	retouched := clone(b)
	retouched.ClearBits(report.Cleared)
	t := &table{Base: retouched, cleared: uint64(len(report.Cleared)),
		lost: uint64(len(report.Lost))}
	return filterOf(t), report, nil
}

// randomStream is the second word of the seed of the random choices.
const randomStream = 0x5245544f

// work is the state of New.
type work struct {
	base      Base
	layout    layout
	algorithm Algorithm
	config    Config
	random    *rand.PCG

	index       index
	troublesome keys   // and then the others that have a bit of one
	wanted      int    // troublesome keys that were present
	absent      int    // troublesome keys that were not
	others      int    // others that were present
	members     keys   // members that have a bit that may be cleared
	all         int    // members
	protected   []bool // by bit
	spent       int    // of the budget
	bought      int    // troublesome keys that are bought off
	cleared     []uint32
	buffer      []uint64
}

// positions returns the positions of a hash's bits, until the next call.
func (w *work) positions(hash uint64) []uint64 {
	w.buffer = w.base.AppendPositions(w.buffer[:0], hash)
	return w.buffer
}

// read reads the sources.
func (w *work) read() error {
	words, alive, err := wordsOf(w.base)
	if err != nil {
		return err
	}
	defer runtime.KeepAlive(alive)
	if err := w.readTroublesome(words); err != nil {
		return err
	}
	if err := w.readProtected(); err != nil {
		return err
	}
	w.all, err = members(w.base, "members", w.config.Members, func(hash uint64) error {
		return w.members.add(hash, w.positions(hash), &w.index)
	})
	if err == nil {
		w.members.list(w.index.count)
	}
	return err
}

// readTroublesome reads the keys to buy off and the others, and numbers the bits that may be
// cleared.
func (w *work) readTroublesome(words []uint64) (err error) {
	var hashes []uint64
	w.wanted, w.absent, err = present(w.base, "troublesome keys", w.config.Troublesome,
		func(hash uint64) error {
			hashes = append(hashes, hash)
			return nil
		})
	if err != nil {
		return err
	}
	w.index.marks = make([]uint64, len(words))
	if w.algorithm == Randomized {
		for i, word := range words {
			if w.layout.data(uint64(i) * 64) {
				w.index.marks[i] = word
			}
		}
	} else {
		for _, hash := range hashes {
			for _, position := range w.positions(hash) {
				w.index.mark(position)
			}
		}
	}
	if err := w.index.number(); err != nil {
		return err
	}
	add := func(hash uint64) error { return w.troublesome.add(hash, w.positions(hash), &w.index) }
	for _, hash := range hashes {
		if err := add(hash); err != nil {
			return err
		}
	}
	w.others, _, err = present(w.base, "other false positives", w.config.Others, add)
	if err == nil {
		w.troublesome.list(w.index.count)
	}
	return err
}

// readProtected reads the members that must not be lost.
func (w *work) readProtected() error {
	w.protected = make([]bool, w.index.count)
	_, err := members(w.base, "protected members", w.config.Protected, func(hash uint64) error {
		for _, position := range w.positions(hash) {
			if id, marked := w.index.id(position); marked {
				w.protected[id] = true
			}
		}
		return nil
	})
	return err
}

// clearSelected runs the selective algorithms: sections IV-A and V-A.
func (w *work) clearSelected() {
	for i := range w.wanted {
		if w.done() {
			return
		}
		if w.troublesome.gone[i] {
			continue
		}
		if id, found := w.choose(w.troublesome.bitsOf(i)); found {
			w.clear(id)
		}
	}
}

// clearAtRandom runs the randomized bit clearing: section III-B.
func (w *work) clearAtRandom() {
	order := make([]uint32, w.index.count)
	for i := range order {
		order[i] = uint32(i)
	}
	for i := range order {
		if w.done() || w.config.Bits == 0 && w.bought == w.wanted {
			return
		}
		j := i + int(probe.Reduce(w.random.Uint64(), uint64(len(order)-i)))
		order[i], order[j] = order[j], order[i]
		if w.allowed(order[i]) {
			w.clear(order[i])
		}
	}
}

// done reports whether a limit is reached.
func (w *work) done() bool {
	c := &w.config
	return c.Bits > 0 && len(w.cleared) >= c.Bits ||
		c.Target > 0 && w.bought >= c.Target
}

// choose returns which of a key's bits to clear. Of several that are equally good it is the first
// in the order of the hash functions.
func (w *work) choose(ids []uint32) (best uint32, found bool) {
	allowed := uint64(0)
	for _, id := range ids {
		if !w.allowed(id) {
			continue
		}
		if allowed++; allowed == 1 || w.better(id, best) {
			best = id
		}
	}
	if w.algorithm == RandomSelection && allowed > 0 {
		rest := probe.Reduce(w.random.Uint64(), allowed)
		for _, best = range ids {
			if !w.allowed(best) {
				continue
			}
			if rest == 0 {
				break
			}
			rest--
		}
	}
	return best, allowed > 0
}

// better reports whether the algorithm prefers a bit to another.
func (w *work) better(id, to uint32) bool {
	switch members, troublesome := w.members.counts, w.troublesome.counts; w.algorithm {
	case MinimumFN, ImprovedMinimumFN:
		return members[id] < members[to]
	case MaximumFP, ImprovedMaximumFP:
		return troublesome[id] > troublesome[to]
	case Ratio, ImprovedRatio: // as products: a quotient may round
		return uint64(members[id])*uint64(troublesome[to]) <
			uint64(members[to])*uint64(troublesome[id])
	}
	return false
}

// allowed reports whether a bit may be cleared: no protected member has it, and the budget allows
// its cost.
func (w *work) allowed(id uint32) bool {
	if w.protected[id] {
		return false
	}
	if w.config.Budget == 0 {
		return true
	}
	return w.members.cost(id) <= max(0, w.config.Budget)-w.spent
}

func (w *work) clear(id uint32) {
	w.cleared = append(w.cleared, id)
	w.bought += w.troublesome.clear(id, w.wanted, w.algorithm.followsTroublesome())
	w.spent += w.members.clear(id, len(w.members.hashes), w.algorithm.followsMembers())
}

func (w *work) report() *Report {
	r := &Report{Algorithm: w.algorithm, Absent: w.absent, Others: w.others, Members: w.all}
	r.Cleared = slices.Grow(r.Cleared, len(w.cleared))
	r.BoughtOff = slices.Grow(r.BoughtOff, w.bought)
	positions := w.index.positions()
	for _, id := range w.cleared {
		r.Cleared = append(r.Cleared, positions[id])
	}
	for _, gone := range w.troublesome.gone[w.wanted:] {
		if gone {
			r.OthersGone++
		}
	}
	for i, hash := range w.troublesome.hashes[:w.wanted] {
		if w.troublesome.gone[i] {
			r.BoughtOff = append(r.BoughtOff, hash)
			continue
		}
		r.Remaining = append(r.Remaining, hash)
		if !slices.ContainsFunc(w.troublesome.bitsOf(i),
			func(id uint32) bool { return !w.protected[id] }) {
			r.Protected++
		}
	}
	r.Lost = slices.Grow(r.Lost, w.spent)
	for i, hash := range w.members.hashes {
		if w.members.gone[i] {
			r.Lost = append(r.Lost, hash)
		}
	}
	return r
}
