package cosim

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/hdl"
	"github.com/bloomlane/bloomlane/internal/require"
)

// measured are the benches whose coverage is measured: every module and every generate branch, with
// the short lanes and beats, because a model that counts each bit is long to compile.
var measured = []string{
	"core-w32", "merge-w32", "positions-w32", "mask-w32",
	"pipe-w32-2-masks", "pipe-w32-4-positions", "fill-77-4", "match-positions-w32-8-3",
	"match-masks-w32-5-4", "match-positions-w32-5-2-of-8",
	"fifo-4-0", "fifo-8-1", "packet-fifo-8-wait-0", "packet-fifo-8-drop-0", "packet-fifo-16-wait-1",
	"inline-w32-8b-14", "inline-w32-8b-18-places", "inline-w32-8b-1030-cut-through", "toeplitz-13",
	"place-64-14", "place-64-70", "place-128-14", "control", "control-one-clock", "guard-wait",
	"guard-drop",
	"siphash-1-3-13", "siphash-2-4-16", "spread-adders", "spread-multipliers", "table-core-w32-3",
	"table-core-w32-2-reads-2", "table-w32-9-4", "table-w32-3-4-siphash", "table-bus-w32-banks",
}

// covered counts, for points of one kind in one file, how many there are and which were not
// reached.
type covered struct {
	points int
	holes  []string // as COVERAGE.md names them
}

// Every line of the RTL is reached by the benches, or is named with the reason in COVERAGE.md; and
// every bit of every signal goes up and down, or is one of a signal that is named there. What is
// named there and is reached is a failure too. BLOOMLANE_COVERAGE names the folder that the
// coverage is written to; "make cosim-coverage" sets it and prints the shares.
func TestCoverage(t *testing.T) {
	folder := os.Getenv("BLOOMLANE_COVERAGE")
	if folder == "" {
		require.Skip(t, "coverage", "make cosim-coverage measures it")
	}
	var files []string
	for _, name := range measured {
		if !slices.ContainsFunc(benches, func(b bench) bool { return b.name == name }) {
			t.Errorf("there is no bench %s", name)
		}
	}
	t.Run("benches", func(t *testing.T) {
		for _, b := range benches {
			if !slices.Contains(measured, b.name) {
				continue
			}
			file := filepath.Join(folder, b.name+".dat")
			files = append(files, file)
			t.Run(b.name, func(t *testing.T) {
				t.Parallel()
				b.model.coverage = true
				// From zeros: a constant must not seem to go down from a random value.
				s := start(t, b.model, "+coverage="+file, "+verilator+rand+reset+0")
				if err := b.check(s, random(), b.short()); err != nil {
					t.Error(err)
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
				leaveTops(t, file)
			})
		}
	})
	if t.Failed() {
		return
	}
	counts := readCoverage(t, files)
	total := filepath.Join(folder, "total.dat")
	for _, args := range [][]string{{"--write", total},
		{"--annotate", filepath.Join(folder, "annotated")}} {
		cmd := exec.Command("verilator_coverage", append(args, files...)...)
		cmd.Dir = ".."
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("verilator_coverage: %v\n%s", err, out)
		}
	}
	named := namedHoles(t)
	var report strings.Builder
	fmt.Fprintf(&report, "%-28s %20s %20s\n", "module", "lines", "toggles")
	for _, file := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(&report, "%-28s %s %s\n", strings.TrimSuffix(file, ".v"), counts[file]["line"],
			counts[file]["toggle"])
		for _, kind := range []string{"line", "toggle"} {
			if counts[file][kind] == nil {
				continue
			}
			for _, hole := range slices.Compact(
				slices.Sorted(slices.Values(counts[file][kind].holes))) {
				name := fmt.Sprintf("%s %s `%s`", file, kind, hole)
				if !named[name] {
					t.Errorf("a new hole: %s", name)
				}
				delete(named, name)
			}
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "report.txt"), []byte(report.String()),
		0o600); err != nil {
		t.Fatal(err)
	}
	for name := range named {
		t.Errorf("COVERAGE.md names a hole that is none: %s", name)
	}
}

// leaveTops takes what is no module of hdl/rtl out of a coverage file: the tops of benches.
func leaveTops(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := slices.DeleteFunc(strings.SplitAfter(string(text), "\n"), func(line string) bool {
		return point.MatchString(line) && !strings.Contains(line, "rtl/bloomlane_")
	})
	if err := os.WriteFile(file, []byte(strings.Join(lines, "")), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (c *covered) String() string {
	if c == nil {
		return fmt.Sprintf("%20s", "-")
	}
	reached := c.points - len(c.holes)
	return fmt.Sprintf("%6d/%-6d %5.1f%%", reached, c.points,
		100*float64(reached)/float64(c.points))
}

// point is a line of a coverage file: fields, each a key between \x01 and \x02 and a value, and the
// count.
var point = regexp.MustCompile(`^C '(.*)' (\d+)\n?$`)

// readCoverage adds up what the files count, whatever the parameters, and returns it by source file
// and kind.
func readCoverage(t *testing.T, files []string) map[string]map[string]*covered {
	t.Helper()
	sum := map[[4]string]int{} // file, kind, line, comment
	for _, name := range files {
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		for in := bufio.NewScanner(file); in.Scan(); {
			match := point.FindStringSubmatch(in.Text())
			if match == nil {
				continue
			}
			fields := map[string]string{}
			for field := range strings.SplitSeq(match[1], "\x01") {
				key, value, _ := strings.Cut(field, "\x02")
				fields[key] = value
			}
			count, err := strconv.Atoi(match[2])
			if err != nil {
				t.Fatal(err)
			}
			kind, _, _ := strings.Cut(strings.TrimPrefix(fields["page"], "v_"), "/")
			if kind == "branch" {
				kind = "line"
			}
			sum[[4]string{filepath.Base(fields["f"]), kind, fields["l"], fields["o"]}] += count
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
	counts := map[string]map[string]*covered{}
	sources := map[string][]string{}
	for key, count := range sum {
		file, kind := key[0], key[1]
		if counts[file] == nil {
			text, err := fs.ReadFile(hdl.RTL, file)
			if errors.Is(err, fs.ErrNotExist) {
				continue // a top that only a bench has
			}
			if err != nil {
				t.Fatal(err)
			}
			counts[file] = map[string]*covered{}
			sources[file] = strings.Split(string(text), "\n")
		}
		if counts[file][kind] == nil {
			counts[file][kind] = &covered{}
		}
		if strings.HasPrefix(key[3], "unused") {
			continue // a constant that names a signal without a reader
		}
		c := counts[file][kind]
		c.points++
		if count > 0 {
			continue
		}
		hole, _, _ := strings.Cut(key[3], "[") // the signal of a bit
		if kind == "line" {
			line, err := strconv.Atoi(key[2])
			if err != nil {
				t.Fatal(err)
			}
			hole = key[3] + ": " + strings.TrimSpace(sources[file][line-1])
		}
		c.holes = append(c.holes, hole)
	}
	return counts
}

// row is a row of the table in COVERAGE.md: file, kind, what, why.
var row = regexp.MustCompile("(?m)^\\| (\\w+\\.v) \\| (line|toggle) \\| `(.*)` \\| .+ \\|$")

func namedHoles(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile("COVERAGE.md")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, match := range row.FindAllStringSubmatch(string(text), -1) {
		named[fmt.Sprintf("%s %s `%s`", match[1], match[2], match[3])] = true
	}
	return named
}
