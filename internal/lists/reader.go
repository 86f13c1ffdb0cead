// Package lists reads lists of keys, of addresses and of numbers: an entry a line.
package lists

import (
	"bytes"
	"fmt"
	"io"
)

// Form is the form of a list: lines of bytes, where it is zero.
type Form struct {
	Null     bool // entries end in a NUL byte, and not in a line feed
	Comments bool // entries that begin with # are left out
	// White space around entries is left out, and a byte order mark. A carriage return ends an
	// entry too, unless NUL does.
	Trim bool
}

// Mark is the byte order mark of UTF-8.
const Mark = "\xef\xbb\xbf"

// Reader reads the entries of a list.
type Reader struct {
	Line int // of the last entry, or of the error, from 1

	form     Form
	in       io.Reader
	before   func() error // see Reset
	buffer   []byte
	rest     []byte // of the buffer: what no entry has had yet
	returned bool   // the last entry ended in a carriage return
	err      error  // of in
}

// Error says that a list has an entry that is too long, or is a file of another program.
type Error struct{ Found, Expected string }

func (e *Error) Error() string { return "found " + e.Found + ", expected " + e.Expected }

// formats are the beginnings of files whose lines would be entries that nobody means. The lines of
// a list that begins so by accident can follow an empty line.
var formats = []struct{ name, start, reader string }{
	{"gzip", "\x1f\x8b\x08", "gzip -dc"},
	{"zstd", "\x28\xb5\x2f\xfd", "zstd -dc"},
	{"xz", "\xfd7zXZ\x00", "xz -dc"},
	{"bzip2", "BZh91AY&SY", "bzip2 -dc"},
	{"lz4", "\x04\x22\x4d\x18", "lz4 -dc"},
	{"zip", "PK\x03\x04", "unzip -p"},
	{"Parquet", "PAR1\x15", "bloomlane import parquet"}, // and the kind of the first page
	{"filter", "\x89BLM\r\n", "a list of its members"},
	{"UTF-16", "\xff\xfe", "iconv -f UTF-16 -t UTF-8"},
	{"UTF-16", "\xfe\xff", "iconv -f UTF-16 -t UTF-8"},
}

// New returns a reader of entries of at most most bytes, for [Reader.Reset].
func New(most int, form Form) *Reader {
	return &Reader{form: form, buffer: make([]byte, most+1)} // and a line feed
}

// Reset begins with a list. The entries are good until before returns, which is called where the
// next one is not there yet, or until the end of the list. An error of before ends the list; it may
// be nil.
func (r *Reader) Reset(in io.Reader, before func() error) {
	*r = Reader{form: r.form, in: in, before: before, buffer: r.buffer, rest: r.buffer[:0]}
}

// Next returns the next entry. Its error is io.EOF after the last one; an *[Error], with the start
// of the entry; or that of the list's reader or of before.
func (r *Reader) Next() (entry []byte, err error) {
	for {
		if entry, err = r.next(); err != nil {
			return entry, err
		}
		if r.form.Trim {
			if r.Line == 1 {
				entry = bytes.TrimPrefix(entry, []byte(Mark))
			}
			entry = bytes.TrimSpace(entry)
		}
		if !r.form.Comments || len(entry) == 0 || entry[0] != '#' {
			return entry, nil
		}
	}
}

func (r *Reader) next() (entry []byte, err error) {
	for looked := 0; ; {
		n := r.end(looked)
		full := len(r.rest) == len(r.buffer)
		if n < 0 && !full && r.err == nil {
			looked = len(r.rest)
			r.fill()
			continue
		}
		if n < 0 && len(r.rest) == 0 && r.err == io.EOF {
			return nil, io.EOF
		}
		if r.Line++; r.Line == 1 {
			if err := r.format(); err != nil {
				return nil, err
			}
		}
		switch {
		case n >= 0:
			r.returned = r.rest[n] == '\r'
			entry, r.rest = r.rest[:n], r.rest[n+1:]
			return entry, nil
		case full:
			most := len(r.buffer) - 1
			return r.rest, &Error{fmt.Sprintf("a line of more than %d bytes", most),
				"one of at most that"}
		case r.err == io.EOF:
			entry, r.rest = r.rest, nil
			return entry, nil
		}
		return nil, r.err
	}
}

// format returns an error if the list begins like a file of another program.
func (r *Reader) format() error {
	for _, format := range formats {
		if bytes.HasPrefix(r.rest, []byte(format.start)) {
			return &Error{format.name + " data", "lines, as from " + format.reader}
		}
	}
	return nil
}

// end returns where the next entry ends, of which the first bytes were looked at; -1 if that is not
// in the buffer.
func (r *Reader) end(looked int) int {
	if r.form.Null {
		return index(r.rest, looked, 0)
	}
	if r.returned && len(r.rest) > 0 { // the line feed belongs to it
		r.rest, r.returned = bytes.TrimPrefix(r.rest, []byte("\n")), false
	}
	n := index(r.rest, looked, '\n')
	if !r.form.Trim {
		return n
	}
	line := r.rest
	if n >= 0 {
		line = line[:n]
	}
	if m := index(line, looked, '\r'); m >= 0 {
		return m
	}
	return n
}

// index returns the index of a byte in text from start on; -1 if there is none.
func index(text []byte, start int, b byte) int {
	if n := bytes.IndexByte(text[start:], b); n >= 0 {
		return start + n
	}
	return -1
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
