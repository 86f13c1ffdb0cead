package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/bloomlane/bloomlane/bench/result"
)

// Benchstat writes the samples of the timings in the format of Go's benchmarks, which benchstat and
// golang.org/x/perf/benchfmt read: a line for each sample, its unit ns/key or likewise. The parts of a
// name are the fields of the group, then kind and impl; those that are empty are left out. The number of
// iterations is 1, where the run does not have how many units a sample is the mean of. Latencies and
// accuracies have no samples and are not here.
func Benchstat(w io.Writer, run *result.Run) error {
	var b bytes.Buffer
	goos, goarch, _ := strings.Cut(run.Platform, "/")
	for _, line := range [][2]string{
		{"goos", goos}, {"goarch", goarch}, {"pkg", "github.com/bloomlane/bloomlane/bench"}, {"cpu", run.CPU},
	} {
		if value := strings.Join(strings.Fields(line[1]), " "); value != "" {
			fmt.Fprintf(&b, "%s: %s\n", line[0], value)
		}
	}
	// No more of these, and the rest as a line that readers pass over: benchstat compares two runs only
	// where all of them are equal.
	fmt.Fprintf(&b, "# %s\n", strings.Join(strings.Fields(run.Date+" "+run.Go+" "+run.Revision), " "))
	units := map[string]bool{}
	for _, t := range run.Timings {
		if unit := part(t.Unit); !units[unit] {
			units[unit] = true
			fmt.Fprintf(&b, "Unit ns/%s better=lower\n", unit)
		}
	}
	for _, t := range run.Timings {
		name, iterations, unit := benchmarkName(t), max(t.Units, 1), part(t.Unit)
		for _, ns := range t.Samples {
			fmt.Fprintf(&b, "%s %d %g ns/%s\n", name, iterations, ns, unit)
		}
	}
	_, err := b.WriteTo(w)
	return err
}

func benchmarkName(t result.Timing) string {
	name := "Benchmark" + sentence(part(t.Operation))
	add := func(key, value string) {
		if value != "" {
			name += "/" + key + "=" + part(value)
		}
	}
	if t.Lane > 0 {
		add("lane", fmt.Sprint(t.Lane))
	}
	add("asked", t.Asked)
	add("form", t.Form)
	add("against", t.Against)
	if t.Bytes > 0 {
		add("size", strings.ReplaceAll(size(t.Bytes), " ", ""))
	}
	if t.Members > 0 {
		add("members", fmt.Sprint(t.Members))
	}
	if t.Masks > 0 {
		add("masks", fmt.Sprint(t.Masks))
	}
	if t.Batch > 0 {
		add("batch", fmt.Sprint(t.Batch))
	}
	add("pages", t.Pages)
	add("kind", string(t.Kind))
	add("impl", t.Name)
	if t.Distance != nil {
		add("distance", fmt.Sprint(*t.Distance))
	}
	// The last number of a name is that of the cores, by the format.
	return fmt.Sprintf("%s-%d", name, max(t.Cores, 1))
}

// part makes a string a part of a name: the format separates by slashes and spaces.
func part(s string) string { return separators.Replace(strings.Join(strings.Fields(s), "_")) }

var separators = strings.NewReplacer("/", "_", ",", "", "=", "_")
