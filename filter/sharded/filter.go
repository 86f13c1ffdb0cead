package sharded

import (
	"fmt"
	"io"
	"math/bits"
	"runtime"
	"slices"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/internal/expected"
	"github.com/bloomlane/bloomlane/kernel"
)

// Filter is a deletable filter that any number of goroutines may use, in any way and at a time.
// Make one with [New] or [Of].
type Filter struct {
	filter.KeyedDeleter
	table       filter.Handle[table]
	fingerprint uint64
}

// New returns an empty filter. Its error is a *[filter.SizingError].
func New(config deletable.Config) (*Filter, error) {
	f, err := deletable.New(config)
	if err != nil {
		return nil, err
	}
	return Of(f)
}

// sectionBlocks is the name of the blocks in a file of a deletable filter.
const sectionBlocks = "blocks"

// Of returns a filter that has taken the table of f, its plan, its history and its key; f is
// closed. So Of(deletable.Open(...)) is a filter in a file. The error wraps [filter.ErrClosed] if f
// was closed before, or is nil.
func Of(f *deletable.Filter) (*Filter, error) {
	if f == nil {
		return nil, fmt.Errorf("sharded: %w: found nil, expected a filter", filter.ErrClosed)
	}
	c, err := f.Contents()
	if err != nil {
		return nil, err
	}
	words, err := c.WordsOf(sectionBlocks, fallback.Lanes, deletable.MaxBlocks)
	if err != nil {
		return nil, err
	}
	before, err := filter.DecodeHistory(c)
	if err != nil {
		return nil, err
	}
	k := f.Key()
	if err := f.Close(); err != nil {
		return nil, err
	}
	g := &Filter{fingerprint: c.Fingerprint}
	g.KeyedDeleter = filter.NewKeyedDeleter(k, g)
	g.table.Set(newTable(kernel.TableOfWords(words), c, before))
	return g, nil
}

// Contents returns what a file of the filter holds: that of a deletable filter. The words are a
// copy, and writers go on meanwhile: see Snapshots in the documentation of this package. Its error
// wraps [filter.ErrClosed].
func (f *Filter) Contents() (*file.Contents, error) {
	t := f.table.Load()
	if t == nil {
		return nil, filter.ErrClosed
	}
	words, history := t.copy()
	c := &file.Contents{
		Kind: t.taken.Kind, Promises: t.taken.Promises, Fingerprint: t.taken.Fingerprint,
		Attributes: slices.Clone(t.taken.Attributes), Sections: slices.Clone(t.taken.Sections),
	}
	history.Encode(c)
	for i := range c.Sections {
		if c.Sections[i].Name == sectionBlocks {
			c.Sections[i].Words = words
		}
	}
	runtime.KeepAlive(t)
	return c, nil
}

// Snapshot returns a copy as a deletable filter, with all that such a filter can do: see Snapshots
// in the documentation of this package. Its error wraps [filter.ErrClosed].
func (f *Filter) Snapshot() (*deletable.Filter, error) {
	c, err := f.Contents()
	if err != nil {
		return nil, err
	}
	return deletable.Decode(c, f.Key())
}

// State returns what the filter can tell of itself, by a scan: see [filter.State]. Writers go on
// meanwhile.
func (f *Filter) State() filter.State {
	t := f.table.Load()
	if t == nil {
		return filter.State{}
	}
	s := filter.State{Bytes: len(t.blocks) * deletable.BlockBytes, Scanned: true}
	history := t.history()
	s.Members = float64(history.Members())
	for i := range t.blocks {
		block := [1]kernel.Block512{t.load(i)}
		for _, lane := range block[0][fallback.CollisionLanes:] {
			s.Fill += float64(bits.OnesCount64(lane))
		}
		s.Rate += expected.RateOf(block[:])
	}
	s.Fill /= float64(len(t.blocks) * fallback.K * 64)
	s.Rate /= float64(len(t.blocks))
	runtime.KeepAlive(t)
	return s
}

// Repeated returns how many inserts of one key were repeated, since the filter was made: see Bits
// in the documentation of this package.
func (f *Filter) Repeated() (n uint64) {
	t := f.table.Table()
	for i := range t.stripes {
		n += t.stripes[i].repeated.Load()
	}
	return n
}

// String returns the size and the fingerprint of the key. It prints neither the key nor the table.
func (f *Filter) String() string {
	t := f.table.Load()
	if t == nil {
		return "sharded deletable filter, closed"
	}
	return fmt.Sprintf("sharded deletable filter of %d blocks, key with fingerprint %016x",
		len(t.blocks), f.fingerprint)
}

// Format prints String for every verb.
func (f *Filter) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, f.String()) }

// Close ends the filter: calls from then on fail or panic with [filter.ErrClosed]. Calls that run
// now finish on the table that they have.
func (f *Filter) Close() error { return f.table.Close() }

// Closed reports whether the filter is closed, or was never made.
func (f *Filter) Closed() bool { return f.table.Closed() }
