package main

import (
	"fmt"
	"slices"

	"github.com/bloomlane/bloomlane/bench/measure"
	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// The parts of a study.
const (
	partChurn = "churn"
	partSizes = "sizes"
	partSpeed = "speed"
)

// Plan says what is studied.
type Plan struct {
	Members   int       `json:"members"`
	Seeds     int       `json:"seeds"`
	Bits      []float64 `json:"bits_a_key"`
	Turnovers []float64 `json:"turnovers"`
	Lifetimes []string  `json:"lifetimes"`
	Rounds    int       `json:"rounds"`
	Bytes     []int64   `json:"table_bytes"` // of the tables that are timed
	Parts     []string  `json:"parts"`
}

func (p *Plan) check() error {
	if p.Members < 1000 || p.Members > 10_000_000 {
		return fmt.Errorf("--members %d: want 1000 to 10000000", p.Members)
	}
	if p.Seeds < 1 || p.Seeds > 1000 {
		return fmt.Errorf("--seeds %d: want 1 to 1000", p.Seeds)
	}
	if p.Rounds < 1 || p.Rounds > 1000 {
		return fmt.Errorf("--rounds %d: want 1 to 1000", p.Rounds)
	}
	for _, bits := range p.Bits {
		if !(bits >= 4 && bits <= 128) {
			return fmt.Errorf("--bits %g: want 4 to 128", bits)
		}
	}
	for i, turnovers := range p.Turnovers {
		if !(turnovers >= 0 && turnovers <= 1000) || i > 0 && turnovers <= p.Turnovers[i-1] {
			return fmt.Errorf("--turnovers %v: want 0 to 1000, ascending", p.Turnovers)
		}
	}
	if len(p.Bits) == 0 || len(p.Turnovers) == 0 || len(p.Lifetimes) == 0 {
		return fmt.Errorf("--bits %v --turnovers %v --lifetimes %v: want one at least of each", p.Bits, p.Turnovers, p.Lifetimes)
	}
	for _, name := range p.Lifetimes {
		if _, err := workload.ParseLifetime(name, nil); err != nil {
			return fmt.Errorf("--lifetimes: %w", err)
		}
	}
	for _, part := range p.Parts {
		if !slices.Contains([]string{partChurn, partSizes, partSpeed}, part) {
			return fmt.Errorf("--parts %q: want %s, %s or %s", part, partChurn, partSizes, partSpeed)
		}
	}
	return nil
}

// Study is what a run found. Its machine is that of result.Run.
type Study struct {
	Schema     int           `json:"schema"`
	Date       string        `json:"date"`
	Revision   string        `json:"revision,omitempty"`
	Go         string        `json:"go"`
	CPU        string        `json:"cpu"`
	Platform   string        `json:"platform"`
	CacheBytes result.Caches `json:"cache_bytes"`
	Plan       Plan          `json:"plan"`
	Points     []Point       `json:"points,omitempty"`
	Sizes      []Size        `json:"sizes,omitempty"`
	Timings    []Timing      `json:"timings,omitempty"`
}

// schema is that of a Study's JSON.
const schema = 1

// run makes the study. steps returns what shows the progress of a part.
func (p *Plan) run(steps func(what string) func(done, all int)) (*Study, error) {
	m := measure.NewRun()
	s := &Study{
		Schema: schema, Date: m.Date, Revision: m.Revision, Go: m.Go, CPU: m.CPU, Platform: m.Platform,
		CacheBytes: m.CacheBytes, Plan: *p,
	}
	counting := func(what string, all int) func() {
		show, done := steps(what), 0
		return func() {
			done++
			show(done, all)
		}
	}
	var err error
	if slices.Contains(p.Parts, partChurn) {
		if s.Points, err = p.churn(counting(partChurn, len(p.Lifetimes)*len(p.Bits)*p.Seeds)); err != nil {
			return nil, err
		}
	}
	if slices.Contains(p.Parts, partSizes) {
		if s.Sizes, err = p.sizes(demands, ages, counting(partSizes, len(demands)*len(ages))); err != nil {
			return nil, err
		}
	}
	if slices.Contains(p.Parts, partSpeed) {
		s.Timings = p.speed(counting(partSpeed, len(p.Bytes)*len(p.Turnovers)))
	}
	return s, nil
}
