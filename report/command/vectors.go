package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/internal/legible"
	"github.com/bloomlane/bloomlane/kernel/vectors"
)

// VectorRuns is what make and check print.
type VectorRuns[T fmt.Stringer] struct {
	Runs []T `json:"runs"`
}

func (r VectorRuns[T]) String() (text string) {
	for _, run := range r.Runs {
		text += run.String()
	}
	return text
}

// Targets returns what a name of --impl stands for, and what ends them.
type Targets func(ctx context.Context, name string) ([]vectors.Target, func() error, error)

// CheckedRun is the result of vectors check for one file and one target.
type CheckedRun struct {
	File       Path   `json:"file"`
	Target     string `json:"target"`
	Records    int    `json:"records"`
	Agrees     bool   `json:"agrees"`
	Difference string `json:"difference,omitempty"`
}

func (r CheckedRun) String() string {
	name := legible.Escape(string(r.File))
	if r.Agrees {
		return fmt.Sprintf("%s: %s agrees on %d records\n", name, r.Target, r.Records)
	}
	return fmt.Sprintf("%s: %s\n", name, r.Difference)
}

// NewVectorsCheck returns the command that checks vector files, by default with one implementation,
// or by one name for several. Help says what it needs, usage is that of --impl, and the examples
// are those of its help.
func NewVectorsCheck(targets Targets, implementation, help, usage, examples string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check FILE...",
		Short: "Perform runs with an implementation and compare every result and block",
		Long: `Perform the runs of vector files with an implementation, and compare each result and block.

Each run is performed by single calls and by batches. FILE "-" is standard input.` + help + `

Exit codes: 0 all agree; 1 one differs, and the first record and lane that differ are printed; 2 a
file is malformed, or has no record.`,
		Example: examples,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error {
			targets, closeTargets, err := targets(cmd.Context(), implementation)
			if err != nil {
				return err
			}
			defer closeTargets()
			var checked VectorRuns[CheckedRun]
			var answer error
			for _, name := range files {
				file, err := OpenFile(cmd, name)
				if err != nil {
					return err
				}
				content, err := io.ReadAll(file) // which each target reads
				_ = file.Close()
				if err != nil {
					return fmt.Errorf("%s: %w", PathName(name), err)
				}
				for _, target := range targets {
					run, err := checkVectors(PathName(name), content, target)
					if err != nil {
						return err
					}
					checked.Runs = append(checked.Runs, run)
					if !run.Agrees {
						answer = fmt.Errorf("%w: %s differs from %s", ErrNo,
							target.Name(), name)
					}
				}
			}
			return errors.Join(PrintResult(cmd, cmd.OutOrStdout(), checked), answer)
		},
	}
	cmd.Flags().StringVar(&implementation, "impl", implementation, usage)
	return cmd
}

// checkVectors holds one target against a file's content. A difference is a result; anything else
// that is wrong is an error.
func checkVectors(name string, content []byte, target vectors.Target) (CheckedRun, error) {
	n, err := vectors.Check(bytes.NewReader(content), target)
	run := CheckedRun{File: Path(name), Target: target.Name(), Records: n, Agrees: err == nil}
	var difference *vectors.Difference
	switch {
	case errors.As(err, &difference):
		run.Difference, err = difference.Error(), nil
	case err == nil && n == 0:
		err = errors.New("found no record, expected at least one") // nothing that could agree
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return run, err
}
