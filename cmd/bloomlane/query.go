package main

import (
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/internal/legible"
	"github.com/bloomlane/bloomlane/internal/lists"
	"github.com/bloomlane/bloomlane/report/command"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// asker is what commands on keys have in common: a filter, and keys that are arguments or lines.
type asker struct {
	filter string
	key    string
	files  []string   // of keys
	form   lists.Form // of these
	keys   [][]byte   // that are arguments
	locking
	counts bool // query says how often a key is a member
	show   shown

	hashes, found []uint64 // of a batch of queries
}

func (a *asker) register(cmd *cobra.Command) {
	cmd.Args = cobra.MinimumNArgs(1)
	cmd.Flags().StringVar(&a.key, "key", "", keyFlagUsage)
	keyLists(cmd, &a.files, &a.form)
}

// keysHelp says where the keys of a command come from.
const keysHelp = `The keys are the KEY arguments, or else those of the lists --keys, or else of standard input. A KEY
"-" that is the only one is standard input too. ` + listHelp

// fileHelp says what commands that change a filter do with a key that may be meant as a file.
const fileHelp = `A KEY that names a file is refused, because its lines may be meant: --keys FILE has these, and "--"
before a KEY makes it the key of that name.`

// parse takes the arguments, and refuses keys in two places, two inputs from standard input, a
// filter there that a command replaces, and one that is also the keys.
func (a *asker) parse(cmd *cobra.Command, args []string, replaces bool) error {
	a.filter = args[0]
	if err := a.show.check(); err != nil {
		return err
	}
	if n := len(args) - 1; n > 0 && len(a.files) > 0 {
		return fmt.Errorf("found %s and --keys, expected one of the two",
			quantity.Of(n, "key argument"))
	}
	if name := namedFile(cmd, args); name != "" && replaces {
		const text = "found the file %s as a key argument, expected --keys %[1]s, to read it, or " +
			"-- %[1]s, for a key of that name"
		return fmt.Errorf(text, name)
	} else if name != "" { // it changes nothing, and each answer has its key
		command.Note(cmd, "%s is asked as a key, and is a file too: --keys %[1]s reads it", name)
	}
	inputs := []command.Input{command.NewInput("the filter", a.filter),
		command.NewInput("the hash key (--key)", a.key)}
	var err error
	if a.keys, err = keyArguments(args[1:]); err != nil {
		return err
	}
	if len(a.keys) == 0 {
		inputs = append(inputs, keyInputs(a.files)...)
	}
	if err := command.OnlyOnce(inputs...); err != nil {
		return err
	}
	if replaces && a.filter == command.Standard {
		return fmt.Errorf("%s replaces the filter's file, expected a file and not standard input",
			cmd.Name())
	}
	for _, name := range a.files {
		if replaces && command.SameTarget(name, a.filter) { // whose bytes would be taken for keys
			return fmt.Errorf("%s is both the filter and the keys, expected two files", a.filter)
		}
	}
	return notAlsoKeys(keyFile(a.key, a.filter), a.files)
}

// namedFile returns the first key argument that names a file, and does not stand after "--"; "" if
// there is none. Standard input is no such file, and neither is a folder.
func namedFile(cmd *cobra.Command, args []string) string {
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		args = args[:max(dash, 1)]
	}
	for _, name := range args[1:] {
		if info, err := os.Stat(name); name != command.Standard && err == nil && !info.IsDir() {
			return name
		}
	}
	return ""
}

// notAlsoKeys returns an error if the file of the hash key is also one of keys, which would make a
// member of the secret and print it.
func notAlsoKeys(keyPath string, files []string) error {
	for _, name := range files {
		if name != command.Standard && command.SameTarget(name, keyPath) {
			return fmt.Errorf("%s is both the hash key and the keys, expected two files", name)
		}
	}
	return nil
}

// keyArguments returns the keys that are arguments: none, where the only one is standard input.
func keyArguments(args []string) (keys [][]byte, err error) {
	if slices.Equal(args, []string{command.Standard}) {
		return nil, nil
	}
	for _, key := range args {
		if key == command.Standard {
			const text = "found the key argument %s among others, " +
				"expected it alone, as standard input: a key %[1]s comes from --keys FILE"
			return nil, fmt.Errorf(text, command.Standard)
		}
		keys = append(keys, []byte(key))
	}
	return keys, nil
}

// keyInputs returns the files of keys: standard input, where there are none.
func keyInputs(files []string) (inputs []command.Input) {
	for _, name := range keyFiles(files) {
		inputs = append(inputs, command.NewInput("the keys", name))
	}
	return inputs
}

