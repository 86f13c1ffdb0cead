// Package report is no API: it makes what people read of a run of the benchmark: tables for a
// terminal, a page of Markdown with pictures, the text that benchstat reads, and the comparison of
// two runs. All of it is made of a [result.Run] alone, so it can be made again from the recording
// of one.
package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/internal/atomicfile"
	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/pivot"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// The names of the files of a report, beside the pictures.
const (
	ReadmeFile = "README.md"
	ResultFile = "result.json.gz"
)

// Write writes a run into a folder, which is made where there is none: the recording, and what
// [Render] writes.
func Write(folder string, run *result.Run) error {
	return Save(folder, ResultFile, run.WriteGzip, Pictures(run), writesPage(run))
}

// Render writes the page of a run and its pictures into a folder.
func Render(folder string, run *result.Run) error {
	return Save(folder, "", nil, Pictures(run), writesPage(run))
}

// writesPage returns what writes the page of a run.
func writesPage(run *result.Run) func(w io.Writer) error {
	return func(w io.Writer) error { return Markdown(w, run) }
}

// Save writes a recording, if it has a name, its pictures and its page into a folder, which is made
// where there is none. Each file is replaced whole or stays as it was, and other files are left
// alone, but for pictures that are nil.
func Save(
	folder, name string,
	recording func(w io.Writer) error,
	pictures map[string]*chart.Picture,
	page func(w io.Writer) error,
) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	if name != "" {
		if err := atomicfile.Write(filepath.Join(folder, name), 0o666, recording); err != nil {
			return err
		}
	}
	for name, picture := range pictures {
		name = filepath.Join(folder, name)
		if picture == nil {
			if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		} else if err := atomicfile.Write(name, 0o666, picture.WriteSVG); err != nil {
			return err
		}
	}
	// Last, because it links the others.
	return atomicfile.Write(filepath.Join(folder, ReadmeFile), 0o666, page)
}

// section is a part of a report.
type section struct {
	title    string
	about    string
	lines    []string // a list
	pictures []string
	tables   tables
}

// sections are the parts of a report that have something to say.
func sections(run *result.Run) (parts []section) {
	peers := `, in memory that the Go runtime gave. LOST is where a peer is faster, and ? where
the noise leaves it undecided; a build is not judged.`
	bytesPeers := `From keys of 16 bytes to answers, hashing included: the kinds of filters in
batches and one key at a time, whose hash is under a secret, beside peers with the hash of their own
or that they leave to their users, which "The peers" names. A table of many members was filled with
hashes, but for the keys that are asked for.`
	if !run.PlainLoops {
		peers, bytesPeers = peers+" "+result.SlowLoops, bytesPeers+" "+result.SlowLoops
	}
	all, collected := cells(Recording{Run: run}), int64(0)
	for _, l := range run.Latencies {
		if l.Loaded && (collected == 0 || l.Collected < collected) {
			collected = l.Collected
		}
	}
	for _, s := range []section{
		{title: "Summary", lines: summary(run), tables: tables{peerTable(run)}},
		{title: "Batches by size of the table", about: `Batches of thousands of keys on one core. A
floor is a bare loop over the same memory, the loads and stores of the operation without its work,
with and without prefetching, whichever is faster. Queries "hit", "miss", or are "mixed": half of
the keys asked for are members. The tables for a terminal have all three.`,
			pictures: []string{batchesPicture}, tables: operationTables(all)},
		{title: "Keys per call", about: "The methods of a table, as programs call them, and " +
			"matches of a header.",
			tables: callTables(all)},
		{title: "Positions of what is present", about: `A selection writes the positions of the
keys that are present. Beside it are the bitmap of a query, which is less, and the bitmap with a
loop in Go over its words, which writes the same positions.`,
			tables: selectionTable(all)},
		{title: "Several cores", about: "The same batches on several cores at once, each with " +
			"keys of its own.",
			tables: coreTable(all)},
		{title: "Beside peers with as many bits per key", about: `Each filter, through the fastest
of its calls, has as many bits per key as ours, or the nearest that it can have` + peers +
			` Its rate of false
positives stands beside, for a fast but sloppy filter must show as such.`,
			pictures: []string{bitsPicture},
			tables:   peerTables(sides[0].duels(all))},
		{title: "Beside peers at the same rate of false positives", about: `Each filter has what
memory it needs for the rate of ours, or the nearest that it can have` + peers,
			pictures: []string{ratePicture},
			tables:   peerTables(sides[2].duels(all))},
		{title: "Keys of bytes", about: `Programs have keys, and not hashes. All hashes are of the
same keys, which lie one behind another in memory; ours take them in batches or one at a time, other
libraries one at a time. In a chain, which of two keys is next depends on the hash before. Nobody
who lacks the secret of a hash can choose keys that collide. A query of a batch of keys hashes a group of them,
and then looks them up: "hash" is that alone, "index" what a table in the first-level cache takes
more, and "memory" what one of the size that is named takes beyond that.`,
			pictures: []string{bytesPicture},
			tables: tables{hashTable(result.FormBatch, all), hashTable(result.FormChain, all),
				stackTable(run.Groups)}},
		{title: "Keys of bytes, beside peers with as many bits per key", about: bytesPeers,
			pictures: []string{bytesBitsPicture},
			tables:   peerTables(sides[1].duels(all))},
		{title: "Keys of bytes, by their length",
			about:  "The same filters with keys of other lengths, and queries of strings.",
			tables: lengthTables(all)},
		{title: "Keys of bytes, beside peers at the same rate of false positives",
			about: bytesPeers, pictures: []string{bytesRatePicture},
			tables: peerTables(sides[3].duels(all))},
		{title: "The peers", about: "Other Go libraries' filters, of the same keys.",
			tables: libraryTables(run)},
		{title: "Accuracy and memory", about: `What filters answer when they hold all their members,
on the same keys. No delete clears a collision bit of ours: the rate of false positives grows with
all inserts, not only with the members that are left, until blocks are refreshed.`,
			pictures: []string{accuracyPicture}, tables: accuracyTables(run)},
		{title: "Latency", about: fmt.Sprintf(`Each call is timed on its own. The clock steps by %s.
"With GC" is while other goroutines allocate all the time, for %s or more.`,
			seconds(run.ClockStep), quantity.Of(int(collected), "garbage collection")),
			tables: latencyTables(run)},
		{title: "Notes", lines: run.Notes},
	} {
		s.tables = pivot.Where(s.tables, func(t *pivot.Table) bool { return len(t.Rows) > 0 })
		if len(s.tables)+len(s.lines) > 0 {
			s.about = strings.Join(strings.Fields(s.about), " ")
			parts = append(parts, s)
		}
	}
	return parts
}

