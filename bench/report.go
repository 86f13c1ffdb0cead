package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strconv"

	"github.com/klauspost/cpuid/v2"
)

// report is what the command prints, and with --json as it stands.
type report struct {
	CPU        string   `json:"cpu"`
	Platform   string   `json:"platform"`
	CacheBytes caches   `json:"cache_bytes"`
	SliceKeys  int      `json:"slice_keys"`
	StreamKeys int      `json:"stream_keys"`
	Rounds     int      `json:"rounds"`
	Notes      []string `json:"notes"`
	Results    []row    `json:"results"`
}

// caches has the sizes of the CPU's data caches, -1 where it does not tell.
type caches struct {
	L1   int `json:"l1"`
	L2   int `json:"l2"`
	L3   int `json:"l3"`
	Last int `json:"last_level"`
}

// row is one result: the least time of one contender.
type row struct {
	Operation      string   `json:"operation"`      // query, insert, delete, merge or match
	Form           string   `json:"form"`           // batch or single
	Floor          bool     `json:"floor"`          // whether this is a floor, and no kernel
	Implementation string   `json:"implementation"` // or which loop a floor is
	Distance       *int     `json:"distance,omitempty"`
	Pages          string   `json:"pages,omitempty"`
	Bytes          int64    `json:"table_bytes,omitempty"`
	Masks          int      `json:"masks,omitempty"`
	Unit           string   `json:"unit"` // what the time is of: a key, a block or a mask
	Nanoseconds    float64  `json:"ns"`
	Ratio          *float64 `json:"ratio_to_floor,omitempty"` // of match: to purego
	Yes            float64  `json:"yes"`                      // the share of keys present, present before the insert, or deleted
}

func newReport(rounds int) *report {
	cache := cpuid.CPU.Cache
	r := &report{
		CPU:        cmp.Or(cpuid.CPU.BrandName, "unknown"),
		Platform:   runtime.GOOS + "/" + runtime.GOARCH,
		CacheBytes: caches{cache.L1D, cache.L2, cache.L3, max(cache.L1D, cache.L2, cache.L3)},
		SliceKeys:  sliceKeys,
		StreamKeys: streamKeys,
		Rounds:     rounds,
		Notes:      []string{},
		Results:    []row{},
	}
	if len(assembly()) == 0 {
		r.note("there are no floors for this CPU in this build: batches have no ratios")
	}
	return r
}

func (r *report) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// add adds the timings of contenders of which each phase took units, in all slices together. A
// ratio is to the fastest floor among them on the same pages.
func (r *report) add(contenders []contender, timings [][]timing, unit string, units int) {
	for phase, operation := range contenders[0].names {
		floors := map[string]float64{}
		for i, c := range contenders {
			if ns := timings[i][phase].ns / float64(units); c.isFloor {
				floors[c.Pages] = min(ns, cmp.Or(floors[c.Pages], math.Inf(1)))
			}
		}
		for i, c := range contenders {
			row := c.row
			row.Operation, row.Floor, row.Unit = operation, c.isFloor && operation != opMatch, unit
			row.Nanoseconds = timings[i][phase].ns / float64(units)
			row.Yes = float64(timings[i][phase].yes) / float64(units)
			if floor, ok := floors[c.Pages]; ok && !row.Floor {
				ratio := row.Nanoseconds / floor
				row.Ratio = &ratio
			}
			r.Results = append(r.Results, row)
		}
	}
}

// write writes the results in the form asked for.
func (r *report) write(w io.Writer, asJSON, bySweep bool) error {
	if asJSON {
		return r.writeJSON(w)
	}
	var text bytes.Buffer
	r.writeText(&text, bySweep)
	_, err := text.WriteTo(w)
	return err
}

func (r *report) writeJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}

// writeText writes the results as tables with a column for each size.
func (r *report) writeText(w io.Writer, bySweep bool) {
	c := r.CacheBytes
	fmt.Fprintf(w, "cpu     %s (%s)\n", r.CPU, r.Platform)
	fmt.Fprintf(w, "caches  L1 %s, L2 %s, L3 %s; last level %s\n", cacheSize(c.L1), cacheSize(c.L2), cacheSize(c.L3), cacheSize(c.Last))
	fmt.Fprintf(w, "method  %d hashes in slices of %d; of each slice the least of %d rounds or more\n", r.StreamKeys, r.SliceKeys, r.Rounds)
	for _, note := range r.Notes {
		fmt.Fprintf(w, "note    %s\n", note)
	}
	if bySweep {
		for _, pages := range pageKinds {
			r.sweepTable(w, pages)
		}
	} else {
		for _, form := range []string{formBatch, formSingle} {
			for _, operation := range []string{opQuery, opInsert, opDelete, opMerge} {
				r.sizesTable(w, operation, form)
			}
		}
		r.matchTable(w)
	}
}

