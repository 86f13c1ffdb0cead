package main

import (
	"bytes"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/internal/lists"
	"github.com/bloomlane/bloomlane/report/command"
)

// maxKeyBytes is the longest key that a line may hold. It bounds the memory that a file without
// line ends can take.
const maxKeyBytes = 1 << 20

// listHelp says what a key in a list is.
const listHelp = `A key of a list
is the bytes of a line without its line feed. Empty lines are skipped. Warnings say where --null,
--trim or --comments may be missing.`

// listFlags adds the flags of commands that read keys from lists.
func listFlags(cmd *cobra.Command, form *lists.Form) {
	flags := cmd.Flags()
	flags.BoolVar(&form.Null, "null", false, "keys end in a NUL byte, as of find -print0")
	flags.BoolVar(&form.Comments, "comments", false, "leave out lines that begin with #")
	flags.BoolVar(&form.Trim, "trim", false,
		"leave out white space around keys, CR and a byte order mark")
}

// keyLists adds --keys, and the flags of its lists.
func keyLists(cmd *cobra.Command, files *[]string, form *lists.Form) {
	cmd.Flags().StringArrayVar(files, "keys", nil, `list of keys; "-" is standard input`)
	listFlags(cmd, form)
}

// keyReader reads keys from one list after another. An empty entry is no key.
type keyReader struct {
	cmd   *cobra.Command
	files []string // standard input, where there are none
	form  lists.Form
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
	list, keys := lists.New(maxKeyBytes, r.form), make([][]byte, 0, most)
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

// suspicions are signs that the keys of a list are not the ones that its owner means.
var suspicions = [...]struct {
	what  string
	shown func(line int, key []byte) bool
}{
	{"a NUL byte: it is part of the key (--null: keys end in NUL)",
		func(_ int, key []byte) bool { return bytes.IndexByte(key, 0) >= 0 }},
	{"a line feed: it is part of the key (without --null it ends one)",
		func(_ int, key []byte) bool { return bytes.IndexByte(key, '\n') >= 0 }},
	{"a carriage return: it is part of the key (--trim: it ends one)",
		func(_ int, key []byte) bool { return bytes.IndexByte(key, '\r') >= 0 }},
	{"a UTF-8 byte order mark: it is part of the key (--trim leaves it out)",
		func(line int, key []byte) bool {
			return line == 1 && bytes.HasPrefix(key, []byte(lists.Mark))
		}},
	{"a blank before or behind a key: it is part of it (--trim leaves it out)",
		func(_ int, key []byte) bool { return blank(key[0]) || blank(key[len(key)-1]) }},
	{"a line that begins with #: it is a key (--comments leaves it out)",
		func(_ int, key []byte) bool { return key[0] == '#' }},
}

func blank(b byte) bool { return b == ' ' || b == '\t' }

// suspect warns of a key, once for all lists. It looks at keys as they come: to look ahead would
// wait for those that are not there yet.
func (r *keyReader) suspect(name string, line int, key []byte) {
	for i := range suspicions {
		if !r.warned[i] && len(key) > 0 && suspicions[i].shown(line, key) {
			r.warned[i] = true
			command.Warn(r.cmd, "%s:%d: found %s", name, line, suspicions[i].what)
		}
	}
}
