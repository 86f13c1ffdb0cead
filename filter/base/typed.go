package base

import (
	"io"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
)

// The packages of the kinds have functions that read and open files and return their own type of
// filter. The functions of this file make them from one Decode.

// ReadAs reads a filter from r into memory, as [file.Read] does, and decodes it. With [key.Unknown]
// the filter takes hashes only. The error is a *[file.Error].
func ReadAs[F any](
	r io.Reader,
	k key.Key,
	decode func(*file.Contents, key.Key) (F, error),
) (f F, err error) {
	c, err := file.Read(r)
	if err != nil {
		return f, err
	}
	return decode(c, k)
}

// OpenAs opens the filter in the file at path, as [file.Open] does, and decodes it. It verifies the
// whole file first. k must be the key of the filter. The error is a *[file.Error]; it wraps
// [file.ErrWrongKey] if k is the zero Key or another key.
func OpenAs[F any](
	path string,
	k key.Key,
	decode func(*file.Contents, key.Key) (F, error),
) (f F, err error) {
	c, err := file.Open(path, file.VerifyNow)
	if err != nil {
		return f, err
	}
	return decodeAt("open", path, c, k, decode)
}

// LoadAs is [OpenAs], but reads the file into memory, so that later changes of the file do not
// affect the filter.
func LoadAs[F any](
	path string,
	k key.Key,
	decode func(*file.Contents, key.Key) (F, error),
) (f F, err error) {
	c, err := file.Load(path)
	if err != nil {
		return f, err
	}
	return decodeAt("load", path, c, k, decode)
}

func decodeAt[F any](
	op, path string,
	c *file.Contents,
	k key.Key,
	decode func(*file.Contents, key.Key) (F, error),
) (f F, err error) {
	f, err = decode(c, k)
	if err != nil {
		return f, file.At(op, path, err)
	}
	return f, nil
}

// ReadInto returns the filter that MarshalBinary wrote to r, which ends with it. It has the key of
// to, which must be the key of the filter that was written. If to takes hashes only, the new filter
// does too. The error is a *[file.Error]; for another key, and if to is a zero value and so has
// none, it wraps [file.ErrWrongKey].
func ReadInto[F any](
	r io.Reader,
	to filter.Stored,
	decode func(*file.Contents, key.Key) (F, error),
) (F, error) {
	k := to.Key()
	if !to.Closed() {
		k = KeyOf(to)
	}
	return ReadAs(r, k, decode)
}

// ReadNext calls read with the filter that comes next in r, and returns how many bytes of r it
// took: see [file.Next].
func ReadNext(r io.Reader, read func(io.Reader) error) (n int64, err error) {
	next, err := file.Next(r)
	if err != nil {
		return 0, err
	}
	length := next.N
	err = read(next)
	return length - next.N, err
}
