package base

import (
	"bytes"
	"io"
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

// UnmarshalBinary makes the filter the one that MarshalBinary wrote. The filter keeps its hash key,
// which must be that of the written one, so a zero value reads none. It implements
// [encoding.BinaryUnmarshaler], by which encoding/gob works too. On an error, which is a
// *[file.Error], the filter does not change.
func (b *Body[F, T, P]) UnmarshalBinary(content []byte) error {
	return b.read(bytes.NewReader(content))
}

// ReadFrom makes the filter the one that comes next in r, as UnmarshalBinary does. It reads nothing
// behind that one: see [file.Next]. It implements [io.ReaderFrom]; at the end of r the error is
// [io.EOF].
func (b *Body[F, T, P]) ReadFrom(r io.Reader) (n int64, err error) { return ReadNext(r, b.read) }

func (b *Body[F, T, P]) read(r io.Reader) error {
	if b.kind == nil {
		return file.At("read", "", file.Wrong(file.ErrWrongKey, "a zero value",
			"a filter with the key of the file"))
	}
	f, err := ReadInto(r, any(b.filter).(filter.Stored), func(c *file.Contents, k key.Key) (*F, error) {
		return Decode[F, T, P](b.kind, c, k)
	})
	if err != nil {
		return err
	}
	from := bodyOf[F, T, P](f)
	b.become(b.filter, from.kind, from.table.Load(), from.key)
	runtime.KeepAlive(f)
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
