package deny

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"time"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/xdp"
)

// Config says what packets are dropped, and where.
type Config struct {
	Target  xdp.Target
	Options xdp.Options // but for its Lengths, which are those of the lists

	Members   int     // to plan the filter of each list for; 0: twice as many as it has
	Rate      float64 // of false positives that is planned
	Turnovers float64 // of the members of a list, until it is built again
	Key       key.Key
}

// Gate is a program with its lists. It is not safe for concurrent use.
type Gate struct {
	config     Config
	program    *xdp.Program
	attachment *xdp.Attachment // nil before Attach
	lists      map[xdp.List]*list
	took       bool // the pinned attachment of another process
	since      time.Time
}

// leastMembers is what a filter is planned for at least, so that one of few can grow.
const leastMembers = 1000

// New loads a program with the lists that are given: [xdp.Deny], and [xdp.NeverDeny]. Prefixes are
// in order and differ. Nothing is in force before [Gate.Attach].
func New(config Config, lists map[xdp.List][]netip.Prefix) (g *Gate, err error) {
	options := config.Options
	options.Lengths = xdp.Lengths{IPv4: lengthsOf(32, lists), IPv6: lengthsOf(128, lists)}
	g = &Gate{config: config, lists: map[xdp.List]*list{}}
	defer func() {
		if err != nil {
			_ = g.Close() // the first error counts
			g = nil
		}
	}()
	if g.program, err = xdp.Load(options); err != nil {
		return g, err
	}
	for which, prefixes := range lists {
		g.lists[which] = &list{gate: g, which: which}
		if err := g.lists[which].build(prefixes); err != nil {
			return g, err
		}
	}
	return g, nil
}

// lengthsOf returns the lengths that a filter is asked for: those that most prefixes of the lists
// have, of the version of IP whose addresses have so many bits.
func lengthsOf(bits int, lists map[xdp.List][]netip.Prefix) []int {
	counts := map[int]int{}
	for _, prefixes := range lists {
		for _, p := range prefixes {
			if p.Addr().BitLen() == bits {
				counts[p.Bits()]++
			}
		}
	}
	all := slices.AppendSeq([]int{}, maps.Keys(counts))
	slices.SortFunc(all, func(a, b int) int { return cmp.Or(counts[b]-counts[a], b-a) })
	return all[:min(len(all), xdp.MaxLengths)]
}

// count returns how many prefixes are in each part of a table.
func (g *Gate) count(prefixes []netip.Prefix) (of [3]int) {
	options := g.program.Options()
	for _, p := range prefixes {
		of[options.PartOf(p)]++
	}
	return of
}

// Attach puts the program in force, and reports whether it took over what another process had
// pinned there.
func (g *Gate) Attach() (took bool, err error) {
	if g.attachment, err = g.program.Attach(g.config.Target); err != nil {
		return false, err
	}
	g.since, g.took = time.Now(), g.attachment.TookOver()
	return g.took, nil
}

// Check returns nil while the program is in force, and why it is not.
func (g *Gate) Check() error { return g.attachment.Check() }

// Update makes a list what it shall be, and returns how many prefixes came and went. An address
// that both lists have is found all the time, also where it is below other prefixes than before. After
// an error the list stays as it was, but for a *[LeftoverError].
func (g *Gate) Update(which xdp.List, prefixes []netip.Prefix) (added, deleted int, err error) {
	return g.lists[which].update(prefixes)
}

// Counts returns what the program has done.
func (g *Gate) Counts() (xdp.Counts, error) { return g.program.Counts() }

// Detach ends what Attach began, pinned or not, unless another process has taken it over.
func (g *Gate) Detach() error {
	err := g.attachment.Detach()
	g.attachment = nil
	return err
}

