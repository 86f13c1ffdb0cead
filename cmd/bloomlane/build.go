package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
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
	kind  string
	out   string
	key   string
	force bool
	lock  lockOptions
}

func newBuildCommand() *cobra.Command {
	var b builder
	cmd := &cobra.Command{
		Use:   "build [FILE...] -o OUT",
		Short: "Build a filter of the keys in files, a line each",
		Long: `Build a filter of the keys in files, a line each; "-" or no file is standard input.

A key is the bytes of its line without the line feed: a carriage return before it is
part of the key. Empty lines are no keys. A key that comes twice is inserted once. There is a
warning, once, of CRLF line ends, a byte order mark and compressed data.

The kinds, and what they promise:

` + kindsHelp() + `
Where members will come and go, plan for it: with --turnovers the filter is as large as it
takes to keep the --rate until all members have been replaced that many times. Of a deletable
filter info says when that is used up, and --lifetime is for it alone: a lifetime as in the
command plan; the file keeps no @FILE, but oldest.

The key file holds the secret key of the hash. It is created with a random key if it
does not exist. No keys at all are a filter without members.

Filters of a kind that merges do so if they have one key and one size: build each with the same --key file and
size, and with --members of them all together.

Nothing is replaced until the new file is complete and the result is printed: if anything
fails before, also the printing, OUT is as it was, no key file is created, and the exit code
is 2. A new key file comes before the filter, whole or not at all. A file that is no filter is
replaced with --force only. OUT "-" is standard output: the result is printed to stderr, and
--key says where the key is.

` + lockHelp("OUT") + ` The lock is taken before the keys are read. A key file that
does not exist is locked in the same way until it does.`,
		Example: `  bloomlane build keys.txt -o keys.blm
  zcat *.gz | bloomlane build -o keys.blm --rate 0.001 --members 2000000
  bloomlane build keys.txt -o keys.blm --rate 0.01 --turnovers 3 --lifetime random`,
		RunE: func(cmd *cobra.Command, files []string) error { return b.run(cmd, files) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&b.out, "out", "o", "", "file of the filter, replaced if it exists")
	flags.StringVar(&b.kind, "kind", deletable.Kind.Name, "kind of the filter: "+kindNames(builds))
	flags.StringVar(&b.key, "key", "", keyFlagUsage)
	b.sizingFlags.register(cmd)
	addForceFlag(cmd, &b.force)
	b.lock.register(cmd)
	_ = cmd.MarkFlagRequired("out")
	return cmd
}

func addForceFlag(cmd *cobra.Command, force *bool) {
	cmd.Flags().BoolVar(force, "force", false, "replace a file that is no filter, too")
}

// buildResult is what build prints.
type buildResult struct {
	File        string  `json:"file"`
	Kind        string  `json:"kind"`
	KeyFile     string  `json:"key_file"`
	KeyCreated  bool    `json:"key_created"`
	Keys        int     `json:"keys"`       // read
	Duplicates  int     `json:"duplicates"` // among them, dropped
	Members     int     `json:"members"`
	Planned     int     `json:"planned_members"`
	Bytes       int     `json:"bytes"`
	BitsPerKey  float64 `json:"bits_per_planned_member"`
	Rate        float64 `json:"rate"` // of false positives now
	Turnovers   float64 `json:"planned_turnovers"`
	PlannedRate float64 `json:"planned_rate,omitempty"` // after the turnovers; 0: the kind does not say
}

func (b *builder) run(cmd *cobra.Command, files []string) error {
	kind, err := b.check(cmd, files)
	if err != nil {
		return err
	}
	catchBrokenPipe()
	out, err := openOutput(cmd, b.out, b.force, &b.lock)
	if err != nil {
		return err
	}
	defer out.release()
	keyPath := keyFile(b.key, b.out)
	k, keyLock, err := readOrNewKey(cmd, keyPath, b.lock.timeout)
	if err != nil {
		return err
	}
	defer keyLock.release()

	hashes, err := hashKeys(cmd, k, files)
	if err != nil {
		return err
	}
	result := buildResult{File: b.out, Kind: kind.Name, KeyFile: keyPath, Keys: len(hashes)}
	// Every member is inserted once: a second insert would pin it. In order of their hashes they
	// also go through the table from its start to its end.
	slices.Sort(hashes)
	hashes = slices.Compact(hashes)
	result.Duplicates = result.Keys - len(hashes)

	sizing := b.sizing(len(hashes), k)
	f, set, err := newSet(kind, sizing)
	if err != nil {
		return err
	}
	defer f.Close()
	if n, err := insert(cmd, set, hashes); err != nil {
		const text = "a %s filter for %d members has room for %d of %s, expected more --members or --bits-per-key: %w"
		return fmt.Errorf(text, kind.Name, sizing.Members, n, quantity.Of(len(hashes), "key"), err)
	}
	p := prospectsOf(f)
	result.Members, result.Planned, result.Bytes = p.members, sizing.Members, p.bytes
	result.BitsPerKey = 8 * float64(p.bytes) / float64(sizing.Members)
	result.Rate, result.PlannedRate, result.Turnovers = p.rate, p.plannedRate, p.turnovers
	if p.planned == 0 { // the kind does not say more than it was asked for
		result.PlannedRate, result.Turnovers = sizing.Rate, sizing.Turnovers
	}
	newKeyPath := keyPath
	if keyPath == standard {
		newKeyPath = ""
	}
	return out.replace(f, newKeyPath, func(w io.Writer, keyCreated bool) error {
		result.KeyCreated = keyCreated
		return result.print(cmd, w)
	})
}

// newSet returns an empty filter of a kind.
func newSet(kind filter.Kind, sizing filter.Sizing) (filter.Stored, filter.Set, error) {
	f, err := kind.New(sizing)
	if err != nil {
		return nil, nil, err
	}
	set, ok := f.(filter.Set)
	if !ok {
		return nil, nil, errors.Join(kindError(kind), f.Close())
	}
	return f, set, nil
}

// kindError says that filters of a kind are not built from keys.
func kindError(kind filter.Kind) error {
	return fmt.Errorf("--kind is %s, which is not built from keys, expected one of %s",
		kind.Name, kindNames(builds))
}

// check finds what is wrong with the command line, before any input is read.
func (b *builder) check(cmd *cobra.Command, files []string) (filter.Kind, error) {
	kind, found := kindNamed(b.kind)
	switch {
	case !found:
		return kind, fmt.Errorf("--kind is %s, expected one of %s", b.kind, kindNames(builds))
	case !builds(kind):
		return kind, kindError(kind)
	}
	err := onlyOnce(append(keyInputs(files), input{"the hash key (--key)", b.key}, lifetimeInput(b.named))...)
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
			return errors.New("--out is standard output, expected --key FILE, where the hash key is or is to be")
		}
		return nil
	}
	if sameTarget(keyFile(b.key, b.out), b.out) {
		return fmt.Errorf("--key and --out are both %s, expected two files", b.out)
	}
	if folder, err := os.Stat(filepath.Dir(b.out)); err != nil {
		return err
	} else if !folder.IsDir() {
		return fmt.Errorf("--out: found %s, expected a folder", folder.Mode())
	}
	out, err := os.Stat(b.out)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, name := range files {
		if in, err := os.Stat(name); err == nil && os.SameFile(in, out) {
			return fmt.Errorf("--out is %s, which is also an input", b.out)
		}
	}
	return nil
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
func hashKeys(cmd *cobra.Command, k key.Key, files []string) ([]uint64, error) {
	bar := startProgress(cmd, "reading", totalBytes(files), "bytes")
	defer bar.Done()
	reader := newKeyReader(cmd, files)
	defer reader.close()
	var hashes []uint64
	for {
		text, err := reader.next()
		if errors.Is(err, io.EOF) {
			return hashes, nil
		}
		if err != nil {
			return nil, err
		}
		hashes = append(hashes, k.Hash(text))
		if len(hashes)%(1<<16) == 0 {
			bar.Set(reader.read)
		}
	}
}

