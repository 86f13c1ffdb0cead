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
	"github.com/bloomlane/bloomlane/internal/legible"
	"github.com/bloomlane/bloomlane/kernel"
)

// The attributes and sections of a file of this kind. Files of the versions 1 and 2 have the same,
// but version 1 lacks the turnovers, the rate and the lifetime of the plan.
const (
	kindName = "deletable"

	attributeMembers   = "members" // the planned number at a time
	attributeTurnovers = "turnovers"
	attributeRate      = "planned-rate"
	attributeReinserts = "reinserts" // only if the plan has re-inserts

	sectionBlocks   = "blocks"   // 8 words per block, lane 0 first
	sectionLifetime = "lifetime" // the name of the lifetime, if turnovers are planned
)

// Contents returns what a file of the filter holds: see [filter.Content]. It has the plan. A
// lifetime that [planning.ParseLifetime] cannot read by its name is replaced by [planning.Oldest].
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

// Decode returns the filter whose file has these contents, with its key k. The filter uses the
// words of the contents as its memory. With the zero Key it takes hashes only. The error is a
// *[file.Error].
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
	f.history, f.round, f.fingerprint = n, r, c.Fingerprint // k may be the zero Key
	return f, nil
}

// decodePlan returns the plan in a file's contents. A file of version 1 has no turnovers and no
// rate.
func decodePlan(c *file.Contents) (p plan, err error) {
	attributes, sections := 6, []string{sectionBlocks}
	least := 0.0
	switch c.Version() {
	case 1:
		attributes = 4
	case 2:
		least = math.SmallestNonzeroFloat64 // version 2 means that there are turnovers
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
			const most = 40
			found := "a lifetime " + strconv.Quote(legible.Cut(name, most))
			return plan{}, file.Wrong(file.ErrBounds, found, "the name of one")
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

// lifetimeName returns the name of the lifetime, or that of Oldest if the lifetime has none,
// because it was observed.
func (p *plan) lifetimeName() string {
	name := p.lifetime.String()
	if _, err := planning.ParseLifetime(name); err != nil {
		return planning.Oldest().String()
	}
	return name
}

// UnmarshalBinary replaces f by the filter that [filter.Keyed.MarshalBinary] wrote as b. f must
// have the key of that filter, or be closed or a zero value: then the result takes hashes only. It
// implements [encoding.BinaryUnmarshaler]. The error is a *[file.Error], and f stays as it is.
func (f *Filter) UnmarshalBinary(b []byte) error {
	g, err := filter.UnmarshalAs(b, f, Decode)
	if err != nil {
		return err
	}
	f.become(g)
	return nil
}

// become replaces f by g, which must not be used afterwards.
func (f *Filter) become(g *Filter) {
	f.KeyedDeleter = filter.NewKeyedDeleter(g.Key(), f)
	f.plan, f.fingerprint = g.plan, g.fingerprint
	f.forget(g.history, g.round)
	f.table.Set(g.table.Load())
}

// Read reads a filter with the key k from r into memory: see [file.Read]. r must end with the
// filter. With the zero Key the filter takes hashes only. The error is a *[file.Error].
func Read(r io.Reader, k key.Key) (*Filter, error) { return filter.ReadAs(r, k, Decode) }

// Open opens the filter that [filter.Keyed.Save] wrote to path. k must be its key. Open verifies
// the whole file first; to verify later or never, call [file.Open] and [Decode]. The error is a
// *[file.Error].
//
// On a little-endian Unix host the filter lies in the mapped file. Writes to the filter do not
// reach the file until it is saved. Save replaces the file whole, which does not affect filters
// that have the old file open. No program may write to the file in place, or cut it, while the
// filter is in use: for such a file, call [Load].
//
// To replace a filter by a newer one while goroutines query it, publish the new one in an
// [sync/atomic.Pointer] and drop the old one without Close. Its file is unmapped when the last
// goroutine is done with it.
func Open(path string, k key.Key) (*Filter, error) { return filter.OpenAs(path, k, Decode) }

// Load is [Open], but reads the file into memory, so that later changes of the file do not affect
// the filter.
func Load(path string, k key.Key) (*Filter, error) { return filter.LoadAs(path, k, Decode) }

// Close ends the filter. Later calls return an error or panic with [filter.ErrClosed], and so does
// a second Close. Calls that run now finish on the old table: the memory or the mapping is released
// at a garbage collection after the last of them has returned. If goroutines may still call the
// filter, drop it instead of closing it: see [Open].
func (f *Filter) Close() error { return f.table.Close() }

// Closed reports whether the filter is closed or is a zero value.
func (f *Filter) Closed() bool { return f.table.Closed() }
