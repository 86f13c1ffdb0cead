package filter

import (
	"bytes"
	"fmt"
	"io"

	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
)

// The packages of the kinds have functions that return their own type of filter. Here is what makes
// of one Decode the functions that read and open, and the functions of a [Kind].

// NewOf returns a Kind's New of the New of its type.
func NewOf[F Stored](make func(Sizing) (F, error)) func(Sizing) (Stored, error) {
	return func(s Sizing) (Stored, error) { return stored(make(s)) }
}

// DecodeOf returns a Kind's Decode of the Decode of its type.
func DecodeOf[F Stored](
	decode func(*file.Contents, key.Key) (F, error),
) func(*file.Contents, key.Key) (Stored, error) {
	return func(c *file.Contents, k key.Key) (Stored, error) { return stored(decode(c, k)) }
}

// stored keeps a nil pointer from becoming a Stored that is not nil.
func stored[F Stored](f F, err error) (Stored, error) {
	if err != nil {
		return nil, err
	}
	return f, nil
}

// ReadAs reads a filter from r, into memory: see [file.Read]. With the zero Key it takes hashes
// only. Its error is a *[file.Error].
func ReadAs[F any](r io.Reader, k key.Key, decode func(*file.Contents, key.Key) (F, error)) (f F,
	err error) {
	c, err := file.Read(r)
	if err != nil {
		return f, err
	}
	return decode(c, k)
}

// OpenAs opens the filter in the file at a path, which is checked whole first, with the key that it
// has: see [file.Open]. Its error is a *[file.Error].
func OpenAs[F any](path string, k key.Key, decode func(*file.Contents, key.Key) (F, error)) (f F,
	err error) {
	c, err := file.Open(path, file.VerifyNow)
	if err != nil {
		return f, err
	}
	return decodeAt("open", path, c, k, decode)
}

// LoadAs is [OpenAs] into memory: nothing that happens to the file later matters to the filter.
func LoadAs[F any](path string, k key.Key, decode func(*file.Contents, key.Key) (F, error)) (f F,
	err error) {
	c, err := file.Load(path)
	if err != nil {
		return f, err
	}
	return decodeAt("load", path, c, k, decode)
}

func decodeAt[F any](
	op, path string, c *file.Contents, k key.Key, decode func(*file.Contents, key.Key) (F, error),
) (f F, err error) {
	if k.IsZero() {
		return f, file.At(op, path,
			file.Wrong(file.ErrWrongKey, k.String(),
				fmt.Sprintf("fingerprint %016x", c.Fingerprint)))
	}
	f, err = decode(c, k)
	if err != nil {
		return f, file.At(op, path, err)
	}
	return f, nil
}

// UnmarshalAs returns the filter that MarshalBinary wrote, with the key that to has: that of the
// filter that was written, or none, where to was never made. Its error is a *[file.Error].
func UnmarshalAs[F any](b []byte, to Stored, decode func(*file.Contents, key.Key) (F, error)) (F,
	error) {
	k := key.Key{}
	if !to.Closed() {
		k = to.Key()
	}
	return ReadAs(bytes.NewReader(b), k, decode)
}
