// Package report is no API: it makes what people read of recordings of the benchmark: the tables of
// a run, for a terminal and as a page; the text that benchstat reads, by which two runs are
// compared; and the tables and the picture of other pages. All of it is made of a [result.Run], so
// it can be made again.
package report

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/internal/atomicfile"
	"github.com/bloomlane/bloomlane/report/pivot"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// The names of the files of a report.
const (
	ReadmeFile = "README.md"
	ResultFile = "result.json.gz"
)

// Write writes a run into a folder, which is made where there is none: the recording and its page.
// Each file is replaced whole or stays as it was, and other files are left alone.
func Write(folder string, run *result.Run) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	err := atomicfile.Write(filepath.Join(folder, ResultFile), 0o666, run.WriteGzip)
	if err != nil {
		return err
	}
	return Render(folder, run)
}

// Render writes the page of a run into a folder.
func Render(folder string, run *result.Run) error {
	return atomicfile.Write(filepath.Join(folder, ReadmeFile), 0o666,
		func(w io.Writer) error { return Markdown(w, run) })
}

// Tables are those of a run: its machine, what it found, and what was skipped.
func Tables(run *result.Run) []*pivot.Table {
	r := Recording{Name: run.CPU, Run: run}
	all := cells(r)
	found := append([]*pivot.Table{machine(run)}, operationTables(all)...)
	found = append(found, selectionFigures([]Recording{r}))
	for _, s := range sides {
		found = append(found, peerTable(s, all))
	}
	found = append(found, hashTable(all), stackTable(all))
	found = append(found, accuracyTables(run)...)
	notes := run.Notes
	if !run.PlainLoops {
		notes = append([]string{result.SlowLoops}, notes...)
	}
	found = append(found, wrongTable(run), latencyTable(run), libraryTable(run),
		pivot.Rows("notes", notes, func(note string) []string { return []string{note} }))
	return pivot.Where(found, func(t *pivot.Table) bool { return len(t.Rows) > 0 })
}

// machine is what a run was made on.
func machine(run *result.Run) *pivot.Table {
	c := run.CacheBytes
	return pivot.Lines([][]string{
		{"CPU", fmt.Sprintf("%s (%s), %s", run.CPU, run.Platform, quantity.Of(run.Cores, "core"))},
		{"data caches", fmt.Sprintf("L1 %s, L2 %s, L3 %s", cache(c.L1), cache(c.L2), cache(c.L3))},
		{"implementations", strings.Join(run.Implementations, ", ")}, {"Go", run.Go},
		{"hash of keys", run.HashFunction()}, {"revision", run.Revision}, {"begun", run.Date},
	})
}

// cache writes the size of a cache, -1 being one that the CPU does not tell.
func cache(bytes int) string {
	if bytes <= 0 {
		return "unknown"
	}
	return quantity.Bytes(bytes)
}

// Markdown writes the page of a run for a reader who has not seen the project.
func Markdown(w io.Writer, run *result.Run) error {
	var b strings.Builder
	fmt.Fprintf(&b, `# Bloomlane on %s

What the benchmark of Bloomlane, a Bloom filter that can delete, measured on one machine. A time is
the least that was seen, in ns per key unless a table says otherwise; in brackets it is a multiple,
of the fastest bare loop over the same memory (the floor) or of the first of ours. What is compared
ran in one process, in alternation on the same keys, and is judged by the ratios of its times round
by round: LOST is where another library is faster, and ? what the noise or less than 8 rounds leave
open at a confidence of %g, or what is less than %s. [%s](%s) has every sample:
"go run ./bench render --benchstat" prints them for benchstat.
`, pivot.Escape(run.CPU), result.Confidence, quantity.Percent(result.Level), ResultFile, ResultFile)
	for _, t := range Tables(run) {
		b.WriteString(markdown(t))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// markdown returns a table as Markdown, under its title.
func markdown(t *pivot.Table) string {
	var b strings.Builder
	about := pivot.Escape(t.About)
	if t.Title != "" {
		about = strings.TrimSuffix("**"+pivot.Escape(t.Title)+"**: "+about, ": ")
	}
	if about != "" {
		fmt.Fprintf(&b, "\n%s\n", about)
	}
	b.WriteByte('\n')
	t.Markdown(&b)
	return b.String()
}
