package deny

import (
	"errors"
	"fmt"
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
	Options xdp.Options // its Lengths are looked up beside those of the lists

	Members   int     // to plan each list for; 0: twice as many as it has
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

// leastMembers is what a list is planned for at least, so that a short one can grow.
const leastMembers = 1000

// New loads a program with the lists that are given: [xdp.Deny], and [xdp.NeverDeny]. Prefixes are
// in order and differ. Nothing is in force before [Gate.Attach].
func New(config Config, lists map[xdp.List][]netip.Prefix) (g *Gate, err error) {
	options := config.Options
	options.Lengths = lengthsOf(options.Lengths, lists)
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

// lengthsOf returns the lengths that are looked up: those that are given, those of the lists, and
// those of addresses, because without a restart any address can come.
func lengthsOf(given xdp.Lengths, lists map[xdp.List][]netip.Prefix) xdp.Lengths {
	all := xdp.Lengths{IPv4: slices.Clone(given.IPv4), IPv6: slices.Clone(given.IPv6)}
	add := func(to *[]int, bits int) {
		if !slices.Contains(*to, bits) {
			*to = append(*to, bits)
		}
	}
	add(&all.IPv4, 32)
	add(&all.IPv6, 128)
	for _, prefixes := range lists {
		for _, p := range prefixes {
			if p.Addr().Is4() {
				add(&all.IPv4, p.Bits())
			} else {
				add(&all.IPv6, p.Bits())
			}
		}
	}
	return all
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
// that both lists have is found all the time, also where it is below other prefixes than before. If
// the program does not look up one of them, it is a *[xdp.PrefixError], and the list stays as it
// was, as with other errors but a *[LeftoverError].
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
	if len(prefixes) > planned || planned == 0 { // of an empty list too
		planned = max(leastMembers, 2*len(prefixes))
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
	lengths := l.gate.program.Options().Lengths
	for _, p := range come {
		all := lengths.IPv6
		if p.Addr().Is4() {
			all = lengths.IPv4
		}
		if !slices.Contains(all, p.Bits()) {
			return 0, 0, &xdp.PrefixError{Found: p, Lengths: lengths}
		}
	}
	rebuild := l.stale || len(prefixes) > l.planned
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
