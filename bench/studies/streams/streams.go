package streams

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/bloomlane/bloomlane/bench/peer"
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/family"
	"github.com/bloomlane/bloomlane/filter/family/spectral"
	"github.com/bloomlane/bloomlane/filter/kinds"
	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/filter/rolling"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// entries returns what the streams are given to: every kind of filter, a ring whose generations
// expire, and minimum selection in cells of a fixed width. The last two are made by their packages
// only.
func entries() kinds.List {
	ring := base.Kind{
		Name: "rolling, expiring", Promises: base.NoFalseNegatives | base.Forgets,
		New: func(s filter.Sizing) (filter.StoredSet, error) {
			return rolling.New(rolling.Config{
				Members: s.Members, BitsPerKey: s.BitsPerKey, Generations: expiring,
				Capacity: (s.Members + expiring - 2) / (expiring - 1), Expire: true, Key: s.Key,
			})
		},
	}
	cells := spectral.Selection
	cells.Name = fmt.Sprintf("%s, %d bits", cells.Name, width)
	cells.New = func(s filter.Sizing) (filter.StoredSet, error) {
		return spectral.NewSelection(spectral.Config{
			Members: s.Members, BitsPerKey: s.BitsPerKey, Width: width, Key: s.Key,
		})
	}
	return append(slices.Concat(kinds.All(), family.All()), ring, cells)
}

// width is that of a counter which has room for the counts of a multiset.
const width = 20

// expiring is the generations of the ring that expires: all but one of them have room for the
// window.
const expiring = 4

// Why a kind is not given a stream, or not asked for all of it.
const (
	cannotBeMade   = "made of another filter"
	cannotFit      = "needs more memory"
	cannotKeep     = "forgets"
	cannotForget   = "cannot forget"
	cannotTakeMore = "takes a key once"
	cannotDelete   = "cannot delete"
	cannotCount    = "cannot count"
)

// fitted returns a filter of a kind that holds at most the bits per member, also after its use, for
// which it is made again, smaller, where it grows; or says why there is none.
func fitted(
	kind *base.Kind,
	members, bits int,
	use func(filter.Set) error,
) (f filter.Set, cannot string, err error) {
	if kind.From != "" {
		return nil, cannotBeMade, nil
	}
	for given := float64(bits); ; {
		f, err := kind.New(filter.Sizing{Members: members, BitsPerKey: given})
		var size *filter.SizingError
		if errors.As(err, &size) {
			return nil, cannotFit, nil
		}
		if err != nil {
			return nil, "", err
		}
		if err := use(f); err != nil {
			return nil, "", err
		}
		held := perKey(f, members)
		if held <= float64(bits) {
			return f, "", nil
		}
		if given *= min(float64(bits)/held, 0.999); given < 1 {
			return nil, cannotFit, nil
		}
	}
}

// perKey returns the bits that a filter holds for each of its members.
func perKey(f peer.Filter, members int) float64 {
	return 8 * float64(f.State().Bytes) / float64(members)
}

// stream is keys, and what a filter is asked about them.
type stream struct {
	name    string
	about   string
	drawn   bool                    // the keys are those that were drawn, not the members
	cannot  func(*base.Kind) string // why a kind is not given it; empty where it is
	serve   func(*data, *base.Kind, filter.Set, *served) error
	columns []column
}

// streams are in the order of the page.
var streams = []stream{
	{
		name:    "A static set",
		about:   "All keys are inserted once.",
		cannot:  func(*base.Kind) string { return "" },
		serve:   serveSet,
		columns: []column{rate, missed, refused},
	},
	{
		name: "A multiset",
		about: `Keys are drawn by Zipf's law, and each draw is inserted. Bits are per different key.
A count is *wrong* if it differs from how often the key came, and *low* if it is below that. *error*
is the mean of the absolute differences. Then every second key is deleted as often as it came.
*lost* is the share of the others that are no longer found, and *stay* that of the deleted keys that
still are.`,
		drawn: true,
		cannot: func(k *base.Kind) string {
			switch {
			case k.Promises.Has(base.Forgets):
				return cannotKeep
			case k.Promises.Has(base.Deletes) && !k.Promises.Has(base.Multiset):
				return cannotTakeMore
			}
			return ""
		},
		serve:   serveMultiset,
		columns: []column{rate, missed, refused, wrong, low, deviation, lost, stay},
	},
	{
		name: "A stream with duplicates",
		about: `Half of the keys are new, a quarter came within the window, which is the latest
keys, and a quarter came long before. Each is inserted, and the insert says whether it was present.
*missed* is the share of the keys that came within the window and were not present. *old* is that of
the keys that last came at least four windows ago and were. If a filter does not forget by itself,
its owner keeps the window and deletes what leaves it. Shares are of the last four windows.`,
		cannot: func(k *base.Kind) string {
			switch {
			case k.Promises.Has(base.Forgets), k.Promises.Has(base.Deletes | base.Multiset):
				return ""
			case k.Promises.Has(base.Deletes):
				return cannotTakeMore
			}
			return cannotForget
		},
		serve:   serveWindow,
		columns: []column{rate, missed, old, refused, forgets},
	},
	{
		name: "Members that come and go",
		about: `A new member replaces the oldest. *fresh* is the rate when all are in for the first
time. *deleted* is the share of the deletes after which the key was not found any more. Filters that
are refreshed or rebuilt, and other libraries', are in [a table of their own](../churn/README.md).`,
		cannot: func(k *base.Kind) string {
			if !k.Promises.Has(base.Deletes) {
				return cannotDelete
			}
			return ""
		},
		serve:   serveChurn,
		columns: []column{fresh, rate, missed, refused, deleted},
	},
}

