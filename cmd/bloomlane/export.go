package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/interop/parquet"
	"github.com/bloomlane/bloomlane/report/command"
	"github.com/bloomlane/bloomlane/report/quantity"
)

func newExportCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Add Bloom filters to files of other programs",
		Long:  `Add Bloom filters to the Parquet files of other programs.`,
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newExportParquetCommand())
	return cmd
}

// exporter is the command export parquet.
type exporter struct {
	columns      []string
	bitsPerKey   float64
	notForDuckDB bool
	locking
}

func newExportParquetCommand() *cobra.Command {
	var e exporter
	cmd := &cobra.Command{
		Use:   "parquet FILE... --column C...",
		Short: "Add Bloom filters of columns to Parquet files",
		Long: `Add Bloom filters of columns to Parquet files, one per column and row group.

They have the format that Parquet defines, so other programs read them, and prune does. The files
are replaced, one after another, each when its result is printed; with --json each has an object. If
one cannot be read, lacks a column or is named twice, none is replaced. A file that fails after that
stays as it is, and the others get their filters. If a file has filters of these columns already,
those stay in the file and are not used any more. All else stays as it is. The filters have no
secret key.

Columns of booleans and INT96 get no filters. DuckDB 1.5.5 would miss rows by the filters of some
columns, which are refused: FLOAT16, decimals of more than 38 digits, and byte arrays that are no
strings to it if a value has a byte other than printable ASCII, or a quote or a backslash.
--not-for-duckdb adds these filters for other readers.

` + replaceHelp("FILE") + `

` + command.ExitHelp,
		Example: `  bloomlane export parquet events.parquet --column user --column id
  bloomlane export parquet part-*.parquet --column user`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error { return e.run(cmd, files) },
	}
	cmd.Flags().StringArrayVar(&e.columns, "column", nil, "a column's name")
	_ = cmd.MarkFlagRequired("column")
	const bitsUsage = "bits per different value of a row group"
	cmd.Flags().Float64Var(&e.bitsPerKey, "bits-per-key", 10.5, bitsUsage)
	cmd.Flags().BoolVar(&e.notForDuckDB, "not-for-duckdb", false,
		"add filters by which DuckDB would miss rows, for other readers")
	e.locking.register(cmd)
	return cmd
}

// exportResult is what export prints.
type exportResult struct {
	File      command.Path `json:"file"`
	Columns   []string     `json:"columns"`
	RowGroups int          `json:"row_groups"`
	Filters   int          `json:"filters"`
	Bytes     int          `json:"bytes"` // of the filters, without their headers
}

func (r exportResult) String() string {
	return command.Table(
		[2]string{"file", fmt.Sprintf("%s, %s", r.File, quantity.Of(r.RowGroups, "row group"))},
		[2]string{"columns", strings.Join(r.Columns, ", ")},
		[2]string{"filters", fmt.Sprintf("%d, %s", r.Filters, quantity.Of(r.Bytes, "byte"))},
	)
}

// run adds filters to files. The first is replaced after all could be read and were found to have
// the columns. A file that fails hides no other.
func (e *exporter) run(cmd *cobra.Command, files []string) error {
	if !(e.bitsPerKey > 0) {
		return fmt.Errorf("--bits-per-key is %g, expected a number above 0", e.bitsPerKey)
	}
	for i, name := range e.columns {
		if slices.Contains(e.columns[:i], name) {
			return fmt.Errorf("--column is %s twice, expected each column once", name)
		}
	}
	seen := map[string]string{}
	var failures []error
	for _, path := range files {
		target, err := e.check(path)
		if other, found := seen[target]; found && err == nil {
			err = fmt.Errorf("%s and %s are one file, expected different ones", other, path)
		}
		if err != nil {
			failures = append(failures, err)
		}
		seen[target] = path
	}
	if len(failures) > 0 {
		return command.Complain(cmd, failures)
	}
	catchBrokenPipe()
	for _, path := range files {
		if err := e.add(cmd, path); err != nil {
			failures = append(failures, err)
		}
	}
	return command.Complain(cmd, failures)
}

// check finds out whether a file has the columns, and returns its path without symbolic links.
func (e *exporter) check(path string) (string, error) {
	f, _, err := openParquet(path, e.columns[0])
	if err != nil {
		return "", err
	}
	defer f.Close()
	for _, name := range e.columns {
		if _, err := f.Column(name); err != nil {
			return "", fmt.Errorf("%s: %w", path, err)
		}
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	return filepath.Abs(target)
}

// add adds filters to a file.
func (e *exporter) add(cmd *cobra.Command, path string) error {
	lock, err := lockFile(path, e.locking)
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
	result := exportResult{File: command.Path(path), Columns: e.columns, RowGroups: f.RowGroups(),
		Filters: len(filters)}
	for _, filter := range filters {
		result.Bytes += 32 * len(filter.Table)
	}
	return (&output{cmd, path, lock, false}).stage(
		func(w io.Writer) error {
			if err := parquet.Write(w, f.File, filters); err != nil {
				return err
			}
			return f.Close() // Windows replaces no file that is open
		},
		func(w io.Writer) error { return command.PrintResult(cmd, w, result) })
}

// filters returns the filters of the columns.
func (e *exporter) filters(
	cmd *cobra.Command,
	path string,
	f *parquet.File,
) ([]parquet.Filter, error) {
	var filters []parquet.Filter
	bar := command.StartProgress(cmd, path, int64(f.RowGroups()*len(e.columns)), "row groups")
	defer bar.Done()
	for _, name := range e.columns {
		c, err := f.Column(name)
		if err != nil {
			return nil, err
		}
		for group := range f.RowGroups() {
			t, err := c.NewFilter(group, e.bitsPerKey)
			if errors.Is(err, parquet.ErrReader) {
				if !e.notForDuckDB {
					return nil, fmt.Errorf("%w (--not-for-duckdb adds it)", err)
				}
				err = nil
			}
			if err != nil {
				return nil, err
			}
			filters = append(filters, parquet.Filter{Column: c, Group: group, Table: t})
			bar.Add(1)
		}
	}
	return filters, nil
}