// read returns all keys.
func (a *asker) read(cmd *cobra.Command) (keys [][]byte, err error) {
	if len(a.keys) > 0 {
		return a.keys, nil
	}
	var memory []byte // one for many keys
	reader := keyReader{cmd: cmd, files: a.files, form: a.form, open: command.OpenFile}
	err = reader.batches(func(batch [][]byte) error {
		for _, key := range batch {
			if len(key) > cap(memory)-len(memory) {
				memory = make([]byte, 0, max(len(key), maxKeyBytes))
			}
			start := len(memory)
			memory = append(memory, key...)
			keys = append(keys, memory[start:])
		}
		return nil
	})
	return keys, err
}

// lockAndOpen locks the filter's file and opens the filter.
func (a *asker) lockAndOpen(cmd *cobra.Command) (lock *fileLock, f *opened, err error) {
	if lock, err = lockFile(a.filter, a.locking); err != nil {
		return nil, nil, err
	}
	defer func() {
		if f == nil { // also where it is too large for the memory
			lock.release()
		}
	}()
	f, err = openFilter(cmd, a.filter, lock.target, a.key, false)
	return lock, f, err
}

func newQueryCommand() *cobra.Command {
	var a asker
	cmd := &cobra.Command{
		Use:   "query FILE [KEY...]",
		Short: "Say which keys are present in a filter",
		Long: `Say for each key whether it is present in a filter.

` + keysHelp + `
For each key a line has "present" or "absent", a tab and the key. A key that is absent is no member.
A key that is present is a member or a false positive. A note says of a KEY that it names a file.
FILE "-" is a filter on standard input.

` + shownHelp + `

With --counts each line has how often the key is a member. That is an estimate, and 0 means absent.
Bitwise filters and the spectral ones count; others cannot.

With --json a key that is not valid UTF-8 is given in hexadecimal digits, as "key_hex".

Exit codes: 0 all keys are present, or with --only, at least one key has this answer; 1 at least one
key is absent, or with --only, none has this answer; 2 bad input or usage.`,
		Example: `  bloomlane query keys.blm apple pear
  bloomlane query keys.blm --keys more.txt --count
  bloomlane query visits.blm --counts apple
  bloomlane query keys.blm --keys more.txt --json`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.query(cmd, args) },
	}
	a.register(cmd)
	a.show.register(cmd, present, absent)
	cmd.Flags().BoolVar(&a.counts, "counts", false, "print how often each key is a member")
	cmd.MarkFlagsMutuallyExclusive("count", "counts")
	return cmd
}

func (a *asker) query(cmd *cobra.Command, args []string) error {
	if err := a.parse(cmd, args, false); err != nil {
		return err
	}
	f, err := openFilter(cmd, a.filter, a.filter, a.key, len(a.keys) == 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, counts := f.Stored.(filter.Counter); a.counts && !counts {
		return &cannotError{f.path, f.kind.Name, "count"}
	}
	out := newAnswers(cmd, &a.show)
	if len(a.keys) > 0 {
		a.ask(f.Stored, a.keys, out)
	} else {
		reader := keyReader{cmd: cmd, files: a.files, form: a.form, open: command.OpenFile}
		err = reader.batches(func(keys [][]byte) error {
			a.ask(f.Stored, keys, out)
			return out.w.Flush()
		})
	}
	fields := map[string]any{"file": command.Path(a.filter)}
	if err != nil {
		fields["error"] = legible.Escape(err.Error())
	}
	// The answers so far are right, also where the input ended in an error.
	if failed := out.finish(fields); err == nil {
		err = failed
	}
	if err != nil {
		return err
	}
	return out.selected()
}

// ask queries a batch of keys and writes the answers.
func (a *asker) ask(f filter.Stored, keys [][]byte, out *answers) {
	a.hashes = slices.Grow(a.hashes[:0], len(keys))[:len(keys)]
	a.found = slices.Grow(a.found[:0], len(keys))[:len(keys)]
	f.Key().HashBatch(keys, a.hashes)
	if a.counts {
		f.(filter.Counter).CountHashBatch(a.hashes, a.found)
		for i, count := range a.found {
			out.count(keys[i], count)
		}
		return
	}
	f.QueryHashBatch(a.hashes, a.found[:filter.Words(len(keys))])
	for i, key := range keys {
		out.add(key, presentOr(absent, a.found, i))
	}
}
