// Package churn compares filters that delete, at equal memory, while members come and go at a constant number.
package churn

import (
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/bench/peer"
	"github.com/bloomlane/bloomlane/cmd/bloomlane/quantity"
	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// Command returns the command.
func Command() *cobra.Command {
	c := config{Members: 20_000, Bits: []int{24, 40, 58}, Turnovers: []int{0, 1, 10, 100}, Lifetime: "oldest"}
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "churn",
		Short: "Compare filters that delete while members come and go",
		Long: `Compare filters that delete, at equal memory, while members come and go at a constant number:
false positives, members lost, deletes that made their key invisible, and the time of a query.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			rows, err := c.run()
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(struct {
					Config config
					Rows   []row
				}{c, rows})
			}
			return text(cmd.OutOrStdout(), &c, rows)
		},
	}
	cmd.Flags().IntVar(&c.Members, "members", c.Members, "members at a time, 1000 to 10000000")
	cmd.Flags().IntSliceVar(&c.Bits, "bits", c.Bits, "bits per member that a filter may take at most, 10 to 1024")
	cmd.Flags().IntSliceVar(&c.Turnovers, "turnovers", c.Turnovers, "when to measure, in turnovers of all members, ascending")
	cmd.Flags().StringVar(&c.Lifetime, "lifetime", c.Lifetime, workload.LifetimeUsage)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the results as one JSON object")
	return cmd
}

func text(w io.Writer, c *config, rows []row) error {
	fmt.Fprintf(w, "%s, lifetime %s; false positives in %% by turnovers\n\n", quantity.Of(c.Members, "member"), c.Lifetime)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(tw, "filter\tbits\t")
	for _, t := range c.Turnovers {
		fmt.Fprintf(tw, "%d\t", t)
	}
	fmt.Fprintln(tw, "deleted, %\tlost, %\tns per query\t")
	for i, r := range rows {
		if i > 0 && rows[i-1].Budget != r.Budget {
			fmt.Fprintln(tw)
		}
		fmt.Fprintf(tw, "%s\t%.1f\t", r.Filter, r.Bits)
		for _, rate := range r.Rates {
			fmt.Fprintf(tw, "%.3g\t", 100*rate)
		}
		fmt.Fprintf(tw, "%.1f\t%.2g\t%.1f\t\n", 100*r.Deleted, 100*r.Lost, r.Nanoseconds)
	}
	return tw.Flush()
}

// config says what is compared.
type config struct {
	Members   int
	Bits      []int
	Turnovers []int
	Lifetime  string
}

// row is what one filter did.
type row struct {
	Filter      string
	Budget      int       // bits per member, at most
	Bits        float64   // that it took
	Rates       []float64 // of false positives, for each of the Turnovers of config
	Deleted     float64   // the part of all deletes after which the key was not visible
	Lost        float64   // the part of the members that is not found at the end, or was refused
	Nanoseconds float64   // a query of a non-member, in batches, at the end
}

func (c *config) run() ([]row, error) {
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
		return nil, fmt.Errorf("--bits %v --turnovers %v: want one at least of each, and turnovers ascending", c.Bits, c.Turnovers)
	}
	var rows []row
	for _, bits := range c.Bits {
		var members *workload.Population // of the filter at work; nil before its members are in
		all, err := subjects(c.Members, bits, func() iter.Seq[uint64] {
			if members == nil {
				return func(func(uint64) bool) {}
			}
			return members.Live()
		})
		if err != nil {
			return nil, err
		}
		for _, s := range all {
			rows = append(rows, c.churn(&s, life, &members))
			rows[len(rows)-1].Budget = bits
		}
	}
	return rows, nil
}

// churn has the members of a filter come and go. current is what they are, at any time.
func (c *config) churn(s *subject, life planning.Lifetime, current **workload.Population) row {
	rng := rand.New(rand.NewPCG(1, 2)) // for all filters the same keys
	members := workload.NewPopulation(c.Members, life, rng)
	f := s.filter
	*current = nil
	peer.Insert(f, members.Hashes()) // what it refuses is lost
	*current = members

	nonMembers := make([]uint64, 1<<18)
	r := row{Filter: s.name, Bits: float64(8*f.State().Bytes) / float64(c.Members)}
	deletes, gone, one := 0, 0, make([]uint64, 1)
	turnover := 0
	for _, until := range c.Turnovers {
		for ; turnover < until; turnover++ {
			if s.rebuild != nil && turnover > 0 {
				f = s.rebuild()
				peer.Insert(f, members.Hashes())
			}
			for range c.Members {
				one[0] = members.Hashes()[members.Next()]
				f.DeleteHashBatch(one, nil)
				deletes++
				gone += 1 - f.QueryHashBatch(one, nil)
				_, one[0] = members.Replace()
				peer.Insert(f, one)
			}
		}
		present, took := 0, time.Duration(0)
		const rounds = 4
		for range rounds {
			workload.Fill(rng, nonMembers)
			start := time.Now()
			present += f.QueryHashBatch(nonMembers, nil)
			took += time.Since(start)
		}
		r.Rates = append(r.Rates, float64(present)/float64(rounds*len(nonMembers)))
		r.Nanoseconds = float64(took.Nanoseconds()) / float64(rounds*len(nonMembers))
	}
	r.Deleted = float64(gone) / float64(max(1, deletes))
	r.Lost = float64(c.Members-f.QueryHashBatch(members.Hashes(), nil)) / float64(c.Members)
	return r
}
