// Package kernels is no API: it tells what the CPU has, which implementation runs, and how long
// batches take.
package kernels

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/klauspost/cpuid/v2"

	"github.com/bloomlane/bloomlane/asm/proved"
	"github.com/bloomlane/bloomlane/internal/dispatch"
	"github.com/bloomlane/bloomlane/internal/hugepage"
	"github.com/bloomlane/bloomlane/kernel"
	"github.com/bloomlane/bloomlane/report/pivot"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// Report is what is known of the CPU and the implementations.
type Report struct {
	CPU             string   `json:"cpu"`
	Platform        string   `json:"platform"`
	Features        []string `json:"features"`        // of those that implementations use
	Implementations []string `json:"implementations"` // the best first
	Active          string   `json:"active"`
	Why             string   `json:"why"`
	// as Linux has it: always, madvise or never; else unknown
	HugePages string `json:"huge_pages"`

	Proofs Proofs `json:"proofs"`

	Speed []Speed `json:"speed,omitempty"` // a table each
}

// Proofs says which functions of this program have machine code that is proved to be the
// definition: docs/proofs.md has what that says.
type Proofs struct {
	Proved  []string `json:"proved"`
	Changed []string `json:"changed"` // with other code than that
	// Of those that are proved, by the commit of their proof, where what is stated has changed since.
	AsOf map[string][]string `json:"as_of,omitempty"`
	// GOAMD64 of this program where it is not v1, for which the definition of the proofs is compiled.
	Level string `json:"goamd64,omitempty"`
}

// features are the CPU features that matter to kernels, in the order in which they came.
var features = []cpuid.FeatureID{
	cpuid.POPCNT, cpuid.AVX2, cpuid.BMI2,
	cpuid.AVX512F, cpuid.AVX512DQ, cpuid.AVX512BW, cpuid.AVX512VL, cpuid.AVX512VPOPCNTDQ,
	cpuid.ASIMD, cpuid.SVE,
}

// CPU is the name of the CPU.
func CPU() string { return cmp.Or(cpuid.CPU.BrandName, "unknown") }

// New returns the report, without speed.
func New() *Report {
	r := &Report{
		CPU:      CPU(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Features: []string{},
		Active:   kernel.Active().String(),
		Why:      "the best that this program can run on this CPU",

		HugePages: cmp.Or(hugepage.Mode(), "unknown"),
	}
	r.Proofs.Proved, r.Proofs.Changed = proved.Check()
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "GOAMD64" && s.Value != "v1" {
				r.Proofs.Level = s.Value
			}
		}
	}
	for _, f := range proved.Functions {
		if f.AsOf != "" && slices.Contains(r.Proofs.Proved, f.Name) {
			if r.Proofs.AsOf == nil {
				r.Proofs.AsOf = map[string][]string{}
			}
			r.Proofs.AsOf[f.AsOf] = append(r.Proofs.AsOf[f.AsOf], f.Name)
		}
	}
	for _, feature := range features {
		if cpuid.CPU.Has(feature) && dispatch.HasAll([]string{feature.String()}) {
			r.Features = append(r.Features, strings.ToLower(feature.String()))
		}
	}
	for _, im := range kernel.Implementations() {
		r.Implementations = append(r.Implementations, im.String())
	}
	if name := os.Getenv(kernel.Variable); name != "" {
		r.Why = fmt.Sprintf("%s=%s forces it", kernel.Variable, name)
	}
	return r
}

// hugePagesFor says what a setting of the system means.
var hugePagesFor = map[string]string{
	"always":  "always: for all memory",
	"madvise": "madvise: for memory that asks, as large tables do",
	"never":   "never: large tables are on small pages",
	"unknown": "unknown",
}

// String says it in one line.
func (p Proofs) String() string {
	all := len(p.Proved) + len(p.Changed)
	text := fmt.Sprintf("all %d functions that are proved have the machine code of the proofs", all)
	switch {
	case all == 0:
		return "none: this program has no assembly"
	case len(p.Changed) > 0:
		text = fmt.Sprintf("%d of %d functions have the machine code that is proved, but not %s",
			len(p.Proved), all, strings.Join(p.Changed, " "))
	}
	for _, commit := range slices.Sorted(maps.Keys(p.AsOf)) {
		text += fmt.Sprintf(", %d of them as of commit %s", len(p.AsOf[commit]), commit)
	}
	if p.Level != "" {
		text += fmt.Sprintf("; their definition is compiled for GOAMD64=v1, this program for %s", p.Level)
	}
	return text
}

// String returns the report for people.
func (r *Report) String() string { return pivot.Text(r.Tables()...) }

// Tables are the report for people: what the CPU has and runs, and the times.
func (r *Report) Tables() []*pivot.Table {
	all := []*pivot.Table{pivot.Lines([][]string{
		{"cpu", fmt.Sprintf("%s (%s)", r.CPU, r.Platform)},
		{"features", strings.Join(r.Features, " ")},
		{"implementations", strings.Join(r.Implementations, " ")},
		{"active", fmt.Sprintf("%s: %s", r.Active, r.Why)},
		{"huge pages", hugePagesFor[r.HugePages]},
		{"proofs", r.Proofs.String()},
	})}
	for _, s := range r.Speed {
		all = append(all, s.table())
	}
	return all
}

// Query returns the time of a query by an implementation, 0 where it has none.
func (s *Speed) Query(implementation string) float64 {
	for _, t := range s.Times {
		for _, by := range t.By {
			if t.Operation == names[0] && by.Name == implementation {
				return by.Nanoseconds
			}
		}
	}
	return 0
}

// table has a line for each operation, and bars as long as the times.
func (s *Speed) table() *pivot.Table {
	heads, slowest := "operation", 0.0
	for i, t := range s.Times {
		for _, by := range t.By {
			if slowest = max(slowest, by.Nanoseconds); i == 0 {
				heads += "|" + by.Name
			}
		}
	}
	t := pivot.Rows(heads, s.Times, func(t Time) []string {
		cells := []string{t.Operation}
		for _, by := range t.By {
			cells = append(cells, fmt.Sprintf("%.2f", by.Nanoseconds))
		}
		return cells
	})
	t.Bar = func(row, column int) float64 {
		if by := s.Times[row].By; column > 0 && column <= len(by) {
			return by[column-1].Nanoseconds / slowest
		}
		return 0
	}
	return t.Titled(fmt.Sprintf("ns/key in a table of %s, in batches of %s keys: %s members, the "+
		"least of %d rounds", quantity.Bytes(s.Bytes), quantity.Count(s.Batch),
		quantity.Count(s.Keys), s.Rounds), "")
}
