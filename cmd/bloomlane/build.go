package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/spill"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/internal/lists"
	"github.com/bloomlane/bloomlane/report/command"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// builder is the build command.
type builder struct {
	sizingFlags
	outputFlags
	form       lists.Form
	kind, hash string
	algorithm  key.Algorithm // that hash names, or the default
}

func newBuildCommand() *cobra.Command {
	var b builder
	cmd := &cobra.Command{
		Use:   "build [FILE...] -o OUT",
		Short: "Build a filter of the keys in files, one key per line",
		Long: `Build a filter of the keys in files, one key per line. "-" or no file is standard input.

A repeated key is inserted once, unless the kind counts. ` + listHelp + `

The size is --bits-per-key times --members, or the smallest that keeps --rate. With --turnovers it
keeps the rate until all members have been replaced that many times. Some kinds do not take all of
these flags. "bloomlane help plan" explains --lifetime and --reinserts, which only deletable filters
take. "bloomlane kinds" says what each kind can do.

The key file holds the secret key of the hash. If there is none, it is made, with a random key. Keep
it with the filter: without it no key can be queried. BPF and hardware read filters of --hash
siphash-1-3. Filters merge if they were built with the same --kind, the same --key, the same
--bits-per-key or --rate, and --members of all of them together.

` + replaceHelp("OUT") + ` If OUT is "-", the filter
goes to standard output and the result to standard error, and --key is required.
` + scratchHelp("OUT") + `

` + command.ExitHelp,
		Example: `  bloomlane build keys.txt -o keys.blm
  zcat *.gz | bloomlane build -o keys.blm --rate 0.001 --members 2000000
  bloomlane build keys.txt -o keys.blm --rate 0.01 --turnovers 3 --lifetime random`,
		RunE: func(cmd *cobra.Command, files []string) error { return b.run(cmd, files) },
	}
	listFlags(cmd, &b.form)
	b.register(cmd, "null", "comments", "trim")
	return cmd
}

// register adds the flags; keys are those of the keys, which are there.
func (b *builder) register(cmd *cobra.Command, keys ...string) {
	cmd.Flags().StringVar(&b.kind, "kind", deletable.Kind.Name,
		"kind of the filter: "+kindNames(builds))
	b.sizingFlags.register(cmd)
	b.outputFlags.register(cmd, keyFlagUsage)
	names := hashNames()
	cmd.Flags().StringVar(&b.hash, "hash", "", fmt.Sprintf("hash of a new key: %s (default), %s",
		names[0], strings.Join(names[1:], ", ")))
	command.Group(cmd, "The filter and its keys", append(keys, "out", "key", "hash", "kind")...)
	groupSizing(cmd)
	groupReplacing(cmd)
}

func (b *builder) run(cmd *cobra.Command, files []string) error {
	kind, err := b.check(cmd, files)
	if err != nil {
		return err
	}
	return b.build(cmd, kind, func(k key.Key, hashes *spill.Hashes) error {
		return hashKeys(&keyReader{cmd: cmd, files: files, form: b.form}, k, hashes)
	})
}

// build builds a filter of the hashes of keys, which read adds.
func (b *builder) build(
	cmd *cobra.Command,
	kind base.Kind,
	read func(k key.Key, hashes *spill.Hashes) error,
) error {
	catchBrokenPipe()
	out, err := b.open(cmd)
	if err != nil {
		return err
	}
	defer out.release()
	keyPath := keyFile(b.key, b.out)
	k, keyLock, err := readOrNewKey(cmd, keyPath, b.algorithm, b.locking)
	if err != nil {
		return err
	}
	defer keyLock.release()
	found := k.Algorithm()
	if b.hash != "" && found != b.algorithm {
		const text = "%s: found a hash key of %v, expected one of %v, as --hash says: give --key " +
			"another file"
		return fmt.Errorf(text, keyPath, found, b.algorithm)
	}
	if kind.ShowsHashes && !found.MayBeSeen() {
		const text = "%s: found a hash key of %v, expected one of %v, because files of kind %s " +
			"show hashes: give --key another file"
		return fmt.Errorf(text, keyPath, found, key.AESPMAC, kind.Name)
	}
	b.noteOtherKey(cmd, k)

	hashes := newHashes(kind, counts(kind), out.path)
	defer hashes.Close()
	if err := read(k, hashes); err != nil {
		return err
	}
	different, err := hashes.Different()
	if err != nil {
		return err
	}
	if b.members > 0 && different > b.members {
		const text = "found %d different keys, expected at most --members %d: " +
			"plan for as many as there are to be"
		return fmt.Errorf(text, different, b.members)
	}
	sizing := b.sizing(different, k)
	f, err := kind.New(sizing)
	if err != nil {
		return err
	}
	defer f.Close()
	if n, err := insert(cmd, f, hashes, different); err != nil {
		const text = "a filter of kind %s for %s has room for %d of %s, expected more " +
			"--members or --bits-per-key: %w"
		return fmt.Errorf(text, kind.Name, quantity.Of(sizing.Members, "member"), n,
			quantity.Of(different, "key"), err)
	}
	hashes.Close() // the filter may need the room
	result := describe(f)
	if result.Planned == 0 { // the kind does not say more than it was asked for
		result.Planned, result.PlannedRate, result.Turnovers = sizing.Members, sizing.Rate,
			sizing.Turnovers
	}
	result.by("build", kind.Name, b.out, keyPath)
	result.Keys, result.Duplicates = hashes.Added(), hashes.Added()-different
	return out.make(f, keyPath, result)
}

