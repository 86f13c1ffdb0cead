package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/perf/benchfmt"

	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// toFloor is the unit of a sample over the least of the floors in the same round. It is lower where
// a kernel is faster, and no other where the machine is.
const toFloor = "floors"

// results returns the samples of the groups as results of Go's benchmarks: each in ns per key or
// likewise, and where its group has a floor, as a multiple of that too. The parts of a name are the
// conditions of the group, then kind and impl; those that are empty are left out. The number of
// iterations is 1, where the run does not have how many units a sample is the mean of. Latencies
// and accuracies have no samples and are not here.
func results(run *result.Run) (all []*benchfmt.Result) {
	goos, goarch, _ := strings.Cut(run.Platform, "/")
	var config []benchfmt.Config
	for _, line := range [][2]string{
		{"goos", goos}, {"goarch", goarch}, {"pkg", "github.com/bloomlane/bloomlane/bench"},
		{"cpu", run.CPU},
	} {
		if value := strings.Join(strings.Fields(line[1]), " "); value != "" {
			config = append(config, benchfmt.Config{Key: line[0], Value: []byte(value), File: true})
		}
	}
	for _, g := range run.Groups {
		floors := g.FloorSamples()
		for _, s := range g.Subjects {
			name := benchfmt.Name(name(g.Conditions, s))
			for i, ns := range s.Samples {
				r := &benchfmt.Result{Config: config, Name: name, Iters: int(max(s.Units, 1))}
				r.Values = []benchfmt.Value{{Value: ns, Unit: perUnit(g)}}
				if s.Kind != result.Floor && i < len(floors) && floors[i] > 0 {
					r.Values = append(r.Values,
						benchfmt.Value{Value: ns / floors[i], Unit: toFloor})
				}
				all = append(all, r)
			}
		}
	}
	return all
}

// Benchstat writes the samples as text that benchstat reads.
func Benchstat(w io.Writer, run *result.Run) error {
	text := benchfmt.NewWriter(w)
	units := map[string]bool{}
	for _, r := range results(run) {
		for _, v := range r.Values {
			if units[v.Unit] {
				continue
			}
			units[v.Unit] = true
			better := benchfmt.UnitMetadataKey{Unit: v.Unit, Key: "better"}
			err := text.Write(&benchfmt.UnitMetadata{UnitMetadataKey: better, OrigUnit: v.Unit,
				Value: "lower"})
			if err != nil {
				return err
			}
		}
		if err := text.Write(r); err != nil {
			return err
		}
	}
	return nil
}

func perUnit(g result.Group) string { return "ns/" + part(g.Unit) }

func name(c result.Conditions, s result.Subject) string {
	name := part(c.Operation)
	first, size := utf8.DecodeRuneInString(name)
	name = strings.ToUpper(string(first)) + name[size:]
	add := func(key string, value any) {
		if text := fmt.Sprint(value); text != "" && text != "0" {
			name += "/" + key + "=" + part(text)
		}
	}
	add("block", c.BlockBits)
	add("keys", c.Keys)
	add("keybytes", c.KeyBytes)
	add("form", c.Form)
	add("against", c.Against)
	if c.Bytes > 0 {
		add("size", strings.ReplaceAll(quantity.Bytes(c.Bytes), " ", ""))
	}
	add("members", c.Members)
	add("masks", c.Masks)
	add("batch", s.Batch)
	add("pages", c.Pages)
	add("kind", s.Kind)
	add("impl", s.Name)
	// The last number of a name is that of the cores, by the format.
	return fmt.Sprintf("%s-%d", name, max(c.Cores, 1))
}

// part makes a string a part of a name: the format separates by slashes and spaces.
func part(s string) string { return separators.Replace(strings.Join(strings.Fields(s), "_")) }

var separators = strings.NewReplacer("/", "_", ",", "", "=", "_")
