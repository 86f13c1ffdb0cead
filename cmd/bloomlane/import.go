package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/spill"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/internal/atomicfile"
	"github.com/bloomlane/bloomlane/interop/parquet"
	"github.com/bloomlane/bloomlane/report/command"
	"github.com/bloomlane/bloomlane/report/quantity"
)

func newImportCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import",
		Short: "Make a filter of values in files of other programs",
		Long:  `Make a filter of values in the Parquet files of other programs.`,
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newImportParquetCommand())
	return cmd
}

// parquetTypes is what commands say of the columns that they take.
const parquetTypes = `Integers are keys by their decimal digits, floating-point numbers by the shortest
digits that tell them from others (0.1, 1e+21), decimals by all digits of the column (1.50), dates
and times as in 2006-01-02, 15:04:05.5 and 2006-01-02T15:04:05Z, with Z in columns of UTC only,
UUIDs by their text, and byte arrays and strings by their bytes. Columns of booleans, INT96,
intervals, variants and geometries are not taken.`

func newImportParquetCommand() *cobra.Command {
	var b builder
	var column string
	var own bool
	cmd := &cobra.Command{
		Use:   "parquet FILE... --column C -o OUT",
		Short: "Make a filter of the values of a column of Parquet files",
		Long: `Make a filter of the values of a column in Parquet files, of all their row groups.

The flags are those of build, and so is the filter. Nulls are no keys. The name of a column in a
group is both names with a dot between them.

` + parquetTypes + `

With --own the result is no Bloomlane filter: OUT becomes a Parquet file without values. It has the
column's Bloom filters from FILE, one per row group, for prune and for any program that reads such
filters. They have no secret key. There is exactly one FILE then. A Bloomlane filter at OUT is
replaced with --replace only. Any other file is replaced with --force only, also one that --own
made. A Parquet file with values is not replaced.

` + replaceHelp("OUT") + `

` + command.ExitHelp,
		Example: `  bloomlane import parquet events.parquet --column user -o users.blm --rate 0.001
  bloomlane import parquet part-*.parquet --column user.id -o users.blm --kind plain
  bloomlane import parquet events.parquet --column user --own -o users.parquet`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error {
			if own {
				return b.takeOwn(cmd, files, column)
			}
			return b.importParquet(cmd, files, column)
		},
	}
	b.register(cmd)
	columnFlag(cmd, &column)
	cmd.Flags().BoolVar(&own, "own", false,
		"take the filters that FILE has of the column, not its values")
	return cmd
}

func columnFlag(cmd *cobra.Command, column *string) {
	cmd.Flags().StringVar(column, "column", "", "the column's name")
	_ = cmd.MarkFlagRequired("column")
}

// parquetFile is a Parquet file that is open.
type parquetFile struct {
	*parquet.File
	file *os.File
}

func (f *parquetFile) Close() error { return f.file.Close() }

// dataPath returns the path of the file with the values of a row group, where that of f is path.
func (f *parquetFile) dataPath(path string, group int) string {
	data := filepath.FromSlash(f.Data(group))
	switch {
	case data == "":
		return path
	case filepath.IsAbs(data):
		return data
	}
	return filepath.Join(filepath.Dir(path), data)
}