// noteOtherKey says that --key is not the key that other commands will look for.
func (b *builder) noteOtherKey(cmd *cobra.Command, k key.Key) {
	if b.out == command.Standard {
		return
	}
	keyPath := keyFile("", b.out)
	if other, err := key.ReadFile(keyPath); err == nil && !other.Equal(k) {
		command.Note(cmd,
			"%s is another key than that of %s: commands need --key %s with this filter",
			keyPath, b.key, b.key)
	}
}

// check finds what is wrong with the command line, before any input is read.
func (b *builder) check(cmd *cobra.Command, files []string) (base.Kind, error) {
	kind, found := allKinds.Of(b.kind)
	switch {
	case !found:
		return kind, fmt.Errorf("--kind is %s, expected one of %s", b.kind, kindNames(builds))
	case !builds(kind):
		return kind, fmt.Errorf("--kind is %s, which is not built from keys, expected one of %s",
			b.kind, kindNames(builds))
	}
	named := slices.Index(hashNames(), b.hash)
	if b.hash != "" && named < 0 {
		return kind, fmt.Errorf("--hash is %s, expected one of %s", b.hash,
			strings.Join(hashNames(), ", "))
	}
	b.algorithm = key.Algorithms()[max(named, 0)]
	if kind.ShowsHashes && !b.algorithm.MayBeSeen() {
		return kind, fmt.Errorf("--hash is %s, expected another, because files of kind %s show "+
			"hashes", b.hash, kind.Name)
	}
	if s := b.reinserts; s != 0 && kind.Name != deletable.Kind.Name {
		return kind, fmt.Errorf("--reinserts is %g, expected 0: filters of kind %s have no "+
			"blocks to refresh", s, kind.Name)
	}
	if b.named != command.Oldest && kind.Name != deletable.Kind.Name {
		const text = "--lifetime is %s, expected %s: " +
			"the plan of filters of kind %s does not depend on it"
		return kind, fmt.Errorf(text, b.named, command.Oldest, kind.Name)
	}
	err := command.OnlyOnce(append(keyInputs(files),
		command.NewInput("the hash key (--key)", b.key), command.LifetimeInput(b.named))...)
	if err != nil {
		return kind, err
	}
	if err := b.sizingFlags.check(cmd); err != nil {
		return kind, err
	}
	// More members than these can only be harder to plan for.
	if kind.Name == deletable.Kind.Name {
		config := deletable.Config(b.sizing(0, key.Key{}))
		if _, err := config.Shape(); err != nil {
			return kind, err
		}
	}
	return kind, b.checkFiles(files)
}

// hashNames returns what --hash may say, in the order of [key.Algorithms].
func hashNames() (names []string) {
	for _, a := range key.Algorithms() {
		names = append(names, strings.ToLower(a.String()))
	}
	return names
}

// checkFiles finds what is wrong with the files of the command line.
func (b *builder) checkFiles(files []string) error {
	if b.out == command.Standard {
		if b.key == "" {
			return errors.New("--out is standard output, expected --key FILE, where the hash key " +
				"is or is to be")
		}
		return nil
	}
	if command.SameTarget(keyFile(b.key, b.out), b.out) {
		return fmt.Errorf("--key and --out are both %s, expected two files", b.out)
	}
	if err := notAlsoKeys(keyFile(b.key, b.out), files); err != nil {
		return err
	}
	inputs := append(slices.Clone(files), command.LifetimeInput(b.named).Path)
	return command.CheckOutput("out", b.out, inputs...)
}

// hashKeys reads the keys, with a progress bar, and adds their hashes.
func hashKeys(reader *keyReader, k key.Key, hashes *spill.Hashes) error {
	var all []uint64
	reader.open = command.OpenInput
	return reader.batches(func(keys [][]byte) error {
		all = slices.Grow(all[:0], len(keys))[:len(keys)]
		k.HashBatch(keys, all)
		for _, hash := range all {
			if err := hashes.Add(hash); err != nil {
				return err
			}
		}
		return nil
	})
}
