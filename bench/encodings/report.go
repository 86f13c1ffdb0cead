package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bloomlane/bloomlane/bench/encodings/encoding"
	"github.com/bloomlane/bloomlane/bench/report"
	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/internal/atomicfile"
)

// The files of a report, beside its pictures.
const (
	pageFile = "README.md"
	jsonFile = "result.json"
)

func (s *Study) json(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(s)
}

// read reads what json wrote.
func read(name string) (*Study, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	s := new(Study)
	if err := json.Unmarshal(text, s); err != nil {
		return nil, fmt.Errorf("%s: malformed study: %w", name, err)
	}
	if s.Schema != schema {
		return nil, fmt.Errorf("%s: study of schema %d, want %d", name, s.Schema, schema)
	}
	if err := s.Plan.check(); err != nil {
		return nil, fmt.Errorf("%s: malformed plan: %w", name, err)
	}
	return s, nil
}

// write writes the report into a folder.
func (s *Study) write(folder string) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	write := func(name string, content func(w io.Writer) error) error {
		return atomicfile.Write(filepath.Join(folder, name), 0o666, content)
	}
	if err := write(jsonFile, s.json); err != nil {
		return err
	}
	for _, p := range s.pictures() {
		if err := write(p.Name, p.WriteSVG); err != nil {
			return err
		}
	}
	return write(pageFile, s.markdown)
}

// section is tables of one kind, and the pictures before them.
type section struct {
	title, about string
	pictures     []report.Plot
	tables       []report.Table
}

func (s *Study) sections() (all []section) {
	if len(s.Points) > 0 {
		all = append(all, section{
			"False positives, and what can be deleted",
			fmt.Sprintf(`%d members at a time, in tables of equal size; means over %d seeds, in each of which all encodings
have the same members. "Fresh" is before anything was deleted. A rate is exact for a table: the mean over its blocks of the
product of its lanes' fills. Of %d strangers, asked of each table, a part was present that differs from it by %.1f standard errors
at most. Deletable is the part of the members whose delete clears a bit, and so makes the key invisible.`,
				s.Plan.Members, s.Plan.Seeds, strangers, s.deviation()),
			s.churnPictures(), s.churnTables(),
		})
	}
	if len(s.Sizes) > 0 {
		all = append(all, section{
			"Bits that a demand takes",
			fmt.Sprintf(`The fewest bits a key with which a table of %d members still meets a demand after delete-oldest turnovers;
in brackets the part of the members that is deletable then. "%s" is the ring of 4 generations of package rolling,
whose rate no number of turnovers raises.`, s.Plan.Members, ring),
			s.sizePictures(), s.sizeTables(),
		})
	}
	if len(s.Timings) > 0 {
		all = append(all, section{
			"Speed",
			fmt.Sprintf(`Tables of %d bits a key after delete-oldest turnovers. Of queries half of the keys are members; what is
deleted is inserted again, which leaves a table as it was. A cell has the least time in nanoseconds a key, and as multiples of
those of the format of the same kind the least, and the median of %d rounds (of a fifth of that beyond the cache). In a round each
contender in its turn had the same keys, or beyond the cache keys of its own; there, what has no assembly is followed for %d turnover. The rows "%s" are the format's assembly once more, elsewhere in memory:
what differs from 1 there is no difference of encodings. "%s" is the definition in Go, "%s" the format lane by lane, both in the same process.`,
				bitsAKey, s.Plan.Rounds, slowTurnovers, strings.TrimPrefix(control, ", "), portable, handwritten),
			s.speedPictures(), s.speedTables(),
		})
	}
	return all
}

func (s *Study) pictures() (all []report.Plot) {
	for _, section := range s.sections() {
		all = append(all, section.pictures...)
	}
	return all
}

// text writes the study for a terminal.
func (s *Study) text(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "cpu  %s (%s), %s\n", s.CPU, s.Platform, s.Go)
	for _, section := range s.sections() {
		fmt.Fprintf(&b, "\n== %s ==\n\n%s\n", section.title, unwrapped(section.about))
		for _, t := range section.tables {
			t.Text(&b)
		}
	}
	_, err := b.WriteTo(w)
	return err
}

