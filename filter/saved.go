package filter

import (
	"io"

	"github.com/bloomlane/bloomlane/filter/file"
)

// contents returns what a file of the filter holds, or ErrClosed for a zero value.
func (q *Keyed) contents() (*file.Contents, error) {
	if q.content == nil {
		return nil, ErrClosed
	}
	return q.content.Contents()
}

// Save writes the filter to the file at path. The file is replaced whole or not at all, also if the
// program or the machine crashes. The hash key is not in it. A new file has the permission bits
// 0666 minus the umask. Filters that were opened from the old file do not change. The error is a
// *[file.Error]. If the filter is closed, the error wraps [ErrClosed], and no file is touched.
func (q *Keyed) Save(path string) error {
	c, err := q.contents()
	if err != nil {
		return file.At("save", path, err)
	}
	return c.Save(path, 0o666)
}

// WriteTo writes to w what Save would write to a file. It implements [io.WriterTo].
func (q *Keyed) WriteTo(w io.Writer) (int64, error) {
	c, err := q.contents()
	if err != nil {
		return 0, err
	}
	return c.WriteTo(w)
}

// AppendBinary appends what WriteTo writes to b. It implements [encoding.BinaryAppender].
func (q *Keyed) AppendBinary(b []byte) ([]byte, error) {
	c, err := q.contents()
	if err != nil {
		return b, err
	}
	return c.Append(b)
}

// MarshalBinary returns what WriteTo writes. It implements [encoding.BinaryMarshaler].
func (q *Keyed) MarshalBinary() ([]byte, error) { return q.AppendBinary(nil) }
