package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/interop/parquet"
	"github.com/bloomlane/bloomlane/report/command"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// pruner is the prune command.
type pruner struct {
	asker
	column string
}

func newPruneCommand() *cobra.Command {
	var p pruner
	cmd := &cobra.Command{
		Use:   "prune FILE... --column C [-- KEY...]",
		Short: "Say which row groups of Parquet files need not be read",
		Long: `Say which row groups of Parquet files need not be read to find some keys in a column.

It asks the Bloom filters in the files. The keys are the arguments after "--", or else those of the
lists --keys, or else of standard input. A key "-" that is the only one is standard input too.
` + listHelp + `

For each row group a line has an answer, a tab, the file, a tab and the row group's number, from 0:

  skip        None of the keys is in the row group.
  read        At least one key may be in it.
  unfiltered  It has no filter of the column, and must be read.

A file that cannot be read has a message and no lines, and the others have theirs. A FILE made by
"bloomlane import parquet --own" stands for the file with the values. The lines have that file's
name. A name with control characters is quoted.

` + parquetTypes + `
0 and -0 are one key. NaN has no place in a filter, so every row group must be read for it.

Exit codes: 0 at least one row group can be skipped; 1 none can; 2 bad input or usage, or no keys.`,
		Example: `  bloomlane prune part-*.parquet --column user -- alice bob
  bloomlane prune events.parquet --column id --keys ids.txt --json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return p.run(cmd, args) },
	}
	keyLists(cmd, &p.files, &p.form)
	columnFlag(cmd, &p.column)
	return cmd
}

// The answers of prune.
const (
	skipGroup = "skip"
	readGroup = "read"
	noFilter  = "unfiltered"
)

// prunedGroup is what prune says of a row group.
type prunedGroup struct {
	File   command.Path `json:"file"`
	Group  int          `json:"row_group"`
	Rows   int64        `json:"rows"`
	Answer string       `json:"answer"`
	Keys   int          `json:"keys"` // that may be in it
}

// pruneResult is what prune prints.
type pruneResult struct {
	Column     string         `json:"column"`
	Keys       int            `json:"keys"`
	Groups     []prunedGroup  `json:"row_groups"`
	Skip       int            `json:"skip"` // row groups
	Read       int            `json:"read"`
	Unfiltered int            `json:"unfiltered"`
	Rows       int64          `json:"rows"`
	SkipRows   int64          `json:"skip_rows"`
	Failed     []command.Path `json:"failed"` // files that cannot be read
}

func (r *pruneResult) String() string {
	var text strings.Builder
	for _, g := range r.Groups {
		fmt.Fprintf(&text, "%s\t%s\t%d\n", g.Answer, namedPath(string(g.File)), g.Group)
	}
	return text.String()
}

func (p *pruner) run(cmd *cobra.Command, args []string) error {
	files := args
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		files = args[:dash]
		if len(files) == 0 {
			return errors.New("found no files before --, expected one at least")
		}
		n := len(args) - dash
		switch {
		case n == 0:
			return errors.New("found no keys behind --, expected one at least")
		case len(p.files) > 0:
			return fmt.Errorf("found %s and --keys, expected one of the two",
				quantity.Of(n, "key argument"))
		}
		var err error
		if p.keys, err = keyArguments(args[dash:]); err != nil {
			return err
		}
	}
	if err := command.OnlyOnce(keyInputs(p.files)...); err != nil {
		return err
	}
	keys, err := p.read(cmd)
	if err != nil {
		return err
	}
	if len(keys) == 0 { // and every row group could be skipped
		return errors.New("found no keys, expected one at least")
	}
	result := &pruneResult{Column: p.column, Keys: len(keys), Groups: []prunedGroup{},
		Failed: []command.Path{}}
	var failures []error
	bar := command.StartProgress(cmd, "pruning", int64(len(files)), "files")
	defer bar.Done()
	for _, path := range files {
		before := *result
		if err := result.prune(path, keys); err != nil {
			*result = before
			result.Failed, failures = append(result.Failed, command.Path(path)), append(failures, err)
		}
		bar.Add(1)
	}
	bar.Done()
	failure := command.Complain(cmd, failures)
	if len(failures) == len(files) {
		return failure
	}
	if err := command.PrintResult(cmd, cmd.OutOrStdout(), result); err != nil {
		return err
	}
	if failure != nil {
		return failure
	}
	if result.Skip == 0 {
		return fmt.Errorf("no row group of %d can be left out: %w", len(result.Groups),
			command.ErrNo)
	}
	groups, rows := quantity.Of(len(result.Groups), "row group"),
		quantity.Of(int(result.Rows), "row")
	command.Note(cmd, "%d of %s need not be read, with %d of %s", result.Skip, groups,
		result.SkipRows, rows)
	return nil
}

// prune adds the row groups of a file.
func (r *pruneResult) prune(path string, keys [][]byte) error {
	f, c, err := openParquet(path, r.Column)
	if err != nil {
		return err
	}
	defer f.Close()
	values := make([]parquet.Value, len(keys))
	for i, key := range keys {
		if values[i], err = c.Value(string(key)); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	for group := range f.RowGroups() {
		filter, err := c.Filter(group)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		g := prunedGroup{File: command.Path(f.dataPath(path, group)), Group: group,
			Rows: f.Rows(group)}
		for _, v := range values {
			if v.In(filter) {
				g.Keys++
			}
		}
		r.add(g, filter != nil)
	}
	return nil
}

func (r *pruneResult) add(g prunedGroup, filtered bool) {
	r.Rows += g.Rows
	switch {
	case !filtered:
		g.Answer = noFilter
		r.Unfiltered++
	case g.Keys > 0:
		g.Answer = readGroup
		r.Read++
	default:
		g.Answer = skipGroup
		r.Skip++
		r.SkipRows += g.Rows
	}
	r.Groups = append(r.Groups, g)
}
