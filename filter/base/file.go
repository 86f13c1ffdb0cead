package base

import (
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
		Kind: b.kind.Name, Promises: uint64(b.kind.Promises), Key: b.key,
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
	k, err := FileKey(c, k)
	if err != nil {
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
	return made[F, T, P](kind, h, k, c.Key), nil // also without the key
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
	b.become(f, from.kind, from.table.Load(), from.key)
	runtime.KeepAlive(g)
	return nil
}

// FileKey returns the key of the filter that c holds, which is opened with the key k: k itself, or
// the zero Key of a filter that takes hashes only if k is [key.Unknown]. If k is the zero Key, or
// the key of another filter, the error is a *[file.Error] that wraps [file.ErrWrongKey].
func FileKey(c *file.Contents, k key.Key) (key.Key, error) {
	switch {
	case k.IsUnknown():
		return key.Key{}, nil
	case k.IsZero():
		return k, file.Wrong(file.ErrWrongKey, k.String(), "a "+c.Key.String())
	case k.Identity() != c.Key:
		return k, file.Wrong(file.ErrWrongKey, "a "+k.String(), "a "+c.Key.String())
	}
	return k, nil
}

// CheckShown returns an error unless a file may show hashes under its key: less is known of what
// those of SipHash-1-3 give away (docs/keyed-hashing.md). The error is a *[file.Error] that wraps
// [file.ErrWrongKey].
func CheckShown(c *file.Contents) error {
	if !c.Key.Algorithm.MayBeSeen() {
		return file.Wrong(file.ErrWrongKey, "hashes under a "+c.Key.String(),
			"a key of "+key.AESPMAC.String())
	}
	return nil
}

// KeyOf returns the key with which another filter of the same key is decoded: that of f, or
// [key.Unknown] if f takes hashes only.
func KeyOf(f filter.Stored) key.Key {
	if k := f.Key(); !k.IsZero() {
		return k
	}
	return key.Unknown()
}
