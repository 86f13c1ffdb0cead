// Command churn holds filters that delete against each other, at equal memory, while members come and
// go at a constant number: false positives, members lost, deletes that made their key invisible, and the
// time of a query.
//
//	go run ./bench/churn              # less than a minute
//	go run ./bench/churn --json
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/quantity"
	"github.com/bloomlane/bloomlane/internal/workload"
	"github.com/bloomlane/bloomlane/kernel"
)

func main() {
	if err := newCommand().Execute(); err != nil {
		fmt.Fprintln(os.Stderr, "churn:", err)
		os.Exit(2)
	}
}

func newCommand() *cobra.Command {
	p := plan{Members: 20_000, Bits: []int{24, 40, 58}, Turnovers: []int{0, 1, 10, 100}, Lifetime: "oldest"}
	var asJSON bool
	cmd := &cobra.Command{
		Use:          "churn",
		Short:        "Compare filters that delete while members come and go",
		Args:         cobra.NoArgs,
		SilenceUsage: true, SilenceErrors: true, // main prints them
		PersistentPreRunE: func(*cobra.Command, []string) error {
			return kernel.VariableError() // or the numbers would be another implementation's
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := p.check(); err != nil {
				return err
			}
			rows, err := p.run()
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(struct {
					Plan plan
					Rows []row
				}{p, rows})
			}
			return text(cmd.OutOrStdout(), &p, rows)
		},
	}
	cmd.Flags().IntVar(&p.Members, "members", p.Members, "members at a time, 1000 to 10000000")
	cmd.Flags().IntSliceVar(&p.Bits, "bits", p.Bits, "bits a member that a filter may take at most, 10 to 1024")
	cmd.Flags().IntSliceVar(&p.Turnovers, "turnovers", p.Turnovers, "when to measure, in turnovers of all members, ascending")
	cmd.Flags().StringVar(&p.Lifetime, "lifetime", p.Lifetime, workload.LifetimeUsage)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the results as one JSON object")
	return cmd
}

func text(w io.Writer, p *plan, rows []row) error {
	fmt.Fprintf(w, "%s, lifetime %s; false positives in %% by turnovers\n\n", quantity.Of(p.Members, "member"), p.Lifetime)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(tw, "filter\tbits\t")
	for _, t := range p.Turnovers {
		fmt.Fprintf(tw, "%d\t", t)
	}
	fmt.Fprintln(tw, "deleted, %\tlost, %\tns a query\t")
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