func (s *Study) markdown(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Other ways to code collisions\n\n%s\n", unwrapped(`What "go run ./bench/encodings" found: encodings of
collisions that the format does not have, at equal bits, in blocks of 512 bits. The documentation of package
bench/encodings/encoding defines them, and DESIGN.md has what follows from it: "Why one collision lane". "Grows a lane at 24" is the format until 24 of a block's columns are collided, and has two collision lanes from then
on; "refines at 8" has two columns a region until 8 are collided, and is the format from then on.`))
	revision := ""
	if s.Revision != "" {
		revision = ", revision " + s.Revision
	}
	fmt.Fprintf(&b, "\n%s, %s, %s; L1 %s, L2 %s, L3 %s; begun %s%s.\n", s.CPU, s.Platform, s.Go, bytesOf(s.CacheBytes.L1), bytesOf(s.CacheBytes.L2),
		bytesOf(s.CacheBytes.L3), s.Date, revision)
	for _, section := range s.sections() {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", section.title, unwrapped(section.about))
		for _, p := range section.pictures {
			fmt.Fprintf(&b, "\n![%s](%s)\n", p.Title, p.Name)
		}
		for _, t := range section.tables {
			t.Markdown(&b, 3)
		}
	}
	fmt.Fprintf(&b, "\nAll of it is in [%s](%s), from which \"go run ./bench/encodings render\" makes this page again.\n", jsonFile, jsonFile)
	_, err := b.WriteTo(w)
	return err
}

func unwrapped(text string) string { return strings.Join(strings.Fields(text), " ") }

func bytesOf(n int) string { return result.FormatSize(int64(n)) }

// state names a number of turnovers.
func state(turnovers float64) string {
	switch turnovers {
	case 0:
		return "fresh"
	case 1:
		return "1 turnover"
	}
	return fmt.Sprintf("%g turnovers", turnovers)
}

func states(of []float64) (names []string) {
	for _, turnovers := range of {
		names = append(names, state(turnovers))
	}
	return names
}

func (s *Study) churnTables() (tables []report.Table) {
	for _, lifetime := range s.Plan.Lifetimes {
		for _, bits := range s.Plan.Bits {
			var rows [][]string
			for _, e := range encodings {
				row := []string{e.String()}
				for _, p := range s.Points {
					if p.Lifetime == lifetime && p.Bits == bits && p.Encoding == e.String() {
						row = append(row, fmt.Sprintf("%s (%.1f)", report.Percent(p.Rate), 100*p.Deletable))
					}
				}
				rows = append(rows, row)
			}
			tables = append(tables, report.NewTable(fmt.Sprintf("%g bits a key, delete %s", bits, lifetime),
				"false-positive rate, and in brackets the deletable part of the members in %", 1, append([]string{"encoding"}, states(s.Plan.Turnovers)...), rows))
		}
	}
	return tables
}

func (s *Study) churnPictures() []report.Plot {
	picture := func(name, title, y string, scale report.Scale, of func(p *Point) float64) report.Plot {
		l := report.Lines{Name: name, Title: title, Y: y, Scale: scale, Columns: len(s.Plan.Bits), Dashed: encoding.Plain{}.String()}
		for _, e := range append(slices.Clone(compared), encoding.Plain{}) {
			l.Lines = append(l.Lines, e.String())
		}
		for _, lifetime := range s.Plan.Lifetimes {
			for _, bits := range s.Plan.Bits {
				panel := report.Panel{Title: fmt.Sprintf("%g bits a key, delete %s", bits, lifetime), Lines: map[string]map[float64]float64{}}
				for i := range s.Points {
					if p := &s.Points[i]; p.Lifetime == lifetime && p.Bits == bits {
						put(panel.Lines, p.Encoding, p.Turnovers, of(p))
					}
				}
				l.Panels = append(l.Panels, panel)
			}
		}
		return l.Plot()
	}
	return []report.Plot{
		picture("rate.svg", "False positives at equal bits", "rate of false positives", report.LogPercent, func(p *Point) float64 { return p.Rate }),
		picture("rate-multiple.svg", "False positives at equal bits, as a multiple of the format's (one lane)", "multiple of the format's rate",
			report.LogNumber, func(p *Point) float64 { return p.Rate / s.format(p).Rate }),
		picture("deletable.svg", "Members that a delete makes invisible, at equal bits", "share of the members", report.LinearPercent,
			func(p *Point) float64 { return p.Deletable }),
	}
}

// deviation returns by how many standard errors what was sampled differs from the rate, at most.
func (s *Study) deviation() (most float64) {
	for _, p := range s.Points {
		n := float64(strangers * s.Plan.Seeds)
		if deviation := math.Sqrt(p.Rate * (1 - p.Rate) / n); deviation > 0 {
			most = max(most, math.Abs(p.Sampled-p.Rate)/deviation)
		}
	}
	return most
}

// format returns the point of the format beside another one.
func (s *Study) format(p *Point) *Point {
	for i := range s.Points {
		f := &s.Points[i]
		if f.Lifetime == p.Lifetime && f.Bits == p.Bits && f.Turnovers == p.Turnovers && f.Encoding == compared[0].String() {
			return f
		}
	}
	return p
}

func put(lines map[string]map[float64]float64, name string, turnovers, value float64) {
	if lines[name] == nil {
		lines[name] = map[float64]float64{}
	}
	lines[name][turnovers] = value
}

func (d Demand) String() string {
	text := fmt.Sprintf("a rate of %g %%", 100*d.Rate)
	if d.Deletable > 0 {
		text += fmt.Sprintf(", %g %% deletable", 100*d.Deletable)
	}
	return text
}

// demanded returns the demands that the study has, in order.
func (s *Study) demanded() (all []Demand) {
	for _, size := range s.Sizes {
		if !slices.Contains(all, size.Demand) {
			all = append(all, size.Demand)
		}
	}
	return all
}

func (s *Study) sizeTables() (tables []report.Table) {
	var ages []float64
	for _, size := range s.Sizes {
		if !slices.Contains(ages, size.Turnovers) {
			ages = append(ages, size.Turnovers)
		}
	}
	for _, d := range s.demanded() {
		var rows [][]string
		for _, name := range s.sized() {
			row := []string{name}
			for _, turnovers := range ages {
				cell := "–"
				for _, size := range s.Sizes {
					if size.Demand == d && size.Encoding == name && size.Turnovers == turnovers {
						cell = fmt.Sprintf("%.1f", size.Bits)
						if size.HasDeletable > 0 {
							cell += fmt.Sprintf(" (%.0f %%)", 100*size.HasDeletable)
						}
					}
				}
				row = append(row, cell)
			}
			if slices.ContainsFunc(row[1:], func(cell string) bool { return cell != "–" }) {
				rows = append(rows, row)
			}
		}
		tables = append(tables, report.NewTable("bits a key for "+d.String(), "", 1, append([]string{"encoding"}, states(ages)...), rows))
	}
	return tables
}

// sized returns the names of what has sizes.
func (s *Study) sized() (names []string) {
	for _, size := range s.Sizes {
		if !slices.Contains(names, size.Encoding) {
			names = append(names, size.Encoding)
		}
	}
	return names
}

func (s *Study) sizePictures() []report.Plot {
	l := report.Lines{
		Name: "bits.svg", Title: "Bits a key that a demand takes, by the turnovers after which it still holds (delete oldest)", Y: "bits a key",
		Scale: report.LogNumber, Lines: s.sized(), Dashed: ring,
	}
	for _, d := range s.demanded() {
		panel := report.Panel{Title: d.String(), Lines: map[string]map[float64]float64{}}
		for _, size := range s.Sizes {
			if size.Demand == d {
				put(panel.Lines, size.Encoding, size.Turnovers, size.Bits)
			}
		}
		l.Panels = append(l.Panels, panel)
	}
	l.Columns = len(l.Panels)
	return []report.Plot{l.Plot()}
}

// way is what a row of times is of.
type way struct{ encoding, kind string }

func (w way) String() string { return w.encoding + ", " + w.kind }

func (s *Study) ways() (all []way) {
	for _, t := range s.Timings {
		if w := (way{t.Encoding, t.Kind}); !slices.Contains(all, w) {
			all = append(all, w)
		}
	}
	return all
}

// timing returns a timing of the study, nil where there is none.
func (s *Study) timing(bytes int64, turnovers float64, operation string, w way) *Timing {
	for i := range s.Timings {
		if t := &s.Timings[i]; t.Bytes == bytes && t.Turnovers == turnovers && t.Operation == operation && t.Encoding == w.encoding && t.Kind == w.kind {
			return t
		}
	}
	return nil
}

func (s *Study) speedTables() (tables []report.Table) {
	for _, bytes := range s.Plan.Bytes {
		for _, operation := range operations {
			var rows [][]string
			for _, w := range s.ways() {
				row := []string{w.encoding, w.kind}
				for _, turnovers := range s.Plan.Turnovers {
					if t := s.timing(bytes, turnovers, operation, w); t != nil {
						row = append(row, fmt.Sprintf("%s, %s, %s", report.Nanoseconds(t.Least), report.Times(t.LeastRatio), report.Times(t.MedianRatio)))
					}
				}
				if len(row) > 2 {
					rows = append(rows, row)
				}
			}
			tables = append(tables, report.NewTable(fmt.Sprintf("%s, table of %s", operation, result.FormatSize(bytes)), "", 2,
				append([]string{"encoding", "kind"}, states(s.Plan.Turnovers)...), rows))
		}
	}
	if t, ok := s.assemblyTable(); ok {
		tables = append(tables, t)
	}
	return tables
}

// assemblyTable has how many times as long portable Go takes as assembly of the same encoding.
func (s *Study) assemblyTable() (t report.Table, ok bool) {
	var rows [][]string
	columns := []string{"encoding", "kind"}
	for _, bytes := range s.Plan.Bytes {
		for _, operation := range operations {
			columns = append(columns, operation+", "+result.FormatSize(bytes))
		}
	}
	for _, w := range s.ways() {
		if w.kind == portable || w.kind == handwritten || strings.HasSuffix(w.kind, control) {
			continue
		}
		row := []string{w.encoding, w.kind}
		for _, bytes := range s.Plan.Bytes {
			for _, operation := range operations {
				at := s.Plan.Turnovers[0]
				slow, fast := s.timing(bytes, at, operation, way{w.encoding, portable}), s.timing(bytes, at, operation, w)
				if slow != nil && fast != nil {
					row = append(row, report.Times(slow.Least/fast.Least))
				}
			}
		}
		rows = append(rows, row)
	}
	return report.NewTable("portable Go as a multiple of assembly of the same encoding",
		"least times, "+state(s.Plan.Turnovers[0]), 2, columns, rows), len(rows) > 0
}

// speedPictures are of the least times as multiples of the format's: one of assembly, one of portable Go.
func (s *Study) speedPictures() (all []report.Plot) {
	picture := func(name, title string, chosen func(kind string) bool) {
		l := report.Lines{Name: name, Title: title, Y: "multiple of the format's time", Scale: report.LinearNumber, Columns: len(operations)}
		for _, w := range s.ways() {
			if chosen(w.kind) {
				l.Lines = append(l.Lines, w.String())
			}
		}
		for _, bytes := range s.Plan.Bytes {
			var panels []report.Panel
			found := false
			for _, operation := range operations {
				panel := report.Panel{Title: operation + ", " + result.FormatSize(bytes), Lines: map[string]map[float64]float64{}}
				for _, t := range s.Timings {
					if t.Bytes == bytes && t.Operation == operation && chosen(t.Kind) {
						put(panel.Lines, way{t.Encoding, t.Kind}.String(), t.Turnovers, t.LeastRatio)
						found = true
					}
				}
				panels = append(panels, panel)
			}
			if found {
				l.Panels = append(l.Panels, panels...)
			}
		}
		if len(l.Panels) > 0 {
			all = append(all, l.Plot())
		}
	}
	isGo := func(kind string) bool { return kind == portable }
	picture("speed-assembly.svg", "Assembly: time by collision lanes (again: the same code elsewhere in memory)", func(kind string) bool { return !isGo(kind) && kind != handwritten })
	picture("speed-portable.svg", "Portable Go: time by encoding", isGo)
	return all
}
