package streams

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bloomlane/bloomlane/report/quantity"
	"github.com/bloomlane/bloomlane/studies/recording"
)

// Blocks returns the tables that pages have of the recordings in a folder's folders, as Markdown,
// by name.
func Blocks(results string) (map[string]string, error) {
	churned, streamed, grew := new(turned), new(compared), new(grown)
	for folder, r := range map[string]recording.Recording{"churn": churned, "streams": streamed,
		"growth": grew} {
		if err := recording.Load(filepath.Join(results, folder), r); err != nil {
			return nil, err
		}
	}
	blocks := map[string]string{}
	tables := map[string]recording.Table{
		"kinds": streamed.short(), "lasting": churned.lasting(), "costs": churned.costs(),
		"growth": grew.short(), "choices": choices(churned, streamed, grew),
	}
	for name, t := range tables {
		var b bytes.Buffer
		b.WriteByte('\n')
		t.Write(&b)
		blocks[name] = b.String() + "\n"
	}
	return blocks, nil
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
		"times,\n  at %d bits per key or less; a refresh inserts one member again per insert "+
		"(commit %.7s).", quantity.Count(r.Config.Members), slices.Max(r.Config.Turnovers), bits,
		r.Revision), nil
}

// choices has the questions of docs/choosing.md, and of the answer to each what was measured.
func choices(churned *turned, streamed *compared, grew *grown) recording.Table {
	t := recording.Table{{"question", "yes: use", "bits per member", "rate, %", "query, ns: cache",
		"memory"}}
	line := func(question, filter string, bits float64, rate share, cache, memory string) {
		t = append(t, []string{question, filter, quantity.Digits(bits), rate.percent(), cache,
			memory})
	}
	of := func(kind string, at stream) (served, timed) {
		i := slices.IndexFunc(streamed.Served, func(s served) bool {
			return s.Kind == kind && s.Stream == at.name && s.Budget == streamed.Settings.Bits[0]
		})
		j := slices.IndexFunc(streamed.Timed, func(s timed) bool {
			return s.Subject == kind && s.Budget == streamed.Settings.Bits[0]
		})
		return streamed.Served[i], streamed.Timed[j]
	}
	after := func(question, filter, subject string, bits, turnovers int) {
		i := slices.IndexFunc(churned.Rows, func(r row) bool {
			return r.Subject == subject && r.Budget == bits
		})
		r := churned.Rows[i]
		at := slices.Index(churned.Config.Turnovers, turnovers)
		line(question, filter, r.Bits, r.Rates[at], r.Cache.Query.text(), r.Memory.Query.text())
	}
	blocked, times := of("blocked", streams[0])
	line("Do members only come?", "`filter/plain`, its blocked form", blocked.Bits, blocked.Rate,
		times.Cache.Query.text(), times.Memory.Query.text())
	expiring, times := of("rolling, expiring", streams[2])
	line("Do members leave by age?", "`filter/rolling` with `Expire`", expiring.Bits,
		expiring.Rate, times.Cache.Query.text(), times.Memory.Query.text())
	i := slices.IndexFunc(grew.Steps, func(s step) bool {
		return s.Subject == "elastic" && s.Members == grew.Config.Most && !s.Shrinks
	})
	elastic := grew.Steps[i]
	line("Do people name what to delete, or is the number of members unknown?", "`filter/elastic`",
		8*float64(elastic.Memory.sum())/float64(elastic.Members), elastic.Rate, nothing,
		elastic.Query.text())
	const few, many = 3, 10
	after("Do you build the filter again before its members were replaced three times?",
		"`filter/deletable` with `Turnovers`", nameDeletable, 32, few)
	after("Can you list the members of an interval of hashes?",
		"`filter/deletable` with `Reinserts` and a `Refresher`", nameRefreshed, 16, many)
	after("May a full filter refuse an insert?", "`filter/cuckoo`", "cuckoo, 15 bits", 16, many)
	after("None of these?", "`filter/counting`", "counting, 4 bits", 32, many)
	return t
}

