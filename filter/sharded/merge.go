package sharded

import (
	"fmt"
	"runtime"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/kernel"
)

// Merge adds the members of other, a [Filter] or a [deletable.Filter] with the same key and number
// of blocks, while goroutines use f: see [deletable.Filter.Merge]. other does not change. If it is
// a Filter, goroutines may use it too, and of the writes meanwhile the merge has those that a copy
// has: see Copies in the package comment. Nobody may write to a deletable filter meanwhile.
//
// Merge rewrites 16 blocks at a time, and others wait for no more. It copies one stripe of a Filter
// at a time, which is 1/128 of it or 16 blocks, and nothing of a deletable filter. The plan of f
// stays, and the inserts of both count against it. On an error nothing changes. The error wraps
// [file.ErrKind], [file.ErrWrongKey], [filter.ErrUnequalSize], [filter.ErrSelf], [filter.ErrClosed]
// or [ErrBusy].
func (f *Filter) Merge(other filter.Stored) error {
	switch shared, is := filter.As[*Filter](other); {
	case !is:
		owned, err := base.Partner[deletable.Filter]("sharded: merge", other)
		if err != nil {
			return err
		}
		return f.mergeOwned(owned)
	case shared == nil:
		return fmt.Errorf("sharded: merge: %w: found nil, expected a filter", filter.ErrClosed)
	default:
		return f.mergeShared(shared)
	}
}

func (f *Filter) mergeShared(other *Filter) error {
	from := base.Held(&other.Life)
	if err := f.mergeable(other.mark(from)); err != nil {
		return err
	}
	defer runtime.KeepAlive(from)
	buffer := kernel.NewTable512(min(len(from.blocks), 1<<from.shift))
	return f.runAlone("merge", func(t *table) error {
		for i := range t.stripes {
			first, end := t.blocksOf(i)
			part := buffer[:end-first]
			t.mergeStripe(i, part, from.copy(part, i))
		}
		return nil
	})
}

func (f *Filter) mergeOwned(other *deletable.Filter) error {
	c, err := other.Contents()
	if err != nil {
		return fmt.Errorf("sharded: merge: %w", err)
	}
	defer runtime.KeepAlive(c)
	words, err := c.WordsOf(sectionBlocks, fallback.Lanes, deletable.MaxBlocks)
	if err != nil {
		return err
	}
	var h base.History
	if _, err := base.Take(c, h.Numbers()); err != nil {
		return err
	}
	blocks := kernel.TableOfWords(words)
	if err := f.mergeable(markOf(c.Key, blocks)); err != nil {
		return err
	}
	return f.runAlone("merge", func(t *table) error {
		for i := range t.stripes {
			first, end := t.blocksOf(i)
			t.mergeStripe(i, blocks[first:end], t.share(h, i))
		}
		return nil
	})
}

// mergeable returns an error unless f can merge with the filter from.
func (f *Filter) mergeable(from base.Mergeable) error {
	return base.CheckMerge("sharded: merge", f.mark(base.Held(&f.Life)), from)
}

func (f *Filter) mark(t *table) base.Mergeable {
	if t == nil {
		return base.Mergeable{}
	}
	return markOf(base.Identity(&f.Life), t.blocks)
}

func markOf(identity key.Identity, blocks kernel.Table512) base.Mergeable {
	return base.Mergeable{Open: true, Key: identity,
		Shape: fmt.Sprintf("%d blocks", len(blocks)), Memory: &blocks[0]}
}

// mergeStripe adds the members of the blocks from, which have the history h, to a stripe.
func (t *table) mergeStripe(stripe int, from kernel.Table512, h base.History) {
	t.pass.Lock()
	defer t.pass.Unlock()
	s := &t.stripes[stripe]
	first, _ := t.blocksOf(stripe)
	for start := 0; start < len(from); start += partBlocks {
		s.lock.Lock()
		t.merge(first+start, from[start:min(start+partBlocks, len(from))])
		if start == 0 {
			s.history.Add(h)
		}
		s.lock.Unlock()
	}
}
