package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/report/command"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// combiner puts filters together: merge or intersect.
type combiner struct {
	outputFlags
	name string
	fold bool
	// combine is the operation of a filter, or nil if it has none.
	combine func(to filter.Stored) func(from filter.Stored) error
}

func newMergeCommand() *cobra.Command {
	m := combiner{name: "merge",
		combine: func(to filter.Stored) func(from filter.Stored) error {
			if f, can := filter.As[filter.Merger](to); can {
				return f.Merge
			}
			return nil
		}}
	cmd := &cobra.Command{
		Use:   "merge -o OUT FILE FILE...",
		Short: "Merge filters of one hash key and one size",
		Long: `Merge filters of one kind, one hash key and one size into a filter of the members of all.

Filters that were built apart merge if they were built with the same --kind, the same --key file
and the same size: the same --bits-per-key or --rate, and --members of all of them together. A key
that is a member of two of the filters is a member twice; a deletable filter can then not delete
it. If the plans differ, OUT has the plan with more members, or with more turnovers if the members
are equal. The inserts of all filters count against that plan.

With --fold sizes may differ by whole factors: larger filters are folded to the size of the
smallest, and get its false-positive rate. Plain filters are not folded to less than 64 bits.

Without --key the key file of the first filter is read, and copied to that of OUT if there is none.
OUT may be one of the filters. OUT "-" is standard output, and one FILE may be "-", standard input.

Do not repeat a command that exits with code 0: it would insert the same members twice.

` + replaceHelp("OUT") + ` The other
filters are not locked: each is read as a whole, as it is at that moment.

` + command.ExitHelp,
		Example: `  bloomlane merge -o all.blm monday.blm tuesday.blm`,
		Args:    cobra.MinimumNArgs(2),
		RunE:    func(cmd *cobra.Command, files []string) error { return m.run(cmd, files) },
	}
	m.register(cmd)
	return cmd
}

func newIntersectCommand() *cobra.Command {
	m := combiner{name: "intersect",
		combine: func(to filter.Stored) func(from filter.Stored) error {
			if f, can := filter.As[filter.Intersecter](to); can {
				return f.Intersect
			}
			return nil
		}}
	cmd := &cobra.Command{
		Use:   "intersect -o OUT FILE FILE...",
		Short: "Make a filter of the members that filters have in common",
		Long: `Make a filter of the members that filters of one kind, hash key and size have in common.

A key that is present in the result is present in all the filters. A member of all the filters is
a member of the result.

Of deletable filters the result's number of members is an estimate. Its false-positive rate is
higher than that of a filter built from the common members: a key that is a member of one filter
only is present at the rate of the others. An elastic filter keeps the hashes of its members, so its
result has the common members and no others.

With --fold the sizes may differ by whole factors. The flags are those of merge.

` + replaceHelp("OUT") + `

` + command.ExitHelp,
		Example: `  bloomlane intersect -o both.blm monday.blm tuesday.blm`,
		Args:    cobra.MinimumNArgs(2),
		RunE:    func(cmd *cobra.Command, files []string) error { return m.run(cmd, files) },
	}
	m.register(cmd)
	return cmd
}

func (m *combiner) register(cmd *cobra.Command) {
	m.outputFlags.register(cmd, "file of the hash key (default that of the first filter)")
	cmd.Flags().BoolVar(&m.fold, "fold", false, "fold larger filters to the size of the smallest")
	command.Group(cmd, "The filter and its key", "out", "key", "fold")
	groupReplacing(cmd)
}

func (m *combiner) run(cmd *cobra.Command, files []string) error {
	inputs := []command.Input{command.NewInput("the hash key (--key)", m.key)}
	for _, name := range files {
		inputs = append(inputs, command.NewInput("a filter", name))
	}
	if err := command.OnlyOnce(inputs...); err != nil {
		return err
	}
	if m.out != command.Standard && command.SameTarget(keyFile(m.key, m.out), m.out) {
		return fmt.Errorf("--out %s and its key file are one file, expected two", m.out)
	}
	catchBrokenPipe()
	out, err := m.open(cmd, files...)
	if err != nil {
		return err
	}
	defer out.release()
	if err := differentFiles(files); err != nil {
		return err
	}
	f, err := openFilter(cmd, files[0], files[0], m.key, false)
	if err != nil {
		return err
	}
	defer f.Close()
	if m.combine(f.Stored) == nil {
		return &cannotError{command.PathName(files[0]), f.kind.Name, m.name}
	}
	bar := command.StartProgress(cmd, m.name, int64(len(files)), "filters")
	defer bar.Done()
	for i, name := range files[1:] {
		if err := m.add(cmd, f, name); err != nil {
			return err
		}
		runtime.GC() // unmaps the file, to which nothing refers any more
		bar.Set(int64(i + 2))
	}
	bar.Done()
	result := describe(f.Stored)
	result.Merged = len(files)
	keyPath := keyFile(m.key, m.out)
	newKey := keyPath
	if m.out == command.Standard {
		keyPath, newKey = keyFile(m.key, files[0]), "" // it was read there
	}
	result.by(m.name, f.kind.Name, m.out, keyPath)
	return out.make(f.Stored, newKey, result)
}

