package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/bloomlane/bloomlane/bench/result"
)

// The names of the files that Write writes, beside the pictures.
const (
	ReadmeFile    = "README.md"
	ResultFile    = "result.json"
	BenchstatFile = "benchstat.txt"
)

// Markdown writes the report of a run for a reader who has not seen the project. It links the other
// files that Write writes, by relative paths.
func Markdown(w io.Writer, run *result.Run) error {
	var b bytes.Buffer
	contests := run.Contests()
	m := markdown{&b, Plots(run), map[string]bool{}}

	fmt.Fprintf(&b, "# Bloomlane on %s\n\n", escape(run.CPU))
	m.paragraph(`Bloomlane is a Bloom filter that can delete, for Go and for FPGAs. This page is what its benchmark
measured on one machine: how long the filter's operations take, how that compares with what the memory
allows (floors) and with other Go libraries (peers), and how exact the filters are.`)

	m.heading(2, "Summary")
	if t, ok := glance(contests); ok {
		m.paragraph(t.about)
		fmt.Fprintln(&b)
		t.cells(&b)
		fmt.Fprintln(&b)
	}
	for _, line := range summary(run, contests) {
		fmt.Fprintf(&b, "- %s\n", escape(line))
	}
	m.machine(run)
	m.method(run)

	m.section("Operations by size of the table",
		`Times of the kernels of each instruction set, and of floors. "Batches" are calls with thousands of
keys; of queries, "hit", "miss" and "mixed" say whether the keys asked for are members, strangers, or half
of each. In the pictures queries are mixed.`,
		kernelTables(contests))
	m.section("Several cores",
		`The same loop on several cores at once, each with keys of its own.`,
		scalingTables(contests))
	m.section("Peers with as many bits a key",
		`Each filter, through the fastest of its calls, has as many bits a key as ours, or the nearest that it
can have; its rate of false positives stands beside, for a fast but sloppy filter must show as such.`+peerNote,
		peerTables(contests, result.AtEqualBits))
	m.section("Peers at the same rate of false positives",
		`Each filter has what memory it needs for the rate of ours, or the nearest that it can have.`+peerNote,
		peerTables(contests, result.AtEqualRate))
	if t, ok := librariesTable(run); ok {
		m.section("The peers", `Other Go libraries' filters of the same kind of keys, which are random hashes of 64 bits.`, []table{t})
	}
	accuracy := accuracyTables(run)
	if t, ok := memoryTable(run); ok {
		accuracy = append(accuracy, t)
	}
	m.section("Accuracy and memory",
		`What filters answer when they hold all their members, on the same keys. Our collision bits never clear: the
rate of false positives grows with all inserts ever made, not only with the members that are left.`,
		accuracy)
	if len(run.Accuracy) > 0 || slices.ContainsFunc(contests, func(c result.Contest) bool { return c.Against != "" }) {
		m.heading(2, "Wrong answers")
		wrong := wrongAnswers(run)
		for _, line := range wrong {
			fmt.Fprintf(&b, "- %s\n", escape(line))
		}
		if len(wrong) == 0 {
			m.paragraph("None: every filter took all members and found each that it was asked for.")
		}
	}
	m.section("Latency",
		fmt.Sprintf(`The time of each call on its own, by percentiles: half of the calls took no longer than p50, all
but one in a thousand no longer than p99.9. The clock steps by %s. Under load other goroutines allocate all the
time; the calls went on for so many garbage collections.`, duration(run.ClockStep)),
		latencyTables(run))
	m.section("From which batch on a batch call is faster",
		`A loop over calls of one key, and batches by the keys of a call, a key.`,
		callsTables(contests))
	if len(run.Notes) > 0 {
		m.heading(2, "Notes")
		for _, note := range run.Notes {
			fmt.Fprintf(&b, "- %s\n", escape(note))
		}
	}
	m.heading(2, "Files")
	fmt.Fprintf(&b, "- [%s](%s): all of this with every sample; this page and the pictures are made from it.\n", ResultFile, ResultFile)
	fmt.Fprintf(&b, "- [%s](%s): the samples in the format of Go's benchmarks, for `benchstat`.\n", BenchstatFile, BenchstatFile)
	for _, p := range m.plots { // none may be lost because no section asked for it
		if !m.shown[p.Name] {
			fmt.Fprintf(&b, "- [%s](%s): %s.\n", p.Name, p.Name, escape(p.Title))
		}
	}
	_, err := b.WriteTo(w)
	return err
}

