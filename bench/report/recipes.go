package report

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/report/pivot"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// benchmarks are what Go's benchmarks printed, behind lines that name the commit and the day.
type benchmarks struct {
	cpu, commit, date string
	least             map[string]float64 // by name and unit, of all counts
}

// readBenchmarks reads the benchmarks of one machine at one commit. Its error is a
// *[result.FormatError].
func readBenchmarks(from io.Reader) (*benchmarks, error) {
	b, reader := &benchmarks{least: map[string]float64{}}, benchfmt.NewReader(from, "")
	for reader.Scan() {
		switch r := reader.Result().(type) {
		case *benchfmt.SyntaxError:
			return nil, &result.FormatError{Err: r}
		case *benchfmt.Result:
			b.cpu, b.commit, b.date = r.GetConfig("cpu"), r.GetConfig("commit"), r.GetConfig("date")
			name := string(r.Name)
			if i := strings.LastIndexByte(name, '-'); i >= 0 { // the number of cores
				name = name[:i]
			}
			for _, v := range r.Values {
				key := name + " " + v.Unit
				if least, seen := b.least[key]; !seen || v.Value < least {
					b.least[key] = v.Value
				}
			}
		}
	}
	if err := reader.Err(); err != nil {
		return nil, &result.FormatError{Err: err}
	}
	if b.cpu == "" || b.commit == "" || b.date == "" {
		return nil, &result.FormatError{Err: fmt.Errorf(
			"found cpu %q, commit %q and date %q, expected all three", b.cpu, b.commit, b.date)}
	}
	return b, nil
}

// where says on what the benchmarks ran, and by which target of make.
func (b *benchmarks) where(target string) string {
	return fmt.Sprintf("%s, commit %s, %s, by `make %s`", pivot.Escape(b.cpu), b.commit, b.date,
		target)
}

// recipes are the figures of recipes, by the names of their recordings and targets of make.
var recipes = map[string]func(b *benchmarks, figure func(name, unit string) float64) string{
	"pebble": pebbleFigures, "billion": billionFigures,
}

// Recipes returns the blocks of figures of recipes, from the recordings in a folder. Without a
// recording a block is empty.
func Recipes(folder string) (map[string]string, error) {
	blocks := map[string]string{}
	for name, write := range recipes {
		block, err := recipe(filepath.Join(folder, name+".txt"), write)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		blocks[name] = block
	}
	return blocks, nil
}

// recipe returns the block of a recording. A figure that it lacks is an error.
func recipe(
	path string,
	write func(b *benchmarks, figure func(name, unit string) float64) string,
) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	b, err := readBenchmarks(file)
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	var missing error
	text := write(b, func(name, unit string) float64 {
		v, found := b.least[name+" "+unit]
		if !found {
			missing = errors.Join(missing, &result.FormatError{
				Err: fmt.Errorf("found no %s in %s, expected one", name, unit)})
		}
		return v
	})
	if missing != nil {
		return "", fmt.Errorf("%s: %w", path, missing)
	}
	return "\n" + text + "\n", nil
}

// pebbleFigures compare the filters of tables with Pebble's own.
func pebbleFigures(b *benchmarks, figure func(name, unit string) float64) string {
	t := pivot.Empty("ns per key, at 10 bits per key")
	for _, s := range [][2]string{{"this", "blocked"}, {"Pebble", "Pebble"}} {
		nanoseconds := func(name string) float64 {
			return 1e9 * figure("Filters/"+name, "sec/op")
		}
		t.Set(s[0], quantity.Digits(1e9*figure("Filters/build/"+s[1], "sec/key")),
			"build, of 100,000 text keys")
		for _, size := range [][2]string{
			{"100000", "query of a filter in the cache"}, {"20000000", "query of one of 25 MB"},
		} {
			query := "query/" + s[1] + "/" + size[0]
			t.Set(s[0], fmt.Sprintf("%s / %s", quantity.Digits(nanoseconds(query+"/present")),
				quantity.Digits(nanoseconds(query+"/absent"))), size[1]+", key present / absent")
		}
	}
	var text strings.Builder
	t.Markdown(&text)
	return text.String() + "\nThe least of 25 runs of 4 ms on " + b.where("pebble-times") + ".\n"
}

// billionFigures have what a build of a billion keys takes, and what its filter finds.
func billionFigures(b *benchmarks, figure func(name, unit string) float64) string {
	const shape = "/kind=blocked/keys=1000000000"
	build := func(unit string) float64 { return figure("Billion/build"+shape, unit) }
	seconds := func(v float64) time.Duration {
		return time.Duration(v * float64(time.Second)).Round(time.Second)
	}
	query := func(of, unit string) float64 { return figure("Billion/query"+shape+"/of="+of, unit) }
	return fmt.Sprintf("The build took %s, %s of CPU time, and %.0f MiB of memory at most. "+
		"The filter has %.0f MiB,\n%.4g bits per key. It finds %.4g %% of a million members, "+
		"and %.3g %% of a million others.\n(%s.)\n",
		seconds(build("sec/op")), seconds(build("cpu-s")),
		build("peak-MiB"), build("file-MiB"), build("bits/key"), query("members", "present-%"),
		query("others", "present-%"), b.where("billion"))
}
