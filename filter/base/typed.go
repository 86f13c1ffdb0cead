package base

import (
	"bytes"
	"io"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
)

// The packages of the kinds have functions that return their own type of filter. The functions of
// this file make the functions of a [Kind] from them, and the functions that read and open files
// from one Decode.

// NewOf returns the New of a [Kind], from the function for its own type.
func NewOf[F filter.Stored](
	make func(filter.Sizing) (F, error),
) func(filter.Sizing) (filter.Stored, error) {
	return func(s filter.Sizing) (filter.Stored, error) { return stored(make(s)) }
}

// DecodeOf returns the Decode of a [Kind], from the function for its own type.
func DecodeOf[F filter.Stored](
	decode func(*file.Contents, key.Key) (F, error),
) func(*file.Contents, key.Key) (filter.Stored, error) {
	return func(c *file.Contents, k key.Key) (filter.Stored, error) { return stored(decode(c, k)) }
}

// stored returns nil on an error. A nil pointer of the type F would be a filter.Stored that is not
// nil.
func stored[F filter.Stored](f F, err error) (filter.Stored, error) {
	if err != nil {
		return nil, err
	}
	return f, nil
}

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

// UnmarshalAs returns the filter that MarshalBinary wrote as b. It has the key of to, which must be
// the key of the filter that was written. If to is closed or a zero value, the new filter has no
// key and takes hashes only. The error is a *[file.Error].
func UnmarshalAs[F any](
	b []byte,
	to filter.Stored,
	decode func(*file.Contents, key.Key) (F, error),
) (F, error) {
	k := key.Unknown()
	if !to.Closed() {
		k = KeyOf(to)
	}
	return ReadAs(bytes.NewReader(b), k, decode)
}
