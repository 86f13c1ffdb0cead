package base

import (
	"fmt"
	"runtime"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
)

// Contents returns what a file of the filter holds: see [filter.Content]. The error is
// [filter.ErrClosed].
func (b *Body[F, T, P]) Contents() (*file.Contents, error) {
	t := Live(b)
	if t == nil {
		return nil, filter.ErrClosed
	}
	c := &file.Contents{
		Kind: b.kind.Name, Promises: uint64(b.kind.Promises), Fingerprint: b.fingerprint,
	}
	names := b.kind.sections(t)
	for i, words := range sectionsOf(t) {
		c.Sections = append(c.Sections, file.Section{Name: names[i], Words: words})
	}
	Put(c, t.Numbers())
	c.KeepAlive(t)
	return c, nil
}

// sections returns the names of the sections of a table.
func (k *Class[F, T]) sections(table any) []string {
	if t, ok := table.(Sectioned); ok {
		return t.Names()
	}
	return []string{k.Section}
}

// Decode returns the filter of the kind in the contents of a file: see [Kind]. Its table
// uses the words of these contents without a copy, unless it [Sectioned.Copies] them. The error is
// a *[file.Error].
func Decode[F, T any, P Table[T]](kind *Class[F, T], c *file.Contents, k key.Key) (*F, error) {
	if c.Kind != kind.Name {
		return nil, c.Expect(kind.Name, 0, 0)
	}
	if err := CheckKey(c, k); err != nil {
		return nil, err
	}
	h := &held[T]{table: kind.Table, contents: c}
	t := P(&h.table)
	stored, err := Take(c, t.Numbers())
	if err != nil {
		return nil, err
	}
	names := kind.sections(t)
	if err := c.Expect(kind.Name, uint64(kind.Promises), stored, names...); err != nil {
		return nil, err
	}
	sections := make([][]uint64, len(names))
	for i, name := range names {
		words, err := c.WordsOf(name, 1, filter.MaxBits/64+1)
		if err != nil {
			return nil, err
		}
		sections[i] = words
	}
	if err := fit(t, sections); err != nil {
		return nil, err
	}
	if copies(t) {
		h.contents = nil
	}
	return made[F, T, P](kind, h, k, c.Fingerprint), nil // also without the key
}

// Unmarshal makes f, whose body is b, the filter that MarshalBinary wrote as content: see
// [UnmarshalAs]. f keeps its hash key, which must be that of the written filter. On an error f does
// not change.
func Unmarshal[F, T any, P Table[T]](
	f *F,
	b *Body[F, T, P],
	content []byte,
	decode func(*file.Contents, key.Key) (*F, error),
) error {
	g, err := UnmarshalAs(content, any(f).(filter.Stored), decode)
	if err != nil {
		return err
	}
	from := bodyOf[F, T, P](g)
	from.kind.Bind(f, any(g).(filter.Stored).Key())
	b.become(f, from.kind, from.table.Load(), from.fingerprint)
	runtime.KeepAlive(g)
	return nil
}

// CheckKey returns nil if c has the fingerprint of the key k, or if k is the zero Key. Otherwise it
// returns a *[file.Error] that wraps [file.ErrWrongKey].
func CheckKey(c *file.Contents, k key.Key) error {
	if k.IsZero() || k.Fingerprint() == c.Fingerprint {
		return nil
	}
	return file.Wrong(file.ErrWrongKey, fmt.Sprintf("a key with fingerprint %016x",
		k.Fingerprint()), fmt.Sprintf("%016x", c.Fingerprint))
}
