package parts

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/kernel"
)

// CoverError says that the parts of a filter do not make a whole filter: blocks are in no part, or
// in two.
type CoverError struct {
	Missing Range // the first blocks that are in no part, or an empty Range
	Twice   Range // the first blocks that are in two parts, or an empty Range
}

// Error has the blocks.
func (e *CoverError) Error() string {
	if e.Missing.End > e.Missing.First {
		return fmt.Sprintf("parts of a filter: %v are in no part", e.Missing)
	}
	return fmt.Sprintf("parts of a filter: %v are in two parts", e.Twice)
}

// Join returns the filter for config with all keys that were inserted into the parts, which may
// come in any order. config must be that of the build, its key included. If parts yields an error,
// Join returns it. Otherwise the error is a *[filter.SizingError], a *[file.Error] if a part
// belongs to another filter, or a *[CoverError]. Join allocates the whole filter.
func Join(config deletable.Config, parts iter.Seq2[*Part, error]) (*deletable.Filter, error) {
	f, err := deletable.New(config)
	if err != nil {
		return nil, err
	}
	c, err := f.Contents()
	if err != nil {
		return nil, err
	}
	words, err := c.WordsOf(sectionBlocks, fallback.Lanes, deletable.MaxBlocks)
	if err != nil {
		return nil, err
	}
	var ranges []Range
	var history base.History
	for p, err := range parts {
		if err != nil {
			return nil, err
		}
		if p.key != c.Key {
			return nil, file.Wrong(file.ErrWrongKey, "a part with a "+p.key.String(),
				"a "+c.Key.String())
		}
		if p.Blocks != f.Shape().Blocks {
			return nil,
				file.Wrong(file.ErrLength, fmt.Sprintf("a part of %d blocks in all", p.Blocks),
					fmt.Sprint(f.Shape().Blocks))
		}
		blocks := kernel.TableOfWords(words[p.First*fallback.Lanes : p.End*fallback.Lanes])
		if p.table != nil {
			copy(blocks, p.table)
		} else {
			blocks.InsertPart(p.First, p.Blocks, p.hashes)
		}
		history.Inserts = base.Total(history.Inserts, p.inserts)
		ranges = append(ranges, p.Range)
	}
	if err := cover(ranges, f.Shape().Blocks); err != nil {
		return nil, err
	}
	base.Put(c, history.Numbers())
	return deletable.Decode(c, f.Key())
}

// cover returns an error unless each block is in exactly one of the ranges.
func cover(ranges []Range, blocks int) error {
	slices.SortFunc(ranges, func(a, b Range) int { return cmp.Compare(a.First, b.First) })
	next := 0
	for _, r := range append(ranges, Range{First: blocks, End: blocks, Blocks: blocks}) {
		if r.First > next {
			return &CoverError{Missing: Range{First: next, End: r.First, Blocks: blocks}}
		}
		if r.First < next {
			return &CoverError{Twice: Range{First: r.First, End: min(next, r.End), Blocks: blocks}}
		}
		next = r.End
	}
	return nil
}
