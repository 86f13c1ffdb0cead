package deletable

import (
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/kernel"
)

// A file of the kind has these attributes and sections. Files of the versions 1 and 2 come with the
// same, those of version 1 without the plan's turnovers, its rate and the lifetime.
const (
	kindName = "deletable"

	attributeMembers   = "members" // planned, at a time
	attributeTurnovers = "turnovers"
	attributeRate      = "planned-rate"
	attributeReinserts = "reinserts" // where it is for ever

	sectionBlocks   = "blocks"   // 8 words each, lane 0 first
	sectionLifetime = "lifetime" // of the members: its name, where turnovers are planned
)

// Contents returns what a file of the filter holds: see [filter.Content]. The plan is in it, but
// for a lifetime that has no name that [planning.ParseLifetime] reads: the filter that is opened
// has [planning.Oldest] instead.
func (f *Filter) Contents() (*file.Contents, error) {
	t := f.table.Load()
	if t == nil {
		return nil, filter.ErrClosed
	}
	c := &file.Contents{
		Kind: kindName, Promises: uint64(Promises), Fingerprint: f.fingerprint,
		Sections: []file.Section{{Name: sectionBlocks, Words: t.blocks.Words()}},
	}
	c.Set(attributeMembers, f.plan.members)
	c.SetFloat(attributeTurnovers, f.plan.turnovers)
	c.SetFloat(attributeRate, f.plan.rate)
	f.history.Encode(c)
	f.round.encode(c)
	if f.plan.reinserts > 0 {
		c.SetFloat(attributeReinserts, f.plan.reinserts)
	}
	if f.plan.changes() {
		c.Sections = append(c.Sections,
			file.Section{Name: sectionLifetime, Words: file.TextWords(f.plan.lifetimeName())})
	}
	c.KeepAlive(t)
	return c, nil
}

// Decode returns the filter of a file's contents, whose blocks it lies in, with its key; the zero
// Key gives a filter that takes hashes only. Its error is a *[file.Error].
func Decode(c *file.Contents, k key.Key) (*Filter, error) {
	if err := filter.CheckKey(c, k); err != nil {
		return nil, err
	}
	p, err := decodePlan(c)
	if err != nil {
		return nil, err
	}
	n, err := filter.DecodeHistory(c)
	if err != nil {
		return nil, err
	}
	words, err := c.WordsOf(sectionBlocks, fallback.Lanes, MaxBlocks)
	if err != nil {
		return nil, err
	}
	r, err := decodeRound(c, len(words)/fallback.Lanes, n)
	if err != nil {
		return nil, err
	}
	if c.Version() == 1 {
		p.rate = ExpectedRate(int(p.members), len(words)/fallback.Lanes)
	}
	f := filterOf(&table{blocks: kernel.TableOfWords(words), contents: c}, k, p)
	f.history, f.round, f.fingerprint = n, r, c.Fingerprint // also without the key
	return f, nil
}

// decodePlan returns the plan of a file's contents. One of version 1 has no turnovers, and no rate.
func decodePlan(c *file.Contents) (p plan, err error) {
	attributes, sections := 6, []string{sectionBlocks}
	least := 0.0
	switch c.Version() {
	case 1:
		attributes = 4
	case 2:
		least = math.SmallestNonzeroFloat64 // that is what the version says
	}
	if attributes == 6 {
		if p.turnovers, err = c.Float(attributeTurnovers, least,
			planning.MaxTurnovers); err != nil {
			return plan{}, err
		}
		if p.rate, err = c.Float(attributeRate, math.SmallestNonzeroFloat64, 1); err != nil {
			return plan{}, err
		}
	}
	if c.Has(attributeReinserts) {
		attributes++
		if p.reinserts, err = c.Float(attributeReinserts, planning.MinReinserts,
			planning.MaxReinserts); err != nil {
			return plan{}, err
		}
		if p.turnovers != 0 {
			return plan{}, file.Wrong(file.ErrBounds, attributeTurnovers+" and "+attributeReinserts,
				"one of them")
		}
	}
	if p.changes() {
		sections = append(sections, sectionLifetime)
		name := c.Text(sectionLifetime)
		p.lifetime, err = planning.ParseLifetime(name)
		words, _ := c.WordsOf(sectionLifetime, 1, math.MaxInt)
		// a lifetime has one spelling
		if err != nil || !slices.Equal(words, file.TextWords(p.lifetime.String())) {
			return plan{}, file.Wrong(file.ErrBounds, "a lifetime "+strconv.Quote(name),
				"the name of one")
		}
	}
	if c.Has(attributeRefresh) {
		attributes += roundAttributes
	}
	if err := c.Expect(kindName, uint64(Promises), attributes, sections...); err != nil {
		return plan{}, err
	}
	if p.members, err = c.Uint(attributeMembers, 1, planning.MaxMembers); err != nil {
		return plan{}, err
	}
	return p.counted(), nil
}

// lifetimeName returns the name of the lifetime. One that was observed has none.
func (p *plan) lifetimeName() string {
	name := p.lifetime.String()
	if _, err := planning.ParseLifetime(name); err != nil {
		return planning.Oldest().String()
	}
	return name
}

// UnmarshalBinary makes f the filter that [filter.Keyed.MarshalBinary] wrote. It has the key that f
// had before: that of the filter that was written, or none. It implements
// [encoding.BinaryUnmarshaler].
func (f *Filter) UnmarshalBinary(b []byte) error {
	g, err := filter.UnmarshalAs(b, f, Decode)
	if err != nil {
		return err
	}
	f.become(g)
	return nil
}

// become makes f what g is, which is of no use from then on.
func (f *Filter) become(g *Filter) {
	f.KeyedDeleter = filter.NewKeyedDeleter(g.Key(), f)
	f.plan, f.fingerprint = g.plan, g.fingerprint
	f.forget(g.history, g.round)
	f.table.Set(g.table.Load())
}

// Read reads a filter from r, into memory: see [file.Read] and [Open].
func Read(r io.Reader, k key.Key) (*Filter, error) { return filter.ReadAs(r, k, Decode) }

// Open opens the filter that [filter.Keyed.Save] wrote to the file path, with the key that it had
// then. The whole file is checked first: [file.Open] and [Decode] leave that to the caller. Its
// error is a *[file.Error].
//
// On a little-endian Unix host the filter lies in the mapped file instead of a copy. Writes to the
// filter stay private to it until it is saved. Save replaces files whole, so a filter stays good
// when its file is saved to; but no other program may write into the file, or cut it, while the
// filter is in use: [Load] is for such a file.
//
// A filter that is replaced by a newer one while readers run needs no Close. Publish the new one in
// an [sync/atomic.Pointer] and drop the old one: its file is unmapped when the last reader has let
// it go.
func Open(path string, k key.Key) (*Filter, error) { return filter.OpenAs(path, k, Decode) }

// Load is [Open] into memory: nothing that happens to the file later matters to the filter.
func Load(path string, k key.Key) (*Filter, error) { return filter.LoadAs(path, k, Decode) }

// Close ends the filter: calls from then on fail or panic with [filter.ErrClosed], the next Close
// too. Calls that run now finish first: the memory or the mapping goes when the last of them has
// returned, at a garbage collection. Only a later use of the filter, not a fault, is what readers
// can meet, so readers that may be late want the filter to be dropped instead of closed: see
// [Open].
func (f *Filter) Close() error { return f.table.Close() }

// Closed reports whether the filter is closed, or was never made.
func (f *Filter) Closed() bool { return f.table.Closed() }