// Close gives all memory back. Without [Gate.Detach], what is pinned stays in force.
func (g *Gate) Close() error {
	var errs []error
	if g.attachment != nil {
		errs = append(errs, g.attachment.Close())
	}
	if g.program != nil {
		errs = append(errs, g.program.Close())
	}
	for _, l := range g.lists {
		if l.table != nil {
			errs = append(errs, l.table.Close())
		}
	}
	g.attachment, g.program, g.lists = nil, nil, nil
	return errors.Join(errs...)
}

// list is a list in force.
type list struct {
	gate    *Gate
	which   xdp.List
	table   *xdp.Table
	members []netip.Prefix // in order
	planned int
	stale   bool // an update was not completed: the next one builds the table again

	added, deleted, rebuilt int
}

// build puts a new table of these prefixes in the place of the one before.
func (l *list) build(prefixes []netip.Prefix) error {
	planned := l.gate.config.Members
	if n := l.gate.count(prefixes)[xdp.InFilter]; n > planned || planned == 0 { // of none too
		planned = max(leastMembers, 2*n)
	}
	c := l.gate.config
	table, err := l.gate.program.NewTable(deletable.Config{Members: planned, Rate: c.Rate,
		Turnovers: c.Turnovers, Key: c.Key})
	if err != nil {
		return err
	}
	if err = table.InsertBatch(prefixes); err == nil {
		err = l.gate.program.Replace(l.which, table)
	}
	if err != nil {
		_ = table.Close() // it is not in force
		return err
	}
	if l.table != nil {
		_ = l.table.Close() // the list is the new one, also if something of the old one stays
	}
	l.table, l.members, l.planned = table, prefixes, planned
	return nil
}

// update is [Gate.Update].
func (l *list) update(prefixes []netip.Prefix) (added, deleted int, err error) {
	come, gone := difference(l.members, prefixes)
	rebuild := l.stale || l.gate.count(prefixes)[xdp.InFilter] > l.planned
	// What comes is in force before anything goes: an address can be below prefixes of both. An
	// exact set that is full takes nothing, and a new one all.
	inserted := !rebuild && l.table.InsertBatch(come) == nil
	rebuild = !inserted
	if inserted && len(come) > 0 && len(gone) > 0 {
		// The kernel waits for the packets under way, which may have looked for what comes before
		// it came, and look for what goes next.
		err = l.gate.program.Replace(l.which, l.table)
	}
	for _, p := range gone {
		if rebuild || err != nil {
			break // the next table has none of them
		}
		var status filter.Status
		if status, err = l.table.Delete(p); err != nil {
			err = fmt.Errorf("delete %v: %w", p, err)
		}
		rebuild = status != deletable.Deleted // it would stay visible
	}
	if err == nil && (rebuild || l.table.Filter().Due() != nil) {
		if err = l.build(prefixes); err == nil {
			l.rebuilt++
		}
	}
	if err != nil {
		if !inserted {
			return 0, 0, err
		}
		err = &LeftoverError{err}
	}
	l.stale = err != nil
	l.members = prefixes
	l.added += len(come)
	l.deleted += len(gone)
	return len(come), len(gone), err
}

// LeftoverError says that a list is in force, and that some of what it had before may be too: until
// the next update, which builds the table again.
type LeftoverError struct{ Err error }

// Error says why.
func (e *LeftoverError) Error() string { return e.Err.Error() }

// Unwrap returns e.Err.
func (e *LeftoverError) Unwrap() error { return e.Err }

// difference returns what comes to a list and what goes from it. Both lists are in order.
func difference(old, new []netip.Prefix) (come, gone []netip.Prefix) {
	for len(old) > 0 || len(new) > 0 {
		order := 0
		switch {
		case len(old) == 0:
			order = 1
		case len(new) == 0:
			order = -1
		default:
			order = old[0].Compare(new[0])
		}
		if order <= 0 {
			if order < 0 {
				gone = append(gone, old[0])
			}
			old = old[1:]
		}
		if order >= 0 {
			if order > 0 {
				come = append(come, new[0])
			}
			new = new[1:]
		}
	}
	return come, gone
}
