package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/quantity"
	"github.com/bloomlane/bloomlane/interop/parquet"
)

func newExportCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Add Bloom filters to files of other programs",
		Long:  `Add Bloom filters to files of other programs, which are Parquet files.`,
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newExportParquetCommand())
	return cmd
}

// exporter is the command export parquet.
type exporter struct {
	columns    []string
	bitsPerKey float64
	wait       time.Duration
}

func newExportParquetCommand() *cobra.Command {
	var e exporter
	cmd := &cobra.Command{
		Use:   "parquet FILE --column C...",
		Short: "Add Bloom filters of columns to a Parquet file",
		Long: `Add Bloom filters of columns to a Parquet file, one per column and row group.

They have the format that Parquet defines, so other programs read them, and prune does. The file is
replaced. If it has filters of these columns already, those stay in the file and are not used any
more. All else stays as it is. The filters have no secret key.

Columns of dates, times and decimals get filters too. Columns of booleans do not.

` + replaceHelp("FILE") + `

` + exitHelp,
		Example: `  bloomlane export parquet events.parquet --column user --column id`,
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return e.run(cmd, args[0]) },
	}
	cmd.Flags().StringArrayVar(&e.columns, "column", nil, "a column's name")
	_ = cmd.MarkFlagRequired("column")
	const bitsUsage = "bits per different value of a row group"
	cmd.Flags().Float64Var(&e.bitsPerKey, "bits-per-key", 10.5, bitsUsage)
	lockTimeout(cmd, &e.wait)
	return cmd
}

// exportResult is what export prints.
type exportResult struct {
	File      string   `json:"file"`
	Columns   []string `json:"columns"`
	RowGroups int      `json:"row_groups"`
	Filters   int      `json:"filters"`
	Bytes     int      `json:"bytes"` // of the filters, without their headers
}

func (r exportResult) String() string {
	return table(
		[2]string{"file", fmt.Sprintf("%s, %s", r.File, quantity.Of(r.RowGroups, "row group"))},
		[2]string{"columns", strings.Join(r.Columns, ", ")},
		[2]string{"filters", fmt.Sprintf("%d, %s", r.Filters, quantity.Of(r.Bytes, "byte"))},
	)
}

func (e *exporter) run(cmd *cobra.Command, path string) error {
	if path == standard {
		return errors.New("export replaces FILE, expected a file and not standard input")
	}
	if !(e.bitsPerKey > 0) {
		return fmt.Errorf("--bits-per-key is %g, expected a number above 0", e.bitsPerKey)
	}
	if _, err := os.Stat(path); err != nil {
		return err
	}
	catchBrokenPipe()
	lock, err := lockFile(path, e.wait)
	if err != nil {
		return err
	}
	defer lock.release()
	f, _, err := openParquet(path, e.columns[0])
	if err != nil {
		return err
	}
	defer f.Close()
	filters, err := e.filters(cmd, path, f.File)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	result := exportResult{File: path, Columns: e.columns, RowGroups: f.RowGroups(),
		Filters: len(filters)}
	for _, filter := range filters {
		result.Bytes += 32 * len(filter.Table)
	}
	return (&output{cmd, path, lock}).stage(
		func(w io.Writer) error {
			if err := parquet.Write(w, f.File, filters); err != nil {
				return err
			}
			return f.Close() // Windows replaces no file that is open
		},
		func(w io.Writer) error { return printResult(cmd, w, result) })
}

// filters returns the filters of the columns.
func (e *exporter) filters(cmd *cobra.Command, path string, f *parquet.File) ([]parquet.Filter,
	error) {
	var filters []parquet.Filter
	bar := startProgress(cmd, path, int64(f.RowGroups()*len(e.columns)), "row groups")
	defer bar.Done()
	seen := map[string]bool{}
	for _, name := range e.columns {
		c, err := f.Column(name)
		if err != nil {
			return nil, err
		}
		if seen[name] {
			return nil, fmt.Errorf("--column is %s twice, expected each column once", name)
		}
		seen[name] = true
		for group := range f.RowGroups() {
			t, err := c.NewFilter(group, e.bitsPerKey)
			if err != nil {
				return nil, err
			}
			filters = append(filters, parquet.Filter{Column: c, Group: group, Table: t})
			bar.Add(1)
		}
	}
	return filters, nil
}