const peerNote = ` A comparison is won or lost where the samples of the same rounds bear it out, and else undecided; its
factor is that of the times in the table. In the pictures a bar to the right says how many times as long the peer took.`

// markdown writes the parts of a page.
type markdown struct {
	*bytes.Buffer
	plots []Plot
	shown map[string]bool
}

func (m *markdown) heading(level int, text string) {
	fmt.Fprintf(m, "\n%s %s\n\n", strings.Repeat("#", level), text)
}

// paragraph writes text with its line breaks as they happen to be in the source taken out.
func (m *markdown) paragraph(text string) {
	fmt.Fprintf(m, "%s\n", strings.Join(strings.Fields(text), " "))
}

// section writes tables under a heading, each picture before the first table of the same; nothing,
// where there are no tables.
func (m *markdown) section(title, about string, tables []table) {
	if len(tables) == 0 {
		return
	}
	m.heading(2, title)
	m.paragraph(about)
	for _, t := range tables {
		for _, p := range m.plots {
			if p.Name == t.picture && !m.shown[p.Name] {
				fmt.Fprintf(m, "\n![%s](%s)\n", escape(p.Title), p.Name)
				m.shown[p.Name] = true
			}
		}
		t.markdown(m, 3)
	}
}

func (m *markdown) machine(run *result.Run) {
	m.heading(2, "Machine")
	fmt.Fprintf(m, "| | |\n| --- | --- |\n")
	c := run.CacheBytes
	for _, row := range [][2]string{
		{"CPU", run.CPU},
		{"cores", fmt.Sprint(run.Cores)},
		{"data caches", fmt.Sprintf("L1 %s, L2 %s, L3 %s; last level %s", cache(c.L1), cache(c.L2), cache(c.L3), cache(c.Last))},
		{"platform", run.Platform},
		{"Go", run.Go},
		{"implementations, best first", strings.Join(run.Features, ", ")},
		{"revision", run.Revision},
		{"begun", run.Date},
	} {
		if row[1] != "" {
			fmt.Fprintf(m, "| %s | %s |\n", row[0], escape(row[1]))
		}
	}
}

func (m *markdown) method(run *result.Run) {
	m.heading(2, "How it was measured")
	m.paragraph(`A filter is a table of blocks, of 512 or 256 bits: a key sets 7 bits in one block, so an operation touches
one or half a cache line. Keys are random 64-bit hashes; hashing is in the times of those peers only that take no
hashes. A time is of a key (or a block
of a merge, or a mask of a header match), the least that was seen, summed over slices of the keys. What stands in one
column of a table, and is of the same pages, ran in one process, by turns on the same keys, so that a change of the
machine's speed hits all alike.`)
	fmt.Fprintln(m)
	m.paragraph(`A floor is a bare loop over the same memory: the loads and stores of the operation without its work. A
figure in brackets is the ratio to the fastest floor, and 1.00x about what the memory allows.`)
	var rounds []int
	for _, t := range run.Timings {
		rounds = append(rounds, max(t.Rounds, len(t.Samples)))
	}
	if len(rounds) > 0 {
		fmt.Fprintln(m)
		m.paragraph(fmt.Sprintf(`Each contender ran %s rounds; a sample is the mean of a round, or of neighbouring ones where there are many. Contenders of one group are compared
by the signs of their differences round by round (with fewer than 8 samples, by the Mann-Whitney U test), at a
significance of %g; a difference of up to %s is called undecided too,
and one that the least times contradict.`,
			span(slices.Min(rounds), slices.Max(rounds)), result.Significance, percent(result.Level)))
	}
}

func span(low, high int) string {
	if low == high {
		return fmt.Sprint(low)
	}
	return fmt.Sprintf("%d to %d", low, high)
}
