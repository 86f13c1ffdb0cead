package spectral

import (
	"fmt"
	"slices"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/internal/bloom"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/planning"
)

// A file of the kinds has these attributes and sections.
const (
	attributeMembers   = "members" // planned
	attributeTimes     = "times"   // that each is planned to be in
	attributeHashes    = "hashes"
	attributeWidth     = "width" // of a counter, 0 where it is variable
	attributeCounters  = "counters"
	attributeSecondary = "secondary"   // counters
	attributeMarker    = "marker-bits" // 64 a word, the lowest first, and zeros

	sectionCounters  = "counters" // pages (package counters), or with a width cells (package cells)
	sectionSecondary = "secondary"
	sectionMarker    = "marker"
)

// Contents returns what a file of the filter holds: see [filter.Content]. Its words of counters are
// a copy, without the spare room of pages. The error is [filter.ErrClosed].
func (f *core) Contents() (*file.Contents, error) {
	t := f.table.Load()
	if t == nil {
		return nil, filter.ErrClosed
	}
	c := &file.Contents{
		Kind: t.rule.String(), Promises: uint64(t.rule.promises()), Fingerprint: f.fingerprint,
		Sections: []file.Section{{Name: sectionCounters, Words: t.first.words()}},
	}
	c.Set(attributeMembers, t.members)
	c.Set(attributeTimes, t.times)
	f.history.Encode(c)
	c.Set(attributeHashes, uint64(t.shape.first.hashes))
	c.Set(attributeWidth, uint64(t.shape.first.width))
	c.Set(attributeCounters, t.shape.first.counters)
	if t.rule == recurring {
		c.Set(attributeSecondary, t.shape.second.counters)
		c.Set(attributeMarker, t.shape.marker.Span)
		c.Sections = append(c.Sections,
			file.Section{Name: sectionSecondary, Words: t.second.words()},
			file.Section{Name: sectionMarker, Words: t.marker.Words})
	}
	return c, nil
}

// decode returns the filter of a file's contents.
func decode(c *file.Contents, k key.Key, r rule) (state, error) {
	attributes, sections := 8, []string{sectionCounters}
	if r == recurring {
		attributes, sections = 10, append(sections, sectionSecondary, sectionMarker)
	}
	if err := c.Expect(r.String(), uint64(r.promises()), attributes, sections...); err != nil {
		return state{}, err
	}
	if err := filter.CheckKey(c, k); err != nil {
		return state{}, err
	}
	s := state{key: k, body: body{fingerprint: c.Fingerprint}, table: &table{shape: shape{rule: r}}}
	t := s.table
	var err error
	if s.history, err = filter.DecodeHistory(c); err != nil {
		return state{}, err
	}
	if r == increase && s.history.Deleted+s.history.Retained > 0 {
		return state{},
			file.Wrong(file.ErrBounds, "deletes of a filter with minimal increase", "none")
	}
	if t.members, err = c.Uint(attributeMembers, 1, planning.MaxMembers); err != nil {
		return state{}, err
	}
	if t.times, err = c.Uint(attributeTimes, 1, MaxTimes); err != nil {
		return state{}, err
	}
	hashes, err := c.Int(attributeHashes, 1, MaxHashes)
	if err != nil {
		return state{}, err
	}
	width, err := c.Int(attributeWidth, 0, MaxWidth)
	if err != nil {
		return state{}, err
	}
	if t.shape.first, err = sizeIn(c, attributeCounters, width, hashes); err != nil {
		return state{}, err
	}
	if t.first, err = storeIn(c, sectionCounters, t.shape.first, t.firstRoom()); err != nil ||
		r != recurring {
		return s, err
	}
	if t.shape.second, err = sizeIn(c, attributeSecondary, width, hashes); err != nil {
		return state{}, err
	}
	if t.second, err = storeIn(c, sectionSecondary, t.shape.second, t.secondRoom()); err != nil {
		return state{}, err
	}
	span, err := c.Uint(attributeMarker, 1, filter.MaxBits)
	if err != nil {
		return state{}, err
	}
	words, err := c.WordsOf(sectionMarker, 1, filter.MaxBits/64)
	if err != nil {
		return state{}, err
	}
	t.shape.marker = bloom.Shape{Blocks: 1, Span: span, Hashes: hashes}
	if want := t.shape.marker.Words(); uint64(len(words)) != want {
		return state{}, file.Wrong(file.ErrBounds, fmt.Sprintf("a marker of %d words", len(words)),
			fmt.Sprint(want))
	}
	t.marker = bloom.Table{Shape: t.shape.marker, Words: slices.Clone(words)}
	return s, nil
}

// sizeIn returns the size of a number of counters, which is one that a filter has.
func sizeIn(c *file.Contents, attribute string, width, hashes int) (size, error) {
	n, err := c.Uint(attribute, 1, filter.MaxBits)
	if err != nil {
		return size{}, err
	}
	s := sizeOf(n, width, hashes)
	if s.counters != n {
		return s, file.Wrong(file.ErrBounds, fmt.Sprintf("%d %s", n, attribute),
			fmt.Sprintf("%d in all words or pages", s.counters))
	}
	return s, nil
}

// storeIn returns the counters of a section.
func storeIn(c *file.Contents, section string, s size, room float64) (store, error) {
	words, err := c.WordsOf(section, 1, filter.MaxBits/64)
	if err != nil {
		return nil, err
	}
	a, ok := s.storeIn(words, room)
	if !ok {
		return nil, file.Wrong(file.ErrBounds, fmt.Sprintf("a section %s of other words", section),
			fmt.Sprintf("those of %d counters", s.counters))
	}
	return a, nil
}