// differentFiles refuses a filter that is named twice: merged with itself, no member of it could be
// deleted any more.
func differentFiles(files []string) error {
	infos := make([]os.FileInfo, len(files))
	for i, name := range files {
		if name == command.Standard {
			continue
		}
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		for j := range i {
			if infos[j] != nil && os.SameFile(infos[j], info) {
				return fmt.Errorf("%s and %s are one file, expected different filters",
					files[j], name)
			}
		}
		infos[i] = info
	}
	return nil
}

// add merges the filter in a file into f, or intersects f with it.
func (m *combiner) add(cmd *cobra.Command, f *opened, name string) error {
	other, err := openWith(cmd, name, f.Key())
	if errors.Is(err, file.ErrWrongKey) {
		return fmt.Errorf("%w: build filters that are to be put together with the same --key FILE",
			err)
	}
	if err != nil {
		return err
	}
	defer other.Close()
	if f.kind.Name != other.kind.Name {
		return fmt.Errorf("%s has kind %s, and %s has kind %s, expected one --kind",
			f.path, f.kind.Name, other.path, other.kind.Name)
	}
	to, from := f.Stored, other.Stored
	for {
		err := m.combine(to)(from)
		if err == nil {
			f.Stored = to
			return nil
		}
		a, b := to.State().Bytes, from.State().Bytes // which may take a scan
		switch {
		case m.fold && errors.Is(err, filter.ErrUnequalSize) && a > b && a%b == 0 && folds(to):
			to, err = to.(filter.Folder).Fold(a / b)
		case m.fold && errors.Is(err, filter.ErrUnequalSize) && a < b && b%a == 0 && folds(from):
			from, err = from.(filter.Folder).Fold(b / a)
		}
		if err == nil {
			continue
		}
		switch {
		case !errors.Is(err, filter.ErrUnequalSize) && !errors.Is(err, filter.ErrIndivisible):
			return fmt.Errorf("%s: %w", other.path, err)
		case a == b || f.kind.Promises.Has(base.Grows): // their bytes do not tell the difference
			const text = "%s: %w: build each with the same --members, the same --bits-per-key or " +
				"--rate, and one --key FILE"
			return fmt.Errorf(text, other.path, err)
		}
		return m.differentSizes(f, other)
	}
}

// differentSizes returns the error of two filters that did not merge because their sizes differ. It
// says what to give to build.
func (m *combiner) differentSizes(f, other *opened) error {
	a, b := describe(f.Stored), describe(other.Stored)
	larger, smaller := a, b
	if b.Bytes > a.Bytes {
		larger, smaller = b, a
	}
	size := "the same --bits-per-key or --rate"
	if larger.Planned > 0 {
		bits := 8 * float64(larger.Bytes) / float64(larger.Planned)
		size = "--bits-per-key " + strconv.FormatFloat(bits, 'f', 1, 64)
	}
	advice := ""
	if !m.fold && larger.Bytes%smaller.Bytes == 0 && folds(f.Stored) {
		advice = ", or give --fold"
	}
	const text = "%s: %s has %s and %s has %s, expected one size: " +
		"build each with --members %d (the members of all), %s and one --key FILE%s"
	return fmt.Errorf(text, m.name, f.path, quantity.Of(a.Bytes, "byte"), other.path,
		quantity.Of(b.Bytes, "byte"), max(a.Members+b.Members, a.Planned, b.Planned), size, advice)
}

func folds(f filter.Stored) bool {
	_, can := f.(filter.Folder)
	return can
}
