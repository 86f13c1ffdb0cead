package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/quantity"
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/internal/atomicfile"
)

// builder is the build command.
type builder struct {
	sizingFlags
	outputFlags
	kind string
}

func newBuildCommand() *cobra.Command {
	var b builder
	cmd := &cobra.Command{
		Use:   "build [FILE...] -o OUT",
		Short: "Build a filter of the keys in files, one key per line",
		Long: `Build a filter of the keys in files, one key per line. "-" or no file is standard input.

A key is the bytes of a line without its line feed. A carriage return before the line feed is part
of the key. Empty lines are skipped. A repeated key is inserted once, unless the kind counts. CRLF
line ends, a byte order mark and compressed data give one warning.

The kinds, and what they promise ("bloomlane kinds" lists what commands they take):

` + kindsHelp() + `
The size is --bits-per-key times --members, or the smallest that keeps --rate with these members.
With --turnovers the filter keeps --rate until all members have been replaced that many times; of a
deletable filter "bloomlane info" says when a rebuild is due. --lifetime says how long members stay.
--reinserts is for an owner who refreshes blocks instead of rebuilding the filter. Both flags are
for deletable filters only, and "bloomlane help plan" explains them. After --lifetime @FILE the
filter's file says oldest.

The key file holds the secret key of the hash. If it does not exist, it is created with a random
key. Keep it with the filter: without it no key can be queried. If there are no keys, the filter
has no members.

Filters merge if they have one kind, one hash key and one size. So build each with the same --key,
the same --bits-per-key or --rate, and --members of all of them together.

A file that is no filter is replaced with --force only. If OUT is "-", the filter goes to standard
output and the result to standard error, and --key is required.

` + replaceHelp("OUT") + ` The lock is taken before the keys are
read. A key file that does not exist is locked in the same way, and is written before the filter.

` + exitHelp,
		Example: `  bloomlane build keys.txt -o keys.blm
  zcat *.gz | bloomlane build -o keys.blm --rate 0.001 --members 2000000
  bloomlane build keys.txt -o keys.blm --rate 0.01 --turnovers 3 --lifetime random`,
		RunE: func(cmd *cobra.Command, files []string) error { return b.run(cmd, files) },
	}
	b.register(cmd)
	return cmd
}

func (b *builder) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&b.kind, "kind", deletable.Kind.Name,
		"kind of the filter: "+kindNames(builds))
	b.sizingFlags.register(cmd)
	b.outputFlags.register(cmd, keyFlagUsage)
}

func (b *builder) run(cmd *cobra.Command, files []string) error {
	kind, err := b.check(cmd, files)
	if err != nil {
		return err
	}
	return b.build(cmd, kind, func(k key.Key) ([]uint64, error) { return hashKeys(cmd, k, files) })
}

// build builds a filter of the hashes of keys.
func (b *builder) build(cmd *cobra.Command, kind filter.Kind,
	read func(k key.Key) (hashes []uint64, err error)) error {
	catchBrokenPipe()
	out, err := b.open(cmd)
	if err != nil {
		return err
	}
	defer out.release()
	keyPath := keyFile(b.key, b.out)
	k, keyLock, err := readOrNewKey(cmd, keyPath, b.wait)
	if err != nil {
		return err
	}
	defer keyLock.release()
	b.noteOtherKey(cmd, k)

	hashes, err := read(k)
	if err != nil {
		return err
	}
	keys := len(hashes)
	hashes, times := once(kind, hashes)
	sizing := b.sizing(len(hashes), k)
	f, err := kind.New(sizing)
	if err != nil {
		return err
	}
	defer f.Close()
	if n, err := insert(cmd, f.(filter.Set), hashes, times); err != nil {
		const text = "a filter of kind %s for %d members has room for %d of %s, expected more " +
			"--members or --bits-per-key: %w"
		return fmt.Errorf(text, kind.Name, sizing.Members, n, quantity.Of(len(hashes), "key"), err)
	}
	result := describe(f)
	if result.Planned == 0 { // the kind does not say more than it was asked for
		result.Planned, result.PlannedRate, result.Turnovers = sizing.Members, sizing.Rate,
			sizing.Turnovers
	}
	result.how, result.File, result.Kind, result.KeyFile = "build", b.out, kind.Name, keyPath
	result.Keys, result.Duplicates = keys, keys-len(hashes)
	return out.make(f, keyPath, result)
}

// noteOtherKey says that --key is not the key that other commands will look for.
func (b *builder) noteOtherKey(cmd *cobra.Command, k key.Key) {
	if b.out == standard {
		return
	}
	beside := keyFile("", b.out)
	if other, err := readKeyFile(beside); err == nil && !other.Equal(k) {
		note(cmd, "%s is another key than that of %s: commands need --key %s with this filter",
			beside, b.key, b.key)
	}
}