// totalBytes returns the length of the files, or -1 where that of one cannot be known.
func totalBytes(files []string) (total int64) {
	if len(files) == 0 {
		return -1
	}
	for _, name := range files {
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			return -1
		}
		total += info.Size()
	}
	return total
}

// insert inserts hashes, and returns how many are in: all of them, unless there is an error.
func insert(cmd *cobra.Command, set filter.Set, hashes []uint64) (int, error) {
	bar := startProgress(cmd, "inserting", int64(len(hashes)), "keys")
	defer bar.Done()
	piece := 1 << 20 // keys between two looks at the bar
	if f, ok := set.(interface{ Expires() bool }); ok && f.Expires() {
		piece = max(1, len(hashes)) // of a batch no key goes for another
	}
	for start := 0; start < len(hashes); start += piece {
		if n, err := set.InsertHashBatch(hashes[start:min(start+piece, len(hashes))], nil); err != nil {
			return start + n, err
		}
		bar.Set(int64(start))
	}
	return len(hashes), nil
}

func (r *buildResult) print(cmd *cobra.Command, w io.Writer) error {
	if wantsJSON(cmd) {
		return writeJSON(w, r)
	}
	keyNote := ""
	if r.KeyCreated {
		keyNote = " (new: keep it, and keep it secret)"
	}
	return writeTable(w, [][2]string{
		{"filter", outputName(r.File)},
		{"kind", r.Kind},
		{"hash key", pathName(r.KeyFile) + keyNote},
		{"keys read", keysRead(r.Keys, r.Duplicates)},
		{"members", plannedFor(r.Members, r.Planned)},
		{"size", fmt.Sprintf("%s, %.4g bits for each planned member", quantity.Of(r.Bytes, "byte"), r.BitsPerKey)},
		{"false positives", falsePositives(r.Rate, r.PlannedRate, r.Turnovers)},
	})
}

// keysRead tells how many keys were read.
func keysRead(keys, duplicates int) string {
	if duplicates == 1 {
		return fmt.Sprintf("%d, of which 1 was a duplicate", keys)
	}
	return fmt.Sprintf("%d, of which %d were duplicates", keys, duplicates)
}

// plannedFor tells how many members there are, and for how many the filter was planned, where that is known.
func plannedFor(members, planned int) string {
	if planned == 0 {
		return fmt.Sprint(members)
	}
	return fmt.Sprintf("%d, planned for %d", members, planned)
}
