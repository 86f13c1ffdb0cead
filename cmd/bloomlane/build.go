package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/internal/atomicfile"
)

// builder is the build command.
type builder struct {
	out        string
	key        string
	members    int
	bitsPerKey float64
	rate       float64
	turnovers  float64
	lifetime   planning.Lifetime
	named      string // the lifetime, on the command line

	lockTimeout time.Duration
}

func newBuildCommand() *cobra.Command {
	var b builder
	cmd := &cobra.Command{
		Use:   "build [FILE...] -o OUT",
		Short: "Build a filter of the keys in files, a line each",
		Long: `Build a filter of the keys in files, a line each; "-" or no file is standard input.

A key is the bytes of its line without the line feed: a carriage return before it is
part of the key. Empty lines are no keys. A key that comes twice is inserted once.

Where members will come and go, plan for it: with --turnovers the filter is as large as it
takes to keep the --rate until all members have been replaced that many times, and info says
when that is used up. A lifetime as in the command plan; the file keeps no @FILE, but oldest.

The key file holds the secret key of the hash. It is created with a random key if it
does not exist. Build filters with one key file to merge them. No keys at all are a filter
without members.

Nothing is replaced until the new file is complete and the result is printed: if anything
fails before, also the printing, OUT is as it was, no key file is created, and the exit code
is 2. A new key file comes before the filter, whole or not at all.

` + lockHelp("OUT") + ` The lock is taken before the keys are read. A key file that
does not exist is locked in the same way until it does.`,
		Example: `  bloomlane build keys.txt -o keys.blm
  zcat *.gz | bloomlane build -o keys.blm --rate 0.001 --members 2000000
  bloomlane build keys.txt -o keys.blm --rate 0.01 --turnovers 3 --lifetime random`,
		RunE: func(cmd *cobra.Command, files []string) error { return b.run(cmd, files) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&b.out, "out", "o", "", "file of the filter, replaced if it exists")
	flags.StringVar(&b.key, "key", "", keyFlagUsage)
	flags.IntVar(&b.members, "members", 0, "members to plan for (default, and least, as many as there are keys)")
	flags.Float64Var(&b.bitsPerKey, "bits-per-key", 16, "size in bits for each planned member")
	flags.Float64Var(&b.rate, "rate", 0, "size by the false-positive rate, above 0 and below 1")
	flags.Float64Var(&b.turnovers, "turnovers", 0, "turnovers of the members to plan for, until the filter is built anew")
	flags.StringVar(&b.named, "lifetime", "oldest", lifetimeFlagUsage)
	addLockFlag(cmd, &b.lockTimeout)
	cmd.MarkFlagsMutuallyExclusive("bits-per-key", "rate")
	_ = cmd.MarkFlagRequired("out")
	return cmd
}

// buildResult is what build prints.
type buildResult struct {
	File        string  `json:"file"`
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
	PlannedRate float64 `json:"planned_rate"` // of false positives, at the end of the planned turnovers
}

func (b *builder) run(cmd *cobra.Command, files []string) error {
	if err := b.check(cmd, files); err != nil {
		return err
	}
	catchBrokenPipe()
	lock, err := lockFile(b.out, b.lockTimeout)
	if err != nil {
		return err
	}
	defer lock.release()
	keyPath := keyFile(b.key, b.out)
	k, keyLock, err := readOrNewKey(keyPath, b.lockTimeout)
	if err != nil {
		return err
	}
	defer keyLock.release()

	hashes, err := hashKeys(cmd, k, files)
	if err != nil {
		return err
	}
	result := buildResult{File: b.out, KeyFile: keyPath, Keys: len(hashes)}
	// Every member is inserted once: a second insert would pin it. In order of their hashes they
	// also go through the table from its start to its end.
	slices.Sort(hashes)
	hashes = slices.Compact(hashes)
	result.Duplicates = result.Keys - len(hashes)

	f, err := deletable.New(b.config(cmd, len(hashes), k))
	if err != nil {
		return err
	}
	insert(cmd, f, hashes)
	stats := f.Stats()
	result.Members, result.Planned, result.Bytes = stats.Members, stats.Planned, stats.Bytes
	result.BitsPerKey = 8 * float64(stats.Bytes) / float64(stats.Planned)
	result.Rate, result.PlannedRate, result.Turnovers = stats.Rate, stats.PlannedRate, stats.PlannedTurnovers
	return replaceFilter(lock, f, keyPath, func(keyCreated bool) error {
		result.KeyCreated = keyCreated
		return result.print(cmd)
	})
}

// check finds what is wrong with the command line, before any input is read.
func (b *builder) check(cmd *cobra.Command, files []string) (err error) {
	if b.members < 0 {
		return fmt.Errorf("--members is %d, expected at least 0", b.members)
	}
	if b.lifetime, err = parseLifetime(b.named); err != nil {
		return fmt.Errorf("--lifetime: %w", err)
	}
	// More members than these can only be harder to plan for.
	config := b.config(cmd, 0, key.Key{})
	if _, err := config.Blocks(); err != nil {
		return err
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

// config returns the config of a filter of the members that there are, or that are planned for.
func (b *builder) config(cmd *cobra.Command, members int, k key.Key) deletable.Config {
	config := deletable.Config{Members: max(1, members, b.members), Turnovers: b.turnovers, Lifetime: b.lifetime, Key: k}
	if cmd.Flags().Changed("rate") {
		config.Rate = b.rate
	} else {
		config.BitsPerKey = b.bitsPerKey
	}
	return config
}

// hashKeys reads the keys and returns their hashes, which are all of them that memory has to hold.
func hashKeys(cmd *cobra.Command, k key.Key, files []string) ([]uint64, error) {
	bar := startProgress(cmd, "reading", totalBytes(files), true)
	defer bar.done()
	reader := newKeyReader(files, cmd.InOrStdin())
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
			bar.set(reader.read)
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

func insert(cmd *cobra.Command, f *deletable.Filter, hashes []uint64) {
	bar := startProgress(cmd, "inserting", int64(len(hashes)), false)
	defer bar.done()
	const piece = 1 << 20 // keys between two looks at the bar
	for start := 0; start < len(hashes); start += piece {
		f.InsertHashBatch(hashes[start:min(start+piece, len(hashes))], nil)
		bar.set(int64(start))
	}
}

func (r *buildResult) print(cmd *cobra.Command) error {
	if wantsJSON(cmd) {
		return writeJSON(cmd.OutOrStdout(), r)
	}
	keyNote := ""
	if r.KeyCreated {
		keyNote = " (new: keep it, and keep it secret)"
	}
	return writeTable(cmd.OutOrStdout(), [][2]string{
		{"filter", r.File},
		{"hash key", r.KeyFile + keyNote},
		{"keys read", fmt.Sprintf("%d, of which %d were duplicates", r.Keys, r.Duplicates)},
		{"members", fmt.Sprintf("%d, planned for %d", r.Members, r.Planned)},
		{"size", fmt.Sprintf("%d bytes, %.4g bits for each planned member", r.Bytes, r.BitsPerKey)},
		{"false positives", falsePositives(r.Rate, r.PlannedRate, r.Turnovers)},
	})
}
