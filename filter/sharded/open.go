package sharded

import (
	"bytes"
	"io"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
)

// Decode returns the filter whose file has these contents: see [deletable.Decode].
func Decode(c *file.Contents, k key.Key) (*Filter, error) {
	f, err := deletable.Decode(c, k)
	if err != nil {
		return nil, err
	}
	return Of(f)
}

// Read reads a filter with the key k from r into memory: see [deletable.Read].
func Read(r io.Reader, k key.Key) (*Filter, error) { return base.ReadAs(r, k, Decode) }

// Open opens the filter that a Save wrote to path, of this package or of a deletable filter: see
// [deletable.Open]. Writes to the filter do not reach the file until it is saved.
func Open(path string, k key.Key) (*Filter, error) { return base.OpenAs(path, k, Decode) }

// Load is [Open], but reads the file into memory, so that later changes of the file do not affect
// the filter.
func Load(path string, k key.Key) (*Filter, error) { return base.LoadAs(path, k, Decode) }

// UnmarshalBinary replaces f by the filter that [filter.Keyed.MarshalBinary] wrote as b: see
// [deletable.Filter.UnmarshalBinary]. No other call may run meanwhile.
func (f *Filter) UnmarshalBinary(b []byte) error { return f.read(bytes.NewReader(b)) }

// ReadFrom replaces f by the filter that comes next in r: see [base.Body.ReadFrom]. No other call
// may run meanwhile.
func (f *Filter) ReadFrom(r io.Reader) (n int64, err error) { return base.ReadNext(r, f.read) }

func (f *Filter) read(r io.Reader) error {
	g, err := base.ReadInto(r, f, Decode)
	if err != nil {
		return err
	}
	f.KeyedDeleter = filter.NewKeyedDeleter(g.Key(), f)
	base.Begin(&f.Life, kindName, base.Held(&g.Life), base.Identity(&g.Life))
	return nil
}