func cacheSize(bytes int) string {
	if bytes < 0 {
		return "unknown"
	}
	return formatSize(int64(bytes))
}

// sizesTable writes a line for each contender of an operation and a column for each size.
func (r *report) sizesTable(w io.Writer, operation, form string) {
	type line struct {
		name, pages string
		floor       bool
	}
	var sizes []int64
	var lines []line
	cells := map[line]map[int64]row{}
	for _, result := range r.Results {
		if result.Operation != operation || result.Form != form {
			continue
		}
		l := line{result.Implementation, result.Pages, result.Floor}
		if result.Floor {
			l.name = "floor: " + l.name
		}
		if cells[l] == nil {
			cells[l] = map[int64]row{}
			lines = append(lines, l)
		}
		cells[l][result.Bytes] = result
		if !slices.Contains(sizes, result.Bytes) {
			sizes = append(sizes, result.Bytes)
		}
	}
	if len(lines) == 0 {
		return
	}
	unit := cells[lines[0]][sizes[0]].Unit
	fmt.Fprintf(w, "\n%s, %s: ns a %s (times the fastest floor of the same pages)\n", operation, form, unit)
	fmt.Fprintf(w, "%-7s %-32s", "pages", "")
	for _, size := range sizes {
		fmt.Fprintf(w, " %16s", formatSize(size))
	}
	fmt.Fprintln(w)
	for _, l := range lines {
		fmt.Fprintf(w, "%-7s %-32s", l.pages, l.name)
		for _, size := range sizes {
			if result, ok := cells[l][size]; ok {
				fmt.Fprintf(w, " %7s %8s", nanoseconds(result.Nanoseconds), ratio(result.Ratio))
			} else {
				fmt.Fprintf(w, " %7s %8s", "-", "")
			}
		}
		fmt.Fprintln(w)
	}
}

// sweepTable writes a line for each operation and size, and a column for each distance.
func (r *report) sweepTable(w io.Writer, pages string) {
	type line struct {
		bytes                     int64
		operation, implementation string
	}
	var lines []line
	cells := map[line]map[int]float64{}
	for _, result := range r.Results {
		if result.Pages != pages || result.Distance == nil {
			continue
		}
		l := line{result.Bytes, result.Operation, result.Implementation}
		if result.Floor {
			l.operation = map[string]string{opQuery: "load", opDelete: "rewrite (delete)", opInsert: "rewrite (insert)"}[l.operation]
		}
		if cells[l] == nil {
			cells[l] = map[int]float64{}
			lines = append(lines, l)
		}
		cells[l][*result.Distance] = result.Nanoseconds
	}
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s pages: ns a key by prefetch distance\n", pages)
	fmt.Fprintf(w, "%-8s %-7s %-16s", "table", "", "")
	for _, d := range distances {
		fmt.Fprintf(w, " %6d", d)
	}
	fmt.Fprintln(w)
	for _, l := range lines {
		fmt.Fprintf(w, "%-8s %-7s %-16s", formatSize(l.bytes), l.implementation, l.operation)
		for _, d := range distances {
			fmt.Fprintf(w, " %6s", nanoseconds(cells[l][d]))
		}
		fmt.Fprintln(w)
	}
}

func (r *report) matchTable(w io.Writer) {
	title := "\nmatch of one header: ns a mask (times as fast as purego)\n"
	for _, result := range r.Results {
		if result.Operation != opMatch {
			continue
		}
		fmt.Fprint(w, title)
		title = ""
		faster := 1 / *result.Ratio
		fmt.Fprintf(w, "%4d masks  %-8s %7s %8s\n", result.Masks, result.Implementation, nanoseconds(result.Nanoseconds), ratio(&faster))
	}
}

// nanoseconds writes a time with what digits it is good for.
func nanoseconds(ns float64) string {
	if ns < 10 {
		return strconv.FormatFloat(ns, 'f', 2, 64)
	}
	return strconv.FormatFloat(ns, 'f', 1, 64)
}

func ratio(r *float64) string {
	if r == nil {
		return ""
	}
	return "(" + strconv.FormatFloat(*r, 'f', 2, 64) + ")"
}
