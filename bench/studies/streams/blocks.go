package streams

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bloomlane/bloomlane/bench/studies/recording"
	"github.com/bloomlane/bloomlane/report/pivot"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// Blocks returns the tables that pages have of the recordings in a folder's folders, as Markdown,
// by name.
func Blocks(results string) (map[string]string, error) {
	churned, streamed := new(turned), new(compared)
	for folder, r := range map[string]recording.Recording{"churn": churned, "streams": streamed} {
		if err := recording.Load(filepath.Join(results, folder), r); err != nil {
			return nil, err
		}
	}
	blocks := map[string]string{}
	tables := map[string]*pivot.Table{
		"lasting": churned.lasting(), "choices": choices(churned, streamed),
	}
	for name, t := range tables {
		var b bytes.Buffer
		b.WriteByte('\n')
		t.Markdown(&b)
		blocks[name] = b.String() + "\n"
	}
	blocks["choices"] += runs(&streamed.Run, &churned.Run)
	return blocks, nil
}

// runs says on which machines, at which commits and on which days the recordings of the questions
// were made, in their order.
func runs(streams, churn *recording.Run) string {
	var b strings.Builder
	b.WriteString("Measured in three runs, so that times of two runs compare only roughly:\n")
	line := func(rows, study, cpu, revision, date string) {
		day, _, _ := strings.Cut(date, "T")
		const line = "%s in [%s](../bench/studies/results/%s/README.md), on %s, commit %.7s, %s;\n"
		fmt.Fprintf(&b, line, rows, study, study, strings.ReplaceAll(cpu, "(R)", ""), revision, day)
	}
	line("the first two rows", "streams", streams.CPU, streams.Revision, streams.Date)
	line("elastic", "growth", "Intel Xeon Processor", "9a94e62", "2026-11-22")
	line("the others", "churn", churn.CPU, churn.Revision, churn.Date)
	return strings.TrimSuffix(b.String(), ";\n") + ".\n\n"
}

// Left says for each filter that deletes what deletes leave: the rate of false positives after the
// turnovers of the recording in a folder's folder, with at most a number of bits per key; and in a
// sentence what was measured.
func Left(results string, bits int) (left map[string]string, sentence string, err error) {
	r := new(turned)
	if err := recording.Load(filepath.Join(results, "churn"), r); err != nil {
		return nil, "", err
	}
	left = map[string]string{}
	for _, row := range r.Rows {
		if row.Budget == bits {
			last := row.Rates[len(row.Rates)-1]
			left[row.Subject] = quantity.Percent(last.value())
		}
	}
	if of := left[nameRefreshed]; of != "" {
		left[nameDeletable] += ", refreshed " + of
	}
	return left, fmt.Sprintf("the rate of false positives when %s members have been replaced %d "+
		"times,\nat %d bits per key or less; a refresh inserts one member again per insert "+
		"(commit %.7s).", quantity.Count(r.Config.Members), slices.Max(r.Config.Turnovers), bits,
		r.Revision), nil
}

// Subject returns the name in left of the subject that a kind of ours is: of several, the one of
// the longest name, and of these the last, which has the longest fingerprints.
func Subject(left map[string]string, kind string) (name string) {
	for subject := range left {
		rest, ok := strings.CutPrefix(subject, kind+", ")
		if ok && strings.HasSuffix(rest, "bits") &&
			cmp.Or(len(subject)-len(name), cmp.Compare(subject, name)) > 0 {
			name = subject
		}
	}
	return cmp.Or(name, kind)
}

// choices has the questions of docs/choosing.md, and of the answer to each what was measured.
func choices(churned *turned, streamed *compared) *pivot.Table {
	t := pivot.Empty("question|yes: use|bits per member|rate, %|query, ns: cache|memory|" +
		"measured after")
	t.Labels = 2
	line := func(question, filter string, bits float64, rate share, cache, memory, then string) {
		t.Rows = append(t.Rows, []string{question, filter, quantity.Digits(bits), rate.percent(),
			cache, memory, then})
	}
	kind := func(question, filter, kind string, at stream, then string) {
		bits := streamed.Settings.Bits[0]
		s, t := streamed.in(kind, &at, bits), streamed.timesOf(kind, bits)
		line(question, filter, s.Bits, s.Rate, t.Cache.Query.text(), t.Memory.Query.text(), then)
	}
	after := func(question, filter, subject string, bits, turnovers int) {
		r := pivot.Find(churned.Rows,
			func(r row) bool { return r.Subject == subject && r.Budget == bits })
		at := slices.Index(churned.Config.Turnovers, turnovers)
		line(question, filter, r.Bits, r.Rates[at], r.Cache.Query.text(), r.Memory.Query.text(),
			fmt.Sprintf("%d turnovers", turnovers))
	}
	kind("Do members only come?", "filter/plain, its blocked form", "blocked", streams[0],
		"all members")
	kind("Do members leave by age?", "filter/rolling with Expire", "rolling, expiring", streams[2],
		"a stream")
	// The study of filters that grow has left the tree: this is what it found.
	t.Rows = append(t.Rows, []string{
		"Are you unsure whether a key to delete is a member, or how many members will come?",
		"filter/elastic", "88.5", "0.061–0.091", "", "7.88–8.67", "growth to 10 million",
	})
	const few, many = 3, 10
	after("Do you build the filter again before its members were replaced three times?",
		"filter/deletable with Turnovers", nameDeletable, 32, few)
	after("Can you list the members of an interval of hashes?",
		"filter/deletable with Reinserts and a Refresher", nameRefreshed, 16, many)
	after("May a full filter refuse an insert?", "filter/cuckoo", "cuckoo, 15 bits", 16, many)
	after("None of these?", "filter/counting", "counting, 4 bits", 32, many)
	return t
}

// in returns what a kind did with a stream, nil where it was not asked.
func (r *compared) in(kind string, s *stream, bits int) *served {
	return pivot.Find(r.Served, func(r served) bool {
		return r.Kind == kind && r.Stream == s.name && r.Budget == bits
	})
}

// timesOf returns the times of a filter, nil where there are none.
func (r *compared) timesOf(subject string, bits int) *timed {
	return pivot.Find(r.Timed,
		func(t timed) bool { return t.Subject == subject && t.Budget == bits })
}

// lasting has the fewest bits per key, of those that were tried, with which a filter has a rate in
// the end.
func (r *turned) lasting() *pivot.Table {
	const cuckoos = "cuckoo, "
	name := func(r row) string {
		if strings.HasPrefix(r.Subject, cuckoos) {
			return cuckoos + "the best length"
		}
		return r.Subject
	}
	targets, heads := []float64{0.1, 0.03, 0.01, 0.001, 0.0001, 0.00001}, "filter"
	for _, target := range targets {
		heads += fmt.Sprintf("|%g %%", 100*target)
	}
	return pivot.Rows(heads, pivot.First(r.Rows, name), func(first row) []string {
		cells := []string{name(first)}
		for _, target := range targets {
			cell := ""
			if least := pivot.Find(r.Rows, func(r row) bool {
				return name(r) == name(first) && r.last() <= target
			}); least != nil {
				cell = fmt.Sprint(least.Budget)
			}
			cells = append(cells, cell)
		}
		return cells
	})
}

// last is the rate in the end.
func (r *row) last() float64 { return r.Rates[len(r.Rates)-1].value() }
