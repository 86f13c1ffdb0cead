package sharded

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/kernel"
)

// Filter is a deletable filter on which any number of goroutines may call any methods at the same
// time, but for UnmarshalBinary. Make one with [New], [Open], [Load] or [Of]. From the types that
// it embeds it has:
//
//   - keys: [filter.KeyedSet.Insert], [filter.Keyed.Query], [filter.KeyedDeleter.Delete]; the same
//     for strings (InsertString, QueryString, DeleteString), for uint64s (InsertUint64) and for
//     many keys (InsertBatch, InsertStringBatch, InsertSeq)
//   - hashing: [filter.Keyed.Hash], HashString, HashUint64, [filter.Keyed.Key]
//   - files: [filter.Keyed.Save], WriteTo, AppendBinary, MarshalBinary
//   - state: [base.Life.String], Format, [filter.Keyed.MarshalJSON], LogValue
//   - life: [base.Life.Close], Closed
type Filter struct {
	filter.KeyedDeleter
	base.Life[table]
}

// New returns an empty filter for config. The error is a *[filter.SizingError].
func New(config deletable.Config) (*Filter, error) {
	f, err := deletable.New(config)
	if err != nil {
		return nil, err
	}
	return Of(f)
}

// kindName is what filters print as their kind. Their files are of deletable filters.
const kindName = "sharded deletable"

// sectionBlocks is the name of the section with the blocks in the file of a deletable filter.
const sectionBlocks = "blocks"

// roundPrefix begins the names of the attributes of a round of refreshes in such a file.
const roundPrefix = "refresh-"

// Of returns a filter with the table, the plan, the history and the key of f, and closes f. The
// error wraps [filter.ErrClosed] if f is closed or nil.
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
	var before base.History
	if _, err := base.Take(c, before.Numbers()); err != nil {
		return nil, err
	}
	k := f.Key() // another goroutine may close f
	if err := f.Close(); err != nil {
		return nil, err
	}
	// A round of refreshes that has begun is over: a rebuild would not go on with it.
	c.Attributes = slices.DeleteFunc(slices.Clone(c.Attributes), func(a file.Attribute) bool {
		return strings.HasPrefix(a.Name, roundPrefix)
	})
	t := newTable(kernel.TableOfWords(words), c, before)
	if err := t.plan(); err != nil {
		return nil, err
	}
	g := &Filter{}
	g.KeyedDeleter = filter.NewKeyedDeleter(k, g)
	base.Begin(&g.Life, kindName, t, c.Key)
	return g, nil
}

// Contents returns what a file of the filter holds, in the form of a deletable filter. The words
// are a copy. Other goroutines may write meanwhile: the package comment says under Copies which
// writes the copy has. The error wraps [filter.ErrClosed].
func (f *Filter) Contents() (*file.Contents, error) {
	t := base.Held(&f.Life)
	if t == nil {
		return nil, filter.ErrClosed
	}
	return t.copied(), nil
}

// copied is [Filter.Contents] of a table.
func (t *table) copied() *file.Contents {
	words := make([]uint64, len(t.blocks)*fallback.Lanes)
	blocks := kernel.TableOfWords(words)
	var h base.History
	for i := range t.stripes {
		first, end := t.blocksOf(i)
		h.Add(t.copy(blocks[first:end], i))
	}
	runtime.KeepAlive(t)
	return t.contents(words, h)
}

// contents returns the contents of a filter with the plan and key of t, and other words.
func (t *table) contents(words []uint64, h base.History) *file.Contents {
	c := &file.Contents{
		Kind: t.taken.Kind, Promises: t.taken.Promises, Key: t.taken.Key,
		Attributes: slices.Clone(t.taken.Attributes), Sections: slices.Clone(t.taken.Sections),
	}
	base.Put(c, h.Numbers())
	for i := range c.Sections {
		if c.Sections[i].Name == sectionBlocks {
			c.Sections[i].Words = words
		}
	}
	return c
}

// Snapshot returns a copy as a deletable filter. Other goroutines may write meanwhile: the package
// comment says under Copies which writes the copy has. The error wraps [filter.ErrClosed].
func (f *Filter) Snapshot() (*deletable.Filter, error) {
	c, err := f.Contents()
	if err != nil {
		return nil, err
	}
	return deletable.Decode(c, base.KeyOf(f))
}