// openParquet opens a Parquet file and finds a column of it.
func openParquet(path, column string) (*parquetFile, *parquet.Column, error) {
	if path == command.Standard {
		return nil, nil, errors.New("a Parquet file is read from its end, expected a file and " +
			"not standard input")
	}
	// To open a pipe would wait for who writes it.
	if info, err := os.Stat(path); err == nil && info.Mode()&os.ModeNamedPipe != 0 {
		return nil, nil, fmt.Errorf("%s: a Parquet file is read from its end, expected a file "+
			"and not a pipe", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	f, c, err := readParquet(file, column)
	if err != nil {
		_ = file.Close()
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return &parquetFile{f, file}, c, nil
}

func readParquet(file *os.File, column string) (*parquet.File, *parquet.Column, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, nil, err
	}
	f, err := parquet.Open(file, info.Size())
	if err != nil {
		return nil, nil, err
	}
	c, err := f.Column(column)
	return f, c, err
}

// importParquet builds a filter of the values of a column.
func (b *builder) importParquet(cmd *cobra.Command, files []string, column string) error {
	kind, err := b.check(cmd, files)
	if err != nil {
		return err
	}
	return b.build(cmd, kind, func(k key.Key, hashes *spill.Hashes) error {
		for _, path := range files {
			if err := hashColumn(cmd, k, path, column, hashes); err != nil {
				return err
			}
		}
		return nil
	})
}

// hashColumn adds the hashes of the values of a column of a file.
func hashColumn(cmd *cobra.Command, k key.Key, path, column string, hashes *spill.Hashes) error {
	f, c, err := openParquet(path, column)
	if err != nil {
		return err
	}
	defer f.Close()
	bar := command.StartProgress(cmd, path, int64(f.RowGroups()), "row groups")
	defer bar.Done()
	for group := range f.RowGroups() {
		err := c.KeyRuns(group, func(key []byte, times int64) {
			_ = hashes.AddTimes(k.Hash(key), uint64(times)) // its error comes again from Err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if err := hashes.Err(); err != nil {
			return err
		}
		bar.Add(1)
	}
	return nil
}

// ownResult is what import prints of the filters that it took.
type ownResult struct {
	File      command.Path `json:"file"`
	Data      command.Path `json:"data"` // the file with the values
	Column    string       `json:"column"`
	Type      string       `json:"type"`
	Filters   int          `json:"filters"`
	RowGroups int          `json:"row_groups"`
}

func (r ownResult) String() string {
	groups := quantity.Of(r.RowGroups, "row group")
	return command.Table(
		[2]string{"filters",
			fmt.Sprintf("%s, %d of %s", command.OutputName(string(r.File)), r.Filters, groups)},
		[2]string{"column", r.Column + ", " + r.Type},
		[2]string{"values", namedPath(string(r.Data))},
	)
}

// takeOwn takes the filters that a file has of a column.
func (b *builder) takeOwn(cmd *cobra.Command, files []string, column string) (err error) {
	if len(files) != 1 {
		return fmt.Errorf("found %d files and --own, expected one", len(files))
	}
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		const taken = " own column out force replace lock-timeout json quiet "
		if !strings.Contains(taken, " "+flag.Name+" ") && err == nil {
			const text = "found --own and --%s, expected one of the two: the filters are taken " +
				"as they are"
			err = fmt.Errorf(text, flag.Name)
		}
	})
	if err != nil {
		return err
	}
	if err := command.CheckOutput("out", b.out, files...); err != nil {
		return err
	}
	f, c, err := openParquet(files[0], column)
	if err != nil {
		return err
	}
	defer f.Close()
	for group := range f.RowGroups() {
		if sameFile(b.out, f.dataPath(files[0], group)) {
			return fmt.Errorf("--out is %s, which has the values of %s", b.out, files[0])
		}
	}
	catchBrokenPipe()
	out, err := b.open(cmd)
	if err != nil {
		return err
	}
	defer out.release()
	if err := keepsValues(out, b.force || b.replace); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	data := files[0]
	if f.RowGroups() > 0 { // of a file that was taken itself, the one with the values
		data = f.dataPath(data, 0)
	}
	result := ownResult{File: command.Path(b.out), Data: command.Path(data), Column: column,
		Type: c.Type(), RowGroups: f.RowGroups()}
	err = out.stage(func(w io.Writer) error {
		result.Filters, err = parquet.WriteSummary(w, c, pathFrom(b.out, data))
		if err == nil && result.Filters == 0 {
			err = fmt.Errorf("%s has no filters of column %s: without --own one is made of "+
				"its values", files[0], column)
		}
		return err
	}, func(w io.Writer) error { return command.PrintResult(cmd, w, result) })
	return err
}

// sameFile reports whether two paths lead to one file that is there.
func sameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// keepsValues returns an error if the output is there and is a Parquet file with values, or is any
// other file and replace is not given.
func keepsValues(out *output, replace bool) error {
	if out.lock == nil {
		return nil
	}
	file, err := os.Open(out.lock.target)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	if !replace {
		return fmt.Errorf("%s is there, expected a new file (--force replaces it)", out.path)
	}
	f, err := parquet.Open(file, info.Size())
	if errors.Is(err, parquet.ErrNotParquet) {
		return nil
	}
	if err != nil { // there may be values
		return fmt.Errorf("%s: %w", out.path, err)
	}
	for group := range f.RowGroups() {
		if f.Data(group) == "" {
			return fmt.Errorf("%s has values, expected a new file or one of filters only", out.path)
		}
	}
	return nil
}

// namedPath returns a path that a file names, for a line of an answer. It is quoted if it has
// characters that could be taken for another line, or that a terminal obeys.
func namedPath(path string) string {
	obeyed := func(r rune) bool { return !strconv.IsPrint(r) }
	if !utf8.ValidString(path) || strings.ContainsFunc(path, obeyed) ||
		strings.HasPrefix(path, `"`) {
		return strconv.Quote(path)
	}
	return path
}

// pathFrom returns a path from the folder of another file on, as Parquet has it; as it is, where
// there is none.
func pathFrom(other, path string) string {
	if from, err := filepath.Abs(filepath.Dir(other)); err == nil && other != command.Standard {
		if to, err := filepath.Abs(path); err == nil {
			if path, err := filepath.Rel(from, to); err == nil {
				return filepath.ToSlash(path)
			}
		}
	}
	return filepath.ToSlash(path)
}

// stage replaces the output by what write writes, after show has printed what that was.
func (o *output) stage(write, show func(io.Writer) error) error {
	results, err := command.ResultsBeside(o.cmd, o.path)
	if err != nil {
		return err
	}
	if o.lock == nil {
		if err := write(o.cmd.OutOrStdout()); err != nil {
			return err
		}
		return show(results)
	}
	staged, err := atomicfile.Stage(o.lock.target, 0o666, write)
	if err != nil {
		return err
	}
	defer staged.Discard()
	if err := show(results); err != nil {
		return fmt.Errorf("the result cannot be written, so %s is not replaced: %w",
			o.lock.target, err)
	}
	return staged.Commit()
}
