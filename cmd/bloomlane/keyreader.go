package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
)

// maxKeyBytes is the longest key that a line may hold. It bounds the memory that a file without
// line ends can take.
const maxKeyBytes = 1 << 20

// LineError says that a line of an input is no key.
type LineError struct {
	File string // "standard input" for that
	Line int    // from 1
}

func (e *LineError) Error() string {
	return fmt.Sprintf("%s:%d: found a line of more than %d bytes, expected a key of at most that", e.File, e.Line, maxKeyBytes)
}

// keyReader reads keys, a line each, from one file after another. A key is the bytes of its line
// without the line feed: a carriage return before it is part of the key, and an empty line is none.
type keyReader struct {
	names []string // of the files still to read; "-" is standard input
	stdin io.Reader

	reader *bufio.Reader // of the current file, nil before the first
	file   *os.File      // the current file, nil for standard input
	name   string
	line   int
	read   int64 // bytes, of all files
}

// newKeyReader returns a reader of the keys in the files of these names; of standard input where
// there are none.
func newKeyReader(names []string, stdin io.Reader) *keyReader {
	if len(names) == 0 {
		names = []string{"-"}
	}
	return &keyReader{names: names, stdin: stdin}
}

// next returns the next key, which is good until the next call, or io.EOF after the last.
func (r *keyReader) next() ([]byte, error) {
	for {
		if r.name == "" {
			if err := r.open(); err != nil {
				return nil, err
			}
		}
		text, err := r.reader.ReadSlice('\n')
		r.read += int64(len(text))
		r.line++
		if n := len(text); n > 0 && text[n-1] == '\n' {
			text = text[:n-1]
		} else if n > maxKeyBytes {
			return nil, &LineError{r.name, r.line}
		}
		switch {
		case err == io.EOF:
			if err := r.close(); err != nil {
				return nil, err
			}
		case err != nil:
			return nil, fmt.Errorf("%s:%d: %w", r.name, r.line, err)
		}
		if len(text) > 0 {
			return text, nil
		}
	}
}

// open opens the next file.
func (r *keyReader) open() error {
	if len(r.names) == 0 {
		return io.EOF
	}
	name := r.names[0]
	var source io.Reader = r.stdin
	if name == "-" {
		name = "standard input"
	} else {
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		r.file, source = file, file
	}
	r.names, r.name, r.line = r.names[1:], name, 0
	if r.reader == nil {
		r.reader = bufio.NewReaderSize(source, maxKeyBytes+1) // and the line feed
	} else {
		r.reader.Reset(source)
	}
	return nil
}

// close closes the current file, also after an error. The text that next got last stays good.
func (r *keyReader) close() error {
	file := r.file
	r.file, r.name = nil, ""
	if file == nil {
		return nil
	}
	return file.Close()
}

// waiting reports whether the next key may have to be waited for, because what came in is used up.
func (r *keyReader) waiting() bool { return r.name == "" || r.reader.Buffered() == 0 }

// all reads all the keys into memory.
func (r *keyReader) all() ([][]byte, error) {
	var keys [][]byte
	for {
		key, err := r.next()
		if errors.Is(err, io.EOF) {
			return keys, nil
		}
		if err != nil {
			return nil, errors.Join(err, r.close())
		}
		keys = append(keys, append([]byte(nil), key...))
	}
}