// data is the keys of all streams, the same for all filters.
type data struct {
	settings *settings
	members  []uint64

	draws  []uint64
	keys   []uint64 // those that were drawn, once each
	counts []uint64 // how often each was

	window []uint64
	since  []int // how many inserts ago each of the window was inserted, or 0
}

func newData(c *settings) (*data, error) {
	d := &data{settings: c, members: make([]uint64, c.Members)}
	for i := range d.members {
		d.members[i] = member(i)
	}

	zipf, err := workload.Zipf(uint64(c.Members), c.Exponent, 1)
	if err != nil {
		return nil, err
	}
	d.draws = make([]uint64, c.Draws*c.Members)
	zipf.Fill(d.draws)
	place := map[uint64]int{}
	for _, hash := range d.draws {
		i, found := place[hash]
		if !found {
			i = len(d.keys)
			place[hash] = i
			d.keys, d.counts = append(d.keys, hash), append(d.counts, 0)
		}
		d.counts[i]++
	}

	rng, last := rand.New(rand.NewPCG(3, 4)), map[uint64]int{}
	for i := range c.Windows * c.Members {
		from := -1 // the insert of which the key is that again
		switch rng.IntN(4) {
		case 0:
			from = i - 1 - rng.IntN(c.Members)
		case 1:
			from = i - oldWindows*c.Members - rng.IntN(oldWindows*c.Members)
		}
		hash, since := member(i|1<<30), 0
		if from >= 0 {
			hash = d.window[from]
			since = i - last[hash]
		}
		last[hash] = i
		d.window, d.since = append(d.window, hash), append(d.since, since)
	}
	return d, nil
}

// oldWindows is how many windows ago an old key last came, at least.
const oldWindows = 4

// ask has the rate of a filter's random non-members.
func (d *data) ask(f peer.Filter) share {
	return ask(f, rand.New(rand.NewPCG(5, 6)), d.settings.NonMembers)
}

func serveSet(d *data, _ *base.Kind, f filter.Set, r *served) error {
	r.Refused = peer.Insert(f, d.members)
	r.Missed = share{len(d.members) - f.QueryHashBatch(d.members, nil), len(d.members)}
	r.Rate = d.ask(f)
	return nil
}

func serveMultiset(d *data, kind *base.Kind, f filter.Set, r *served) error {
	r.Refused = peer.Insert(f, d.draws)
	r.Missed = share{len(d.keys) - f.QueryHashBatch(d.keys, nil), len(d.keys)}
	r.Rate = d.ask(f)
	if c, is := f.(peer.Counter); is {
		r.Counts = countsOf(c, d)
	}
	out, deletes := f.(filter.Deleter)
	// it is not known what was refused
	if !deletes || !kind.Promises.Has(base.Deletes) || r.Refused > 0 {
		return nil
	}
	present := make([]uint64, filter.Words(len(d.keys)))
	for i := 0; i < len(d.keys); i += 2 {
		for range d.counts[i] {
			out.DeleteHash(d.keys[i])
		}
	}
	f.QueryHashBatch(d.keys, present)
	for i := range d.keys {
		if is := filter.At(present, i); i%2 == 0 {
			r.Stay = r.Stay.and(is)
		} else {
			r.Lost = r.Lost.and(!is)
		}
	}
	return nil
}

func countsOf(c peer.Counter, d *data) *counts {
	found, r := make([]uint64, len(d.keys)), new(counts)
	c.CountHashBatch(d.keys, found)
	for i, want := range d.counts {
		r.Wrong, r.Low = r.Wrong.and(found[i] != want), r.Low.and(found[i] < want)
		r.Error += float64(max(found[i], want)-min(found[i], want)) / float64(len(d.keys))
	}
	return r
}

// serveWindow is apart from churn because its keys come again while they are in, which members of a
// workload.Population never do, each insert says what it found, and what forgets takes no deletes.
func serveWindow(d *data, kind *base.Kind, f filter.Set, r *served) error {
	var owned filter.Deleter
	if !kind.Promises.Has(base.Forgets) {
		owned = f.(filter.Deleter)
	}
	r.Owned = owned != nil
	n, out := d.settings.Members, map[int]bool{} // the inserts that were refused
	for i, hash := range d.window {
		if gone := i - n - 1; owned != nil && gone >= 0 {
			if !out[gone] {
				owned.DeleteHash(d.window[gone])
			}
			delete(out, gone)
		}
		present, err := f.InsertHash(hash)
		if err != nil {
			out[i] = true
			r.Refused++
			present = f.QueryHash(hash)
		}
		if i < len(d.window)-oldWindows*n {
			continue
		}
		switch since := d.since[i]; {
		case since == 0:
		case since <= n:
			r.Missed = r.Missed.and(!present)
		case since >= oldWindows*n:
			r.Old = r.Old.and(present)
		}
	}
	r.Rate = d.ask(f)
	return nil
}

func serveChurn(d *data, _ *base.Kind, f filter.Set, r *served) error {
	s := subject{filter: f}
	if ring, is := f.(*rolling.Filter); is { // it asks for its members
		born := newGenerations()
		born.ring = ring
		if err := ring.SetStragglers(born.stragglers); err != nil {
			return err
		}
		s.owner = born
	}
	c := d.settings
	found, err := churn(&s, c.Members, planning.Lifetime{}, []int{0, c.Turnovers}, c.NonMembers)
	if err != nil {
		return err
	}
	r.Fresh, r.Rate, r.Deleted = found.Rates[0], found.Rates[1], found.Deletes[1]
	r.Missed, r.Refused = share{found.Lost, c.Members}, found.Refused
	return nil
}
