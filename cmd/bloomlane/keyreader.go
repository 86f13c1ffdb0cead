package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/internal/lists"
	"github.com/bloomlane/bloomlane/report/command"
)

// maxKeyBytes is the longest key that a line may hold. It bounds the memory that a file without
// line ends can take.
const maxKeyBytes = 1 << 20

// FormatError says that an input is a file of another program, and no lines of keys.
type FormatError struct {
	File   string // "standard input" for that
	Format string
	Reader string // the command that prints what is in the file
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("%s: found %s data, expected lines of keys, as from %s", e.File, e.Format,
		e.Reader)
}

// formats are the beginnings of files whose lines would be keys that nobody means. The lines of a
// file that begins so by accident can follow an empty line.
var formats = []struct{ name, start, reader string }{
	{"gzip", "\x1f\x8b\x08", "gzip -dc"},
	{"zstd", "\x28\xb5\x2f\xfd", "zstd -dc"},
	{"xz", "\xfd7zXZ\x00", "xz -dc"},
	{"bzip2", "BZh91AY&SY", "bzip2 -dc"},
	{"lz4", "\x04\x22\x4d\x18", "lz4 -dc"},
	{"zip", "PK\x03\x04", "unzip -p"},
	{"Parquet", "PAR1\x15", "bloomlane import parquet"}, // and the kind of the first page
	{"filter", "\x89BLM\r", "a list of its members"},
}

// checkFormat returns a [FormatError] if the first line of a file begins like a file of another
// program. It looks at no more than that line, because the next key may not be there yet.
func checkFormat(name string, first []byte) error {
	for _, format := range formats {
		if bytes.HasPrefix(first, []byte(format.start)) {
			return &FormatError{name, format.name, format.reader}
		}
	}
	return nil
}

// keyReader reads keys, a line each, from one file after another. A key is the bytes of its line
// without the line feed: a carriage return before it is part of the key, and an empty line is none.
type keyReader struct {
	cmd   *cobra.Command
	files []string // standard input, where there are none
	open  func(cmd *cobra.Command, path string) (io.ReadCloser, error)

	warned [len(suspicions)]bool
}

// keyFiles returns the files of keys: standard input, where none is named.
func keyFiles(names []string) []string {
	if len(names) == 0 {
		return []string{command.Standard}
	}
	return names
}

// batches reads the keys to the end, or until do returns an error, some at a time. A batch ends
// where the next key is not there yet, so that a program which waits for the answer to one gets it.
// The keys are good until do returns.
func (r *keyReader) batches(do func(keys [][]byte) error) error {
	const most = 4096
	list, keys := lists.New(maxKeyBytes), make([][]byte, 0, most)
	var failed error
	give := func() error {
		if failed == nil {
			failed = do(keys)
		}
		keys = keys[:0]
		return failed
	}
	for _, name := range keyFiles(r.files) {
		err := r.each(name, list, give, func(key []byte) error {
			if keys = append(keys, key); len(keys) == most {
				return give()
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// each reads the keys of a file, which are good until give returns.
func (r *keyReader) each(
	name string,
	list *lists.Reader,
	give func() error,
	do func(key []byte) error,
) error {
	file, err := r.open(r.cmd, name)
	if err != nil {
		return err
	}
	defer file.Close()
	list.Reset(file, give)
	name = command.PathName(name)
	for {
		key, err := list.Next()
		if list.Line == 1 {
			if err := checkFormat(name, key); err != nil {
				return err
			}
		}
		r.suspect(name, list.Line, key)
		switch {
		case err != nil:
			if failed := give(); failed != nil || err == io.EOF {
				return failed
			}
			return fmt.Errorf("%s:%d: %w", name, list.Line, err)
		case len(key) > 0:
			if err := do(key); err != nil {
				return err
			}
		}
	}
}

// suspicions are signs that the keys of a file are not the ones that its owner means.
var suspicions = [...]struct {
	what  string
	shown func(line int, text []byte) bool
}{
	{"a line that ends in CR LF: the carriage return is part of the key",
		func(_ int, text []byte) bool {
			return bytes.HasSuffix(text, []byte("\r"))
		}},
	{"a UTF-8 byte order mark: it is part of the first key", startsWith("\xef\xbb\xbf")},
	{"a UTF-16 byte order mark: keys are the bytes of lines, expected UTF-8",
		startsWith("\xff\xfe", "\xfe\xff")},
}

// startsWith returns what finds one of the starts of a file.
func startsWith(starts ...string) func(line int, text []byte) bool {
	return func(line int, text []byte) bool {
		shown := func(start string) bool { return bytes.HasPrefix(text, []byte(start)) }
		return line == 1 && slices.ContainsFunc(starts, shown)
	}
}

// suspect warns of a line, once for all files. It looks at lines as they come: to look ahead would
// wait for keys that are not there yet.
func (r *keyReader) suspect(name string, line int, text []byte) {
	for i, suspicion := range suspicions {
		if !r.warned[i] && suspicion.shown(line, text) {
			r.warned[i] = true
			command.Warn(r.cmd, "%s:%d: found %s", name, line, suspicion.what)
		}
	}
}
