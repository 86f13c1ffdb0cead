// Command encodings compares ways to code the collisions of a block with the format's one collision lane, at
// equal bits: false positives, what can be deleted, and speed, while members come and go; and how many
// bits each takes for a rate. Package encoding has the ways.
//
//	go run ./bench/encodings                        # ten minutes, most of them for speed
//	go run ./bench/encodings --out DIR              # the report too: Markdown, JSON, SVG
//	go run ./bench/encodings --parts churn --bits 12
//	go run ./bench/encodings render FILE DIR        # a report again from its JSON
//
// Results go to stdout, messages and progress to stderr. The exit code is 0, or 2 where the usage is bad,
// BLOOMLANE_KERNEL names what this CPU cannot run, or the results cannot be written. The report of one
// machine is in bench/encodings/results.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/bench/measure"
	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/internal/workload"
	"github.com/bloomlane/bloomlane/kernel"
)

func main() {
	if err := newCommand().Execute(); err != nil {
		fmt.Fprintln(os.Stderr, "encodings:", err)
		os.Exit(2)
	}
}

func newCommand() *cobra.Command {
	p := Plan{
		Members: 100_000, Seeds: 5, Bits: []float64{12, 16, 24}, Turnovers: []float64{0, 1, 3, 10},
		Lifetimes: []string{"oldest", "random"}, Rounds: 100, Parts: []string{partChurn, partSizes, partSpeed},
	}
	sizes := []string{"16KiB", "512KiB", "128MiB"}
	var asJSON bool
	var out string
	cmd := &cobra.Command{
		Use:          "encodings",
		Short:        "Compare ways to code collisions",
		Args:         cobra.NoArgs,
		SilenceUsage: true, SilenceErrors: true, // main prints them
		PersistentPreRunE: func(*cobra.Command, []string) error {
			return kernel.VariableError() // or the numbers would be another implementation's
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, text := range sizes {
				bytes, err := result.ParseSize(text)
				if err != nil {
					return fmt.Errorf("--sizes: %w", err)
				}
				p.Bytes = append(p.Bytes, bytes)
			}
			if err := p.check(); err != nil {
				return err
			}
			if out != "" { // what cannot be written is not measured
				if err := os.MkdirAll(out, 0o777); err != nil {
					return err
				}
			}
			s, err := p.run(measure.Plan{Stderr: cmd.ErrOrStderr()}.Steps)
			if err != nil {
				return err
			}
			if out != "" {
				if err := s.write(out); err != nil {
					return err
				}
			}
			if asJSON {
				return s.json(cmd.OutOrStdout())
			}
			return s.text(cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.IntVar(&p.Members, "members", p.Members, "members at a time, 1000 to 10000000")
	f.IntVar(&p.Seeds, "seeds", p.Seeds, "tables of each kind that rates are means over, 1 to 1000")
	f.Float64SliceVar(&p.Bits, "bits", p.Bits, "bits a key of the tables, 4 to 128")
	f.Float64SliceVar(&p.Turnovers, "turnovers", p.Turnovers, "when to measure, in turnovers of all members, ascending")
	f.StringSliceVar(&p.Lifetimes, "lifetimes", p.Lifetimes, "each a "+workload.LifetimeUsage)
	f.StringSliceVar(&sizes, "sizes", sizes, "tables that are timed, powers of two from 16KiB")
	f.IntVar(&p.Rounds, "rounds", p.Rounds, "how often each is timed, 1 to 1000")
	f.StringSliceVar(&p.Parts, "parts", p.Parts, "what to do: churn, sizes, speed")
	f.StringVar(&out, "out", "", "write the report into this folder too")
	f.BoolVar(&asJSON, "json", false, "print the results as one JSON object")
	cmd.AddCommand(&cobra.Command{
		Use:   "render FILE DIR",
		Short: "Write the report of a study again from its JSON",
		Args:  cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := read(args[0])
			if err != nil {
				return err
			}
			return s.write(args[1])
		},
	})
	return cmd
}