// machine is what a run was made on.
func machine(run *result.Run) string {
	c := run.CacheBytes
	text := fmt.Sprintf("%s (%s), %s; data caches L1 %s, L2 %s, L3 %s; implementations, best "+
		"first: %s; %s",
		run.CPU, run.Platform, quantity.Of(run.Cores, "core"), cache(c.L1),
		cache(c.L2), cache(c.L3), strings.Join(run.Implementations, ", "), run.Go)
	if run.Revision != "" {
		text += "; revision " + run.Revision
	}
	return text + "; begun " + run.Date
}

// cache writes the size of a cache, -1 being one that the CPU does not tell.
func cache(bytes int) string {
	if bytes <= 0 {
		return "unknown"
	}
	return quantity.Bytes(bytes)
}

// text writes a table for a terminal, under its title.
func text(w io.Writer, t *pivot.Table) {
	fmt.Fprintf(w, "\n%s\n", about(t.Title, t.About))
	t.Text(w, 2)
}

// markdown returns a table as Markdown, under its title.
func markdown(t *pivot.Table) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s\n\n",
		about("**"+pivot.Escape(sentence(t.Title))+"**", pivot.Escape(t.About)))
	t.Markdown(&b)
	return b.String()
}

// about is a title, and what the figures below it are, if that is to be said.
func about(title, about string) string { return strings.TrimSuffix(title+": "+about, ": ") }

// sentence begins with a capital letter.
func sentence(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	return strings.ToUpper(string(first)) + s[size:]
}

// Text writes a run as tables for a terminal.
func Text(w io.Writer, run *result.Run) error {
	var b bytes.Buffer
	fmt.Fprintln(&b, machine(run))
	for _, s := range sections(run) {
		fmt.Fprintf(&b, "\n== %s ==\n", s.title)
		if s.about != "" {
			fmt.Fprintf(&b, "\n%s\n", s.about)
		}
		if len(s.lines) > 0 {
			fmt.Fprintf(&b, "\n%s\n", strings.Join(s.lines, "\n"))
		}
		for _, t := range s.tables {
			text(&b, t)
		}
	}
	_, err := b.WriteTo(w)
	return err
}

// Markdown writes the page of a run for a reader who has not seen the project, with links to the
// other files that Write writes.
func Markdown(w io.Writer, run *result.Run) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, `# Bloomlane on %s

What the benchmark of Bloomlane, a Bloom filter that can delete, measured on one machine: how long
its operations take, beside what the memory allows (floors) and other Go libraries (peers), and how
exact the filters are. The machine: %s.

A table has blocks of 512 or 256 bits: a key sets 7 bits in one block, so an operation touches one
or half a cache line. Keys are random 64-bit hashes. A time is the least that was seen, summed over
slices of the keys. What is compared ran in one process, in alternation on the same keys. Ours and a
peer are compared by the ratios of their times round by round: undecided is what the noise or less
than 8 rounds leave open at a confidence of %g, or what is less than %s.

[%s](%s) has every sample. "go run ./bench render" makes this page from it, with --text all tables
for a terminal (other pages and sizes too), and with --benchstat what benchstat reads.
`, pivot.Escape(run.CPU), pivot.Escape(machine(run)), result.Confidence, percent(result.Level),
		ResultFile, ResultFile)
	pictures := Pictures(run)
	for _, s := range sections(run) {
		fmt.Fprintf(&b, "\n## %s\n", s.title)
		if s.about != "" {
			fmt.Fprintf(&b, "\n%s\n", pivot.Escape(s.about))
		}
		for i, line := range s.lines {
			fmt.Fprintf(&b, "%s- %s\n", []string{"\n", ""}[min(i, 1)], pivot.Escape(line))
		}
		for _, name := range s.pictures {
			if pictures[name] != nil {
				fmt.Fprintf(&b, "\n![%s](%s)\n", pivot.Escape(pictures[name].Title), name)
			}
		}
		for _, t := range s.tables {
			if !t.Detail {
				b.WriteString(markdown(t))
			}
		}
	}
	_, err := b.WriteTo(w)
	return err
}
