package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/filter/deletable"
)

// asker is what query and delete have in common: a filter, and keys that are arguments or lines.
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

// parse takes the arguments, and refuses keys in two places.
func (a *asker) parse(args []string) (keys []string, err error) {
	a.filter, keys = args[0], args[1:]
	if len(keys) > 0 && len(a.keys) > 0 {
		return nil, fmt.Errorf("found %d keys as arguments and --keys, expected one of the two", len(keys))
	}
	return keys, nil
}

func newQueryCommand() *cobra.Command {
	var a asker
	cmd := &cobra.Command{
		Use:   "query FILE [KEY...]",
		Short: "Ask which keys are present in a filter",
		Long: `Ask which keys are present in a filter: the keys that are arguments, or else the lines
of --keys, or else those of standard input. Prints "present" or "absent", a tab and the
key, a line each. A key that is absent is no member; one that is present is a member, or
a false positive. Exits 1 if any key is absent.

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
	f, err := openFilter(a.filter, keyFile(a.key, a.filter))
	if err != nil {
		return err
	}
	defer f.Close()
	summary := querySummary{File: a.filter}
	out := newAnswers(cmd)
	if len(keys) > 0 {
		batch := make([][]byte, len(keys))
		for i, key := range keys {
			batch[i] = []byte(key)
		}
		summary.query(f, batch, out)
	} else {
		reader := newKeyReader(a.keys, cmd.InOrStdin())
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
	if summary.Absent > 0 {
		return fmt.Errorf("%d of %d keys are absent: %w", summary.Absent, summary.Present+summary.Absent, errAnswerNo)
	}
	return nil
}

// query queries a batch of keys and writes the answers.
func (s *querySummary) query(f *deletable.Filter, keys [][]byte, out *answers) {
	hits := make([]uint64, (len(keys)+63)/64)
	present := f.QueryBatch(keys, hits)
	s.Present += present
	s.Absent += len(keys) - present
	for i, key := range keys {
		if hits[i/64]>>(i%64)&1 != 0 {
			out.add(key, "present")
		} else {
			out.add(key, "absent")
		}
	}
}

// queryLines queries the keys of reader, in batches that end where the next key is not there yet: so
// a program that writes a key into a pipe and waits for its answer gets it.
func (s *querySummary) queryLines(f *deletable.Filter, reader *keyReader, out *answers) error {
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
