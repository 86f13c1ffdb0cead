package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/quantity"
	"github.com/bloomlane/bloomlane/filter"
)

// asker is what commands on keys have in common: a filter, and keys that are arguments or lines.
type asker struct {
	filter string
	key    string
	keys   []string // files
}

func (a *asker) register(cmd *cobra.Command) {
	cmd.Args = cobra.MinimumNArgs(1)
	cmd.Flags().StringVar(&a.key, "key", "", keyFlagUsage)
	cmd.Flags().StringArrayVar(&a.keys, "keys", nil, `file of keys, a line each; "-" is standard input`)
}

// parse takes the arguments, and refuses keys in two places, and two inputs from standard input.
func (a *asker) parse(args []string) (keys [][]byte, err error) {
	a.filter = args[0]
	if n := len(args) - 1; n > 0 && len(a.keys) > 0 {
		return nil, fmt.Errorf("found %s and --keys, expected one of the two", quantity.Of(n, "key argument"))
	}
	inputs := []input{{"the filter", a.filter}, {"the hash key (--key)", a.key}}
	for _, key := range args[1:] {
		keys = append(keys, []byte(key))
	}
	if len(keys) == 0 {
		inputs = append(inputs, keyInputs(a.keys)...)
	}
	return keys, onlyOnce(inputs...)
}

// keyInputs returns the files of keys: standard input, where there are none.
func keyInputs(files []string) (inputs []input) {
	const what = "the keys"
	for _, name := range files {
		inputs = append(inputs, input{what, name})
	}
	if len(files) == 0 {
		inputs = append(inputs, input{what, standard})
	}
	return inputs
}

func replacesFileError(command string) error {
	return fmt.Errorf("%s replaces the filter's file, expected a file and not standard input", command)
}

// change takes the arguments of a command that changes the filter's file, and reads all keys: an input that
// is bad at its end changes nothing.
func (a *asker) change(cmd *cobra.Command, args []string) (keys [][]byte, err error) {
	if keys, err = a.parse(args); err != nil {
		return nil, err
	}
	if a.filter == standard {
		return nil, replacesFileError(cmd.Name())
	}
	if len(keys) > 0 {
		return keys, nil
	}
	return newKeyReader(cmd, a.keys).all()
}

func newQueryCommand() *cobra.Command {
	var a asker
	cmd := &cobra.Command{
		Use:   "query FILE [KEY...]",
		Short: "Ask which keys are present in a filter",
		Long: `Ask which keys are present in a filter: the keys that are arguments, or else the lines
of --keys, or else those of standard input. Prints "present" or "absent", a tab and the
key, a line each. A key that is absent is no member; one that is present is a member, or
a false positive. Exits 1 if any key is absent. FILE "-" is a filter on standard input.

With --json, a key that is not valid UTF-8 is given as "key_hex".`,
		Example: `  bloomlane query keys.blm apple pear
  bloomlane query keys.blm --keys more.txt --json`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.query(cmd, args) },
	}
	a.register(cmd)
	return cmd
}

// querySummary is what query prints after its answers, with --json.
type querySummary struct {
	File    string `json:"file"`
	Present int    `json:"present"`
	Absent  int    `json:"absent"`
	Error   string `json:"error,omitempty"` // what ended the input before its end
}

func (a *asker) query(cmd *cobra.Command, args []string) error {
	keys, err := a.parse(args)
	if err != nil {
		return err
	}
	f, err := openFilter(cmd, a.filter, keyFile(a.key, a.filter))
	if err != nil {
		return err
	}
	defer f.Close()
	summary := querySummary{File: a.filter}
	out := newAnswers(cmd)
	if len(keys) > 0 {
		summary.query(f, keys, out)
	} else {
		reader := newKeyReader(cmd, a.keys)
		defer reader.close()
		err = summary.queryLines(f, reader, out)
	}
	if err != nil {
		summary.Error = err.Error()
	}
	// The answers so far are right, also where the input ended in an error.
	if err := errors.Join(err, out.finish(summary)); err != nil {
		return err
	}
	return absentError(summary.Absent, summary.Present+summary.Absent)
}

// absentError returns the error of a command whose answer is no because of absent keys; nil for none.
func absentError(absent, of int) error {
	if absent == 0 {
		return nil
	}
	return fmt.Errorf("%d of %s %s absent: %w", absent, quantity.Of(of, "key"), english.PluralWord(absent, "is", "are"), errAnswerNo)
}

// query queries a batch of keys and writes the answers.
func (s *querySummary) query(f filter.Stored, keys [][]byte, out *answers) {
	hashes, hits := make([]uint64, len(keys)), make([]uint64, filter.Words(len(keys)))
	k := f.Key()
	for i, key := range keys {
		hashes[i] = k.Hash(key)
	}
	present := f.QueryHashBatch(hashes, hits)
	s.Present += present
	s.Absent += len(keys) - present
	for i, key := range keys {
		if filter.At(hits, i) {
			out.add(key, "present")
		} else {
			out.add(key, "absent")
		}
	}
}

// queryLines queries the keys of reader, in batches that end where the next key is not there yet: so
// a program that writes a key into a pipe and waits for its answer gets it.
func (s *querySummary) queryLines(f filter.Stored, reader *keyReader, out *answers) error {
	const batchKeys, batchBytes = 4096, 1 << 20
	var keys [][]byte
	var memory []byte
	for {
		key, err := reader.next()
		if err == nil {
			start := len(memory)
			memory = append(memory, key...)
			keys = append(keys, memory[start:])
		}
		if waiting := reader.waiting(); err != nil || waiting || len(keys) == batchKeys || len(memory) >= batchBytes {
			s.query(f, keys, out)
			keys, memory = keys[:0], memory[:0]
			if waiting {
				err = errors.Join(err, out.flush())
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