// check finds what is wrong with the command line, before any input is read.
func (b *builder) check(cmd *cobra.Command, files []string) (filter.Kind, error) {
	kind, found := kindNamed(b.kind)
	switch {
	case !found:
		return kind, fmt.Errorf("--kind is %s, expected one of %s", b.kind, kindNames(builds))
	case !builds(kind):
		return kind, fmt.Errorf("--kind is %s, which is not built from keys, expected one of %s",
			b.kind, kindNames(builds))
	}
	if s := b.reinserts; s != 0 && kind.Name != deletable.Kind.Name {
		return kind, fmt.Errorf("--reinserts is %g, expected 0: filters of kind %s have no "+
			"blocks to refresh", s, kind.Name)
	}
	err := onlyOnce(append(keyInputs(files), input{"the hash key (--key)", b.key},
		lifetimeInput(b.named))...)
	if err != nil {
		return kind, err
	}
	if err := b.sizingFlags.check(cmd); err != nil {
		return kind, err
	}
	// More members than these can only be harder to plan for.
	if kind.Name == deletable.Kind.Name {
		config := deletable.Config(b.sizing(0, key.Key{}))
		if _, err := config.Blocks(); err != nil {
			return kind, err
		}
	}
	return kind, b.checkFiles(files)
}

// checkFiles finds what is wrong with the files of the command line.
func (b *builder) checkFiles(files []string) error {
	if b.out == standard {
		if b.key == "" {
			return errors.New("--out is standard output, expected --key FILE, where the hash key " +
				"is or is to be")
		}
		return nil
	}
	if sameTarget(keyFile(b.key, b.out), b.out) {
		return fmt.Errorf("--key and --out are both %s, expected two files", b.out)
	}
	return checkOutput("out", b.out, append(slices.Clone(files), lifetimeInput(b.named).path)...)
}

// sameTarget reports whether two paths lead to one file, which need not exist.
func sameTarget(a, b string) bool {
	a, errA := atomicfile.Target(a)
	b, errB := atomicfile.Target(b)
	if errA != nil || errB != nil {
		return false // to be told where it is used
	}
	folderA, errA := os.Stat(filepath.Dir(a))
	folderB, errB := os.Stat(filepath.Dir(b))
	return errA == nil && errB == nil && os.SameFile(folderA, folderB) &&
		filepath.Base(a) == filepath.Base(b)
}

// hashKeys reads the keys and returns their hashes, which are all of them that memory has to hold.
func hashKeys(cmd *cobra.Command, k key.Key, files []string) (hashes []uint64, err error) {
	reader := keyReader{cmd: cmd, files: files, open: openInput}
	err = reader.each(func(text []byte) { hashes = append(hashes, k.Hash(text)) })
	return hashes, err
}

// once returns each of hashes once, and how often it came: a second insert would pin a member of a
// kind that does not count. In order of their hashes they also go through the table from its start
// to its end; of a kind that forgets they stay in the order in which they came last, and nothing
// counts them.
func once(kind filter.Kind, hashes []uint64) (different, times []uint64) {
	if !kind.Promises.Has(filter.Forgets) {
		slices.Sort(hashes)
		different = hashes[:0]
		for _, hash := range hashes {
			last := len(different) - 1
			if last >= 0 && different[last] == hash {
				times[last]++
				continue
			}
			different, times = append(different, hash), append(times, 1)
		}
		return different, times
	}
	seen, first := make(map[uint64]struct{}, len(hashes)), len(hashes)
	for _, hash := range slices.Backward(hashes) {
		if _, found := seen[hash]; !found {
			seen[hash] = struct{}{}
			first--
			hashes[first] = hash
		}
	}
	return hashes[first:], nil
}

// insert inserts hashes, as often as they came if the filter counts, and returns how many are in:
// all of them, unless there is an error.
func insert(cmd *cobra.Command, set filter.Set, hashes, times []uint64) (int, error) {
	bar := startProgress(cmd, "inserting", int64(len(hashes)), "keys")
	defer bar.Done()
	piece := 1 << 20 // keys between two looks at the bar
	if f, ok := set.(interface{ Expires() bool }); ok && f.Expires() {
		piece = max(1, len(hashes)) // of a batch no key goes for another
	}
	for start := 0; start < len(hashes); start += piece {
		n, err, end := 0, error(nil), min(start+piece, len(hashes))
		if counter, ok := set.(filter.Counter); ok {
			n, err = counter.AddHashBatch(hashes[start:end], times[start:end])
		} else {
			n, err = set.InsertHashBatch(hashes[start:end], nil)
		}
		if err != nil {
			return start + n, err
		}
		bar.Set(int64(start))
	}
	return len(hashes), nil
}
