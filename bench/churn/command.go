package churn

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/bench/measure"
	"github.com/bloomlane/bloomlane/bench/peer/library"
	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/cmd/bloomlane/progress"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/internal/atomicfile"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// The files of a folder that a run is written to.
const (
	recordingFile = "churn.json"
	pageFile      = "README.md"
	pictureFile   = "steady.svg"
)

// standard is what is compared where no flag says otherwise: a few minutes of a core.
var standard = config{
	Members: 100_000, Bits: []int{10, 12, 16, 24, 32, 48, 64}, Turnovers: []int{0, 1, 3, 10}, Lifetime: "oldest",
	NonMembers: 1 << 23, Cache: 256 << 10, Memory: 16 << 20, Rounds: 16,
	SteadyBits: []int{16, 32}, SteadyTurnovers: 100, SteadyNonMembers: 1 << 20,
}

// quick takes seconds.
var quick = config{
	Members: 4000, Bits: []int{16, 32}, Turnovers: []int{0, 1, 3}, Lifetime: "oldest",
	NonMembers: 1 << 18, Cache: 32 << 10, Memory: 1 << 20, Rounds: 2,
	SteadyBits: []int{16}, SteadyTurnovers: 5, SteadyNonMembers: 1 << 16,
}

// Command returns the command.
func Command() *cobra.Command {
	c := standard
	var brief, asJSON bool
	var out, from string
	cmd := &cobra.Command{
		Use:   "churn",
		Short: "Compare filters that delete while members come and go",
		Long: `Compare filters that delete, of this project and of other Go libraries, at equal memory, while
members come and go. It prints a page of Markdown, and takes some minutes.

The page has, for each filter: the rate of false positives after some turnovers, the deletes that
take effect, the inserts that are refused, the members that are lost, the time of a query, an insert
and a delete in the cache and in memory, and what its owner keeps.

A turnover is as many inserts as there are members at a time. "bloomlane plan --help" explains the
lifetimes.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if brief {
				quick := quick
				for name, copy := range map[string]func(){
					"members": func() { quick.Members = c.Members }, "bits": func() { quick.Bits = c.Bits },
					"turnovers": func() { quick.Turnovers = c.Turnovers },
					"lifetime":  func() { quick.Lifetime = c.Lifetime },
				} {
					if cmd.Flags().Changed(name) {
						copy()
					}
				}
				c = quick
			}
			r, err := c.recorded(from, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			if out != "" {
				if err := r.save(out, from == ""); err != nil {
					return err
				}
			}
			if asJSON {
				return r.write(cmd.OutOrStdout())
			}
			return r.page(cmd.OutOrStdout())
		},
	}
	cmd.Flags().IntVar(&c.Members, "members", c.Members, "members at a time, 1000 to 10000000")
	cmd.Flags().IntSliceVar(&c.Bits, "bits", c.Bits, "bits per member that a filter may take, 10 to 1024")
	cmd.Flags().IntSliceVar(&c.Turnovers, "turnovers", c.Turnovers, "when to ask, in turnovers, ascending")
	cmd.Flags().StringVar(&c.Lifetime, "lifetime", c.Lifetime, workload.LifetimeUsage)
	cmd.Flags().BoolVar(&brief, "quick", false, "take seconds: fewer members, two sizes, small tables")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the recording, which is JSON, in place of the page")
	cmd.Flags().StringVar(&out, "out", "", "write the recording, the page and the picture into this folder too")
	cmd.Flags().StringVar(&from, "from", "", "measure nothing: make the page from the recording in this folder")
	return cmd
}

// recorded returns the recording in a folder, or where that is empty a new one.
func (c *config) recorded(folder string, stderr io.Writer) (*recording, error) {
	if folder == "" {
		return c.run(stderr)
	}
	file, err := os.Open(filepath.Join(folder, recordingFile))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r, err := read(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file.Name(), err)
	}
	return r, nil
}

// save writes the page and the picture into a folder, and the recording too where it is new.
func (r *recording) save(folder string, isNew bool) error {
	err := os.MkdirAll(folder, 0o777)
	if isNew {
		err = errors.Join(err, atomicfile.Write(filepath.Join(folder, recordingFile), 0o666, r.write))
	}
	return errors.Join(err,
		atomicfile.Write(filepath.Join(folder, pictureFile), 0o666, r.picture().WriteSVG),
		atomicfile.Write(filepath.Join(folder, pageFile), 0o666, r.page))
}

func (c *config) run(stderr io.Writer) (*recording, error) {
	if c.Members < 1000 || c.Members > 10_000_000 {
		return nil, fmt.Errorf("--members %d: want 1000 to 10000000", c.Members)
	}
	life, err := workload.ParseLifetime(c.Lifetime, nil)
	if err != nil {
		return nil, fmt.Errorf("--lifetime: %w", err)
	}
	for _, bits := range c.Bits {
		if bits < 10 || bits > 1024 {
			return nil, fmt.Errorf("--bits %d: want 10 to 1024", bits)
		}
	}
	if len(c.Bits) == 0 || len(c.Turnovers) == 0 || !slices.IsSorted(c.Turnovers) || c.Turnovers[0] < 0 {
		return nil, fmt.Errorf("--bits %v --turnovers %v: want one at least of each, and turnovers ascending",
			c.Bits, c.Turnovers)
	}
	begin, machine := time.Now(), measure.NewRun()
	r := &recording{
		Schema: schema, Date: machine.Date, Revision: machine.Revision, Go: machine.Go, CPU: machine.CPU,
		Platform: machine.Platform, Cores: machine.Cores, Config: *c,
	}
	for _, p := range library.All() {
		if p.Deletes {
			r.Libraries = append(r.Libraries, result.Library{
				Name: p.Name, Module: p.Module, Version: p.Version, Use: p.Note, Hashes: !p.Prehashed,
			})
		}
	}
	bar := progress.Start(stderr, "churn", int64(3*len(c.Bits)+len(c.SteadyBits)), "")
	defer bar.Done()
	for _, bits := range c.Bits {
		all, err := subjects(c.Members, bits)
		if err != nil {
			return nil, err
		}
		first := len(r.Rows)
		for i := range all {
			found, err := churn(&all[i], c.Members, life, c.Turnovers, c.NonMembers)
			if err != nil {
				return nil, err
			}
			found.Budget = bits
			r.Rows = append(r.Rows, found)
		}
		bar.Add(1)
		for _, size := range []struct {
			bytes int64
			warm  bool
		}{{c.Cache, true}, {c.Memory, false}} {
			if err := r.time(r.Rows[first:], size.bytes, size.warm); err != nil {
				return nil, err
			}
			bar.Add(1)
		}
	}
	drawn := make([]int, c.SteadyTurnovers+1)
	for i := range drawn {
		drawn[i] = i
	}
	for _, bits := range c.SteadyBits {
		all, err := subjects(c.Members, bits)
		if err != nil {
			return nil, err
		}
		for i := range all {
			if all[i].drawn {
				found, err := churn(&all[i], c.Members, life, drawn, c.SteadyNonMembers)
				if err != nil {
					return nil, err
				}
				found.Budget = bits
				r.Steady = append(r.Steady, found)
			}
		}
		bar.Add(1)
	}
	r.Seconds = time.Since(begin).Round(time.Second).Seconds()
	return r, nil
}

// time times filters of the given size, and adds the times to the rows of one budget.
func (r *recording) time(rows []row, bytes int64, warm bool) error {
	defer debug.FreeOSMemory()
	rounds := r.Config.Rounds
	if !warm {
		rounds /= 2
	}
	t := newTimer(bytes, rows[0].Budget, rounds, warm)
	all, err := subjects(t.members, rows[0].Budget)
	if err != nil {
		return err
	}
	// Filters that are kept fresh are the same filter, but for that.
	timed := slices.DeleteFunc(slices.Clone(all), func(s subject) bool {
		return s.name != nameDeletable && strings.HasPrefix(s.name, nameDeletable)
	})
	found := t.time(timed)
	for i := range rows {
		name := rows[i].Subject
		again := spread{}
		of := slices.IndexFunc(all, func(s subject) bool { return s.name == name })
		switch {
		case of < 0: // of a library whose powers of two do not fit here
			continue
		case all[of].rebuild != nil:
			name, again = nameDeletable, t.rebuild(all[of].rebuild)
		case name == nameRefreshed:
			f := all[of].filter.(*deletable.Filter)
			t.fill(f)
			if again, err = t.refresh(f); err != nil {
				return err
			}
			name = nameDeletable
		}
		times := found[slices.IndexFunc(timed, func(s subject) bool { return s.name == name })]
		times.Again = again
		if warm {
			rows[i].Cache = &times
		} else {
			rows[i].Memory = &times
		}
	}
	return nil
}
