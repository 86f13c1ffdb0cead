package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"
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
	cmd   *cobra.Command
	names []string // of the files still to read; "-" is standard input
	found [len(suspicions)]bool

	reader *bufio.Reader // of the current file, nil before the first
	file   io.ReadCloser // the current file, or nil
	name   string
	line   int
	read   int64 // bytes, of all files
}

// newKeyReader returns a reader of the keys in the files of these names; of standard input where
// there are none. It warns of what is probably not meant, once for all files.
func newKeyReader(cmd *cobra.Command, names []string) *keyReader {
	if len(names) == 0 {
		names = []string{standard}
	}
	return &keyReader{cmd: cmd, names: names}
}

// suspicions are signs that the keys of a file are not what its owner takes them for.
var suspicions = [...]struct {
	what  string
	shown func(line int, text []byte) bool
}{
	{"a line that ends in CR LF: the carriage return is part of the key", func(_ int, text []byte) bool {
		return bytes.HasSuffix(text, []byte("\r\n"))
	}},
	{"a UTF-8 byte order mark: it is part of the first key", startsWith("\xef\xbb\xbf")},
	{"a UTF-16 byte order mark: keys are the bytes of lines, expected UTF-8", startsWith("\xff\xfe", "\xfe\xff")},
	{"gzip data: keys are the bytes of lines, so decompress it first (gzip -dc)", startsWith("\x1f\x8b\x08")},
	{"zstd data: keys are the bytes of lines, so decompress it first (zstd -dc)", startsWith("\x28\xb5\x2f\xfd")},
}

// startsWith returns what finds one of the starts of a file.
func startsWith(starts ...string) func(line int, text []byte) bool {
	return func(line int, text []byte) bool {
		shown := func(start string) bool { return bytes.HasPrefix(text, []byte(start)) }
		return line == 1 && slices.ContainsFunc(starts, shown)
	}
}

// suspect warns of a line. It looks at lines as they come: to look ahead would wait for keys that are not
// there yet.
func (r *keyReader) suspect(text []byte) {
	for i := range suspicions {
		if !r.found[i] && suspicions[i].shown(r.line, text) {
			r.found[i] = true
			warn(r.cmd, fmt.Sprintf("%s:%d: found %s", r.name, r.line, suspicions[i].what))
		}
	}
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
		r.suspect(text)
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
	r.file = io.NopCloser(r.cmd.InOrStdin())
	if name != standard {
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		r.file = file
	}
	r.names, r.name, r.line = r.names[1:], pathName(name), 0
	if r.reader == nil {
		r.reader = bufio.NewReaderSize(r.file, maxKeyBytes+1) // and the line feed
	} else {
		r.reader.Reset(r.file)
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

// each reads the keys to the end, each of which is good until do returns.
func (r *keyReader) each(do func(key []byte)) error {
	for {
		key, err := r.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return errors.Join(err, r.close())
		}
		do(key)
	}
}
