package streams

import (
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/bench/studies/recording"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/report/pivot"
	"github.com/bloomlane/bloomlane/report/plan"
	"github.com/bloomlane/bloomlane/report/progress"
)

// The files of a folder that a run is written to, beside its page.
const (
	churnFile   = "churn.json"
	pictureFile = "steady.svg"
)

// standard takes a few minutes of a core.
var standard = config{
	Members: 100_000, Bits: []int{10, 12, 16, 24, 32, 48, 64}, Turnovers: []int{0, 1, 3, 10},
	Lifetime:   "oldest",
	NonMembers: 1 << 23, timing: standardTiming,
	SteadyBits: []int{16, 32}, SteadyTurnovers: 100, SteadyNonMembers: 1 << 20,
}

// quick takes seconds.
var quick = config{
	Members: 4000, Bits: []int{16, 32}, Turnovers: []int{0, 1, 3}, Lifetime: "oldest",
	NonMembers: 1 << 18, timing: quickTiming,
	SteadyBits: []int{16}, SteadyTurnovers: 5, SteadyNonMembers: 1 << 16,
}

// Churn returns the command that compares filters that delete.
func Churn() *cobra.Command {
	return recording.Command(&cobra.Command{
		Use:   "churn",
		Short: "Compare filters that delete while members come and go",
		Long: `Compare filters that delete, of this project and of other Go libraries, at equal
memory, while members come and go. It prints a page of Markdown, and takes some minutes.

The page has, for each filter: the rate of false positives after some turnovers, the deletes that
take effect, the inserts that are refused, the members that are lost, the time of a query, an insert
and a delete in the cache and in memory, and what its owner keeps.

A turnover is as many inserts as there are members at a time.`,
	}, new(turned), standard, quick, (*config).run)
}

func (c *config) run(stderr io.Writer) (*turned, error) {
	life, err := plan.ParseLifetime(c.Lifetime, nil)
	if err != nil {
		return nil, err
	}
	peers := deleting()
	r := &turned{Run: recording.Begin(peers), Config: *c}
	bar := progress.Start(stderr, "churn", int64(3*len(c.Bits)+len(c.SteadyBits)), "")
	defer bar.Done()
	for _, bits := range c.Bits {
		all, err := subjects(c.Members, bits, peers)
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
		if err := c.each(bits, func(t *timer) error {
			bar.Add(1)
			return r.time(r.Rows[first:], t)
		}); err != nil {
			return nil, err
		}
	}
	drawn := make([]int, c.SteadyTurnovers+1)
	for i := range drawn {
		drawn[i] = i
	}
	for _, bits := range c.SteadyBits {
		all, err := subjects(c.Members, bits, peers)
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
	return r, nil
}

// time times filters, and adds the times to the rows of one budget.
func (r *turned) time(rows []row, t *timer) error {
	all, err := subjects(t.members, rows[0].Budget, deleting())
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
		refresh := spread{}
		s := pivot.Find(all, func(s subject) bool { return s.name == name })
		switch {
		case s == nil: // of a library whose powers of two do not fit here
			continue
		case s.rebuild != nil:
			name, refresh = nameDeletable, t.rebuild(s.rebuild)
		case name == nameRefreshed:
			f := s.filter.(*deletable.Filter)
			t.fill(f)
			if refresh, err = t.refresh(f); err != nil {
				return err
			}
			name = nameDeletable
		}
		times := found[slices.IndexFunc(timed, func(s subject) bool { return s.name == name })]
		times.Again = refresh
		rows[i].set(t, times)
	}
	return nil
}