// short has a line for each kind: its rate in each stream, or the error of its counts, and what
// queries and inserts take.
func (r *compared) short() recording.Table {
	t := recording.Table{{"filter"}}
	for _, s := range streams {
		for _, bits := range r.Settings.Bits {
			t[0] = append(t[0], fmt.Sprintf("%s, %d bits", s.short, bits))
		}
	}
	t[0] = append(t[0], "query, ns: cache", "memory", "insert, ns: cache", "memory")
	for _, row := range r.Served {
		if slices.ContainsFunc(t, func(line []string) bool { return line[0] == row.Kind }) {
			continue
		}
		line := []string{row.Kind}
		for _, s := range streams {
			for _, bits := range r.Settings.Bits {
				at := slices.IndexFunc(r.Served, func(of served) bool {
					return of.Kind == row.Kind && of.Stream == s.name && of.Budget == bits
				})
				line = append(line, r.Served[at].cell(&s))
			}
		}
		at := slices.IndexFunc(r.Timed, func(of timed) bool {
			return of.Subject == row.Kind && of.Budget == r.Settings.Bits[0] && of.Cache != nil &&
				of.Memory != nil
		})
		if at < 0 {
			line = append(line, nothing, nothing, nothing, nothing)
		} else {
			cache, memory := r.Timed[at].Cache, r.Timed[at].Memory
			line = append(line, cache.Query.text(), memory.Query.text(), cache.Insert.text(),
				memory.Insert.text())
		}
		t = append(t, line)
	}
	return t
}

// cell is a kind's in a stream, in short.
func (r *served) cell(s *stream) string {
	switch {
	case r.Cannot != "":
		return r.Cannot
	case s.drawn:
		return cmp.Or(deviation.cell(r), cannotCount)
	case r.Missed.Count > 0:
		return fmt.Sprintf("%s, misses %s", r.Rate.percent(), r.Missed.percent())
	}
	return r.Rate.percent()
}

// lasting has the fewest bits per key, of those that were tried, with which a filter has a rate in
// the end.
func (r *turned) lasting() recording.Table {
	targets := []float64{0.1, 0.03, 0.01, 0.001, 0.0001, 0.00001}
	t := recording.Table{{"filter"}}
	for _, target := range targets {
		t[0] = append(t[0], fmt.Sprintf("%g %%", 100*target))
	}
	const cuckoos = "cuckoo, "
	name := func(subject string) string {
		if strings.HasPrefix(subject, cuckoos) {
			return cuckoos + "the best length"
		}
		return subject
	}
	for _, of := range r.Rows {
		if slices.ContainsFunc(t, func(line []string) bool { return line[0] == name(of.Subject) }) {
			continue
		}
		line := []string{name(of.Subject)}
		for _, target := range targets {
			at := slices.IndexFunc(r.Rows, func(r row) bool {
				return name(r.Subject) == line[0] && r.last() <= target
			})
			if at < 0 {
				line = append(line, nothing)
			} else {
				line = append(line, fmt.Sprint(r.Rows[at].Budget))
			}
		}
		t = append(t, line)
	}
	return t
}

// last is the rate in the end.
func (r *row) last() float64 { return r.Rates[len(r.Rates)-1].value() }

// costs has the times of filters of 24 bits per key.
func (r *turned) costs() recording.Table {
	t := recording.Table{{
		"filter", "cache: query", "delete", "insert", "memory: query", "delete", "insert",
	}}
	for _, row := range r.Rows {
		if row.Budget == 24 {
			cells := row.cells(&r.Config)
			t = append(t, append([]string{row.Subject}, cells[len(cells)-6:]...))
		}
	}
	return t
}

// short has a line for each filter: its memory as it grows, and its times with the most members.
func (r *grown) short() recording.Table {
	t := recording.Table{{"filter"}}
	for _, s := range r.subjects() {
		t = append(t, []string{s.Subject})
	}
	column := func(name string, members int, shrinks bool, cell func(s *step) string) {
		t[0] = append(t[0], name)
		for i, line := range t[1:] {
			text := nothing
			for _, s := range r.Steps {
				if s.Subject == line[0] && s.Members == members && s.Shrinks == shrinks {
					text = cell(&s)
				}
			}
			t[i+1] = append(t[i+1], text)
		}
	}
	about := "bytes per member: "
	for n := r.Config.Least; n <= r.Config.Most; n *= 10 {
		column(about+quantity.Count(n), n, false, func(s *step) string {
			return quantity.Digits(float64(s.Memory.sum()) / float64(n))
		})
		about = ""
	}
	most := r.Config.Most
	column("insert, ns", most, false, func(s *step) string { return s.Update.text() })
	column("longest", most, false,
		func(s *step) string { return quantity.SI(float64(s.Longest)/1e9, "s") })
	column("query, ns", most, false, func(s *step) string { return s.Query.text() })
	column("delete, ns", most/10, true, func(s *step) string { return s.Update.text() })
	column("rate, %", most, false, func(s *step) string { return s.Rate.percent() })
	return t
}
