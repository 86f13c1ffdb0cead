// Package lists reads lists of keys, of addresses and of numbers: an entry a line.
package lists

import (
	"bytes"
	"fmt"
	"io"
)

// Reader reads the entries of a list, a line each.
type Reader struct {
	Line int // of the last entry, or of the error, from 1

	in     io.Reader
	before func() error // see Reset
	buffer []byte
	rest   []byte // of the buffer: what no entry has had yet
	err    error  // of in
}

// LengthError says that an entry is too long.
type LengthError struct{ Most int }

func (e *LengthError) Error() string {
	return fmt.Sprintf("found a line of more than %d bytes, expected one of at most that", e.Most)
}

// New returns a reader of entries of at most most bytes, for [Reader.Reset].
func New(most int) *Reader { return &Reader{buffer: make([]byte, most+1)} } // and a line feed

// Reset begins with a list. The entries are good until before returns, which is called where the
// next one is not there yet, or until the end of the list. An error of before ends the list; it may
// be nil.
func (r *Reader) Reset(in io.Reader, before func() error) {
	*r = Reader{in: in, before: before, buffer: r.buffer, rest: r.buffer[:0]}
}

// Next returns the next entry. Its error is io.EOF after the last one; a *[LengthError], with the
// start of the entry; or that of the list's reader or of before.
func (r *Reader) Next() (entry []byte, err error) {
	for looked := 0; ; {
		if n := bytes.IndexByte(r.rest[looked:], '\n'); n >= 0 {
			entry, r.rest = r.rest[:looked+n], r.rest[looked+n+1:]
			r.Line++
			return entry, nil
		}
		looked = len(r.rest)
		switch {
		case looked == len(r.buffer):
			r.Line++
			return r.rest, &LengthError{len(r.buffer) - 1}
		case r.err == io.EOF && looked > 0:
			entry, r.rest = r.rest, nil
			r.Line++
			return entry, nil
		case r.err != nil:
			if r.err != io.EOF {
				r.Line++
			}
			return nil, r.err
		}
		r.fill()
	}
}

// fill reads what there is more of the list.
func (r *Reader) fill() {
	if r.before != nil {
		if r.err = r.before(); r.err != nil {
			return
		}
	}
	kept := copy(r.buffer, r.rest)
	n, err := r.in.Read(r.buffer[kept:])
	r.rest, r.err = r.buffer[:kept+n], err
}
