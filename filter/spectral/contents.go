package spectral

import (
	"fmt"
	"slices"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/internal/bloom"
	"github.com/bloomlane/bloomlane/internal/counters"
)

// A file of the kinds has these attributes and sections.
const (
	attributeMembers   = "members" // planned
	attributeTimes     = "times"   // that each is planned to be in
	attributeHashes    = "hashes"
	attributeCounters  = "counters"
	attributeSecondary = "secondary"   // counters
	attributeMarker    = "marker-bits" // 64 a word, the lowest first, and zeros

	sectionCounters  = "counters" // pages: see package counters
	sectionSecondary = "secondary"
	sectionMarker    = "marker"
)

// Contents returns what a file of the filter holds: see [filter.Content]. Its words of counters are a copy, without
// what pages have to spare.
func (f *core) Contents() (*file.Contents, error) {
	t := f.table.Load()
	if t == nil {
		return nil, filter.ErrClosed
	}
	c := &file.Contents{
		Kind: t.rule.String(), Promises: uint64(t.rule.promises()), Fingerprint: f.fingerprint,
		Sections: []file.Section{{Name: sectionCounters, Words: t.first.Words()}},
	}
	c.Set(attributeMembers, t.members)
	c.Set(attributeTimes, t.times)
	f.history.Encode(c)
	c.Set(attributeHashes, uint64(t.hashes))
	c.Set(attributeCounters, t.first.Counters())
	if t.rule == recurring {
		c.Set(attributeSecondary, t.second.Counters())
		c.Set(attributeMarker, t.shape.marker)
		c.Sections = append(c.Sections, file.Section{Name: sectionSecondary, Words: t.second.Words()},
			file.Section{Name: sectionMarker, Words: t.marker.Words})
	}
	return c, nil
}

// decode returns the filter of a file's contents.
func decode(c *file.Contents, k key.Key, r rule) (state, error) {
	attributes, sections := 7, []string{sectionCounters}
	if r == recurring {
		attributes, sections = 9, append(sections, sectionSecondary, sectionMarker)
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
		return state{}, file.Wrong(file.ErrBounds, "deletes of a filter with minimal increase", "none")
	}
	if t.members, err = c.Uint(attributeMembers, 1, planning.MaxMembers); err != nil {
		return state{}, err
	}
	if t.times, err = c.Uint(attributeTimes, 1, MaxTimes); err != nil {
		return state{}, err
	}
	if t.hashes, err = c.Int(attributeHashes, 1, MaxHashes); err != nil {
		return state{}, err
	}
	if t.shape.first, err = shapeIn(c, attributeCounters); err != nil {
		return state{}, err
	}
	if r == recurring {
		if t.shape.second, err = shapeIn(c, attributeSecondary); err != nil {
			return state{}, err
		}
		if t.shape.marker, err = c.Uint(attributeMarker, 1, filter.MaxBits); err != nil {
			return state{}, err
		}
	}
	first, second := t.room()
	if t.first, err = countersIn(c, sectionCounters, t.shape.first, first); err != nil || r != recurring {
		return s, err
	}
	if t.second, err = countersIn(c, sectionSecondary, t.shape.second, second); err != nil {
		return state{}, err
	}
	words, err := c.WordsOf(sectionMarker, 1, filter.MaxBits/64)
	if err != nil {
		return state{}, err
	}
	t.marker = bloom.Table{Shape: t.markerShape(), Words: slices.Clone(words)}
	if want := t.marker.Shape.Words(); uint64(len(words)) != want {
		return state{}, file.Wrong(file.ErrBounds, fmt.Sprintf("a marker of %d words", len(words)), fmt.Sprint(want))
	}
	return s, nil
}

// shapeIn returns the shape of a number of counters, which is one that a filter has.
func shapeIn(c *file.Contents, attribute string) (counters.Shape, error) {
	n, err := c.Uint(attribute, 1, filter.MaxBits)
	if err != nil {
		return counters.Shape{}, err
	}
	s := counters.ShapeOf(n)
	if s.Counters() != n {
		return s, file.Wrong(file.ErrBounds, fmt.Sprintf("%d %s", n, attribute), fmt.Sprintf("%d in pages", s.Counters()))
	}
	return s, nil
}

// countersIn returns the counters of a section.
func countersIn(c *file.Contents, section string, s counters.Shape, room float64) (*counters.Array, error) {
	words, err := c.WordsOf(section, 1, filter.MaxBits/64)
	if err != nil {
		return nil, err
	}
	a, ok := counters.Of(s, room, words)
	if !ok {
		return nil, file.Wrong(file.ErrBounds, fmt.Sprintf("a section %s of other words", section),
			fmt.Sprintf("pages of %d counters", s.Counters()))
	}
	return a, nil
}
