package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/report/pivot"
)

func page(t *testing.T, run *result.Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := Markdown(&b, run); err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(b.String(), `\_`, "_")
}

func terminal(t *testing.T, run *result.Run) string {
	t.Helper()
	return pivot.Text(Tables(run)...)
}

// says checks what a text has.
func says(t *testing.T, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("nothing says %q", want)
		}
	}
}

// Each time of the operations that a page has, each latency and each accuracy is in a line of the
// tables that says of what it is.
func TestEverythingAppears(t *testing.T) {
	run := synthetic()
	lines := strings.Split(terminal(t, run), "\n")
	has := func(parts ...string) {
		t.Helper()
		if !slices.ContainsFunc(lines, func(line string) bool {
			return !slices.ContainsFunc(parts,
				func(part string) bool { return !strings.Contains(line, part) })
		}) {
			t.Errorf("no line has %q", parts)
		}
	}
	for _, c := range cells(Recording{Run: run}) {
		switch {
		case c.isOtherQuery() && c.Form != result.FormStack, c.Pages == "4KiB",
			c.Against != "" && c.Bytes < 2<<30: // no cache, and not the largest
		case c.Form == result.FormStack:
			has(c.KeyBytes+" ", "2 GiB", c.time())
		case c.Form == result.FormCalls:
			has("16 KiB", "query (mixed)", c.time())
		case c.Operation == hashing && c.Kind == result.Implementation,
			c.Form == result.FormSelection:
			has(c.time())
		case c.Kind == result.Implementation && c.Against == "" && c.Form != result.FormCores:
			has(c.Name, c.overFloor())
		default:
			has(c.Name, c.time())
		}
	}
	for _, l := range run.Latencies {
		has(l.Operation,
			strings.Join([]string{seconds(l.P50), seconds(l.P99), seconds(l.P999), seconds(l.Max)},
				" / "))
	}
	for _, a := range run.Accuracy {
		has(a.Name, percent(a.Rate)+" / "+percent(*a.Predicted))
		if a.Deletable != nil {
			has(a.Name, percent(*a.Deletable)+" / "+percent(*a.PredictedDeletable))
		}
	}
	for _, text := range append(run.Notes, run.CPU, "example.org/quick v1.2.3", "quick_peer*",
		"unknown") {
		has(text)
	}
	if s := seconds(1234.5); s != "1.234µs" && s != "1.235µs" {
		t.Errorf("1234.5 ns are %s", s)
	}
}

// What a run names is no markup; and of queries a page has those of which half are members.
func TestPage(t *testing.T) {
	run := synthetic()
	run.Notes, run.CPU = []string{"a|b <script> *c*"}, "CPU <b>|</b>"
	if text := page(t, run); strings.Contains(text, "<script>") || strings.Contains(text, "<b>") ||
		!strings.Contains(text, `a\|b &lt;script> \*c\*`) {
		t.Error("what a run names becomes markup")
	}
	if strings.Contains(page(t, run), "query (hit)") {
		t.Error("the page has other queries")
	}
}

// peersOf are the comparisons of a run with peers.
func peersOf(run *result.Run) string {
	return strings.ReplaceAll(Blocks([]Recording{{Name: "m", Run: run}})["peers"], `\_`, "_")
}

// An undecided comparison is not called won, and a lost one is called lost.
func TestVerdictsAreNotFlattered(t *testing.T) {
	run := synthetic()
	lost, undecided := 0, 0
	for line := range strings.Lines(terminal(t, run)) {
		switch row := strings.Contains(line, "0.21 %"); {
		case row && strings.Contains(line, " quick_peer "):
			lost += strings.Count(line, "LOST)")
		case row && strings.Contains(line, " equal peer "):
			undecided += strings.Count(line, " ?)")
		case row && strings.ContainsAny(line, "?L"):
			t.Errorf("not won: %s", line)
		}
	}
	// two ways, three operations in the largest table
	if want := 2 * 3; lost != want || undecided != want {
		t.Errorf("%d lost and %d undecided, want %d", lost, undecided, want)
	}
	says(t, peersOf(run),
		// For each of ours, at three sizes and in three operations.
		"|  | won | undecided | lost | which |\n| --- | --- | ---: | ---: | ---: | --- |\n"+
			"| [m]() | with as many bits per key | 36 | 18 | 18 | bloomlane-512 in query to "+
			"quick_peer; bloomlane-256 in query to quick_peer; bloomlane-512 in delete to "+
			"quick_peer; ",
		"| at the same rate of false positives | 36 | 18 | 18 |")
	// A loss is placed: one size, one operation, beside one of ours.
	one := synthetic()
	each(one, func(g result.Group, s *result.Subject) {
		if g.Against == result.AtEqualBits && g.Operation == "insert" && g.Bytes == 16<<20 &&
			(s.Name == "slow peer" || s.Name == "bloomlane-256") {
			s.Least /= 9
			for i := range s.Samples {
				s.Samples[i] /= 9
			}
		}
	})
	says(t, peersOf(one), "| with as many bits per key | 37 | 17 | 18 |",
		"; bloomlane-512 in insert to quick_peer, slow peer; bloomlane-256 in insert to quick_peer")
	// With too few rounds nothing is won, however large the difference.
	each(run, func(_ result.Group, s *result.Subject) { s.Samples = s.Samples[:2] })
	says(t, peersOf(run), "| with as many bits per key | 0 | 72 | 0 | – |")
}

// What the samples say and the least times contradict is undecided, whichever it speaks for.
func TestContradiction(t *testing.T) {
	fast, slow := result.Subject{Least: 1.1}, result.Subject{Least: 1}
	for i := range 20 {
		fast.Samples, slow.Samples = append(fast.Samples, 2+float64(i)/100),
			append(slow.Samples, 3+float64(i)/100)
	}
	for _, d := range []duel{{cell{Subject: fast}, slow}, {cell{Subject: slow}, fast}} {
		if d.outcome() != result.Undecided {
			t.Errorf("%v is %s, want undecided", d, d.outcome())
		}
	}
	slow.Least = 1.2
	if d := (duel{cell{Subject: fast}, slow}); d.outcome() != result.Faster ||
		d.String() != " (1.09x)" {
		t.Errorf("%v is %s, want faster", d, d.outcome())
	}
}

// Filters at an equal rate stand beside each other.
func TestMemory(t *testing.T) {
	says(t, page(t, synthetic()), "| bloomlane-512 | 11.9 (72.9 %) |", "| lossy-cuckoo | 9.0 (",
		"| fuse | 9.0 |")
}

// Every filter that lost members has a row, and ours before the others.
func TestWrongAnswers(t *testing.T) {
	run := synthetic()
	text := page(t, run)
	says(t, text, "|  | lossy-cuckoo | 16 | 8,192 | 17 | – |",
		"|  |  | 24 | 1,000,000 | – | 23 |")
	if strings.Contains(text, "OURS") || strings.Count(text, " | 17 |") != 3 {
		t.Error("ours is blamed, or a loss is not told once for each size")
	}
	ours := slices.IndexFunc(run.Groups,
		func(g result.Group) bool { return g.Against != "" && g.KeyBytes == "" })
	run.Groups[ours].Subjects[1].Lost = 1
	run.Accuracy[0].Refused = 3
	text = page(t, run)
	says(t, text, "| OURS | bloomlane-512 | 16 | 8,192 | 1 | – |", " | 3 |")
	if strings.Index(text, "OURS") > strings.Index(text, "|  | lossy-cuckoo | 16 | 8,") {
		t.Error("a fault of ours is not said first")
	}
	each(run, func(_ result.Group, s *result.Subject) { s.Lost = 0 })
	for i := range run.Accuracy {
		run.Accuracy[i].Refused, run.Accuracy[i].DeleteLost = 0, 0
	}
	if text = page(t, run); strings.Contains(text, "that filters lost") {
		t.Error("false negatives where there are none")
	}
}

// benchfmt reads back every sample, with all that tells groups apart in its name, and its multiple
// of the floor.
func TestBenchstat(t *testing.T) {
	run := synthetic()
	var b bytes.Buffer
	if err := Benchstat(&b, run); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "Unit ns/key better=lower\n") ||
		!strings.Contains(b.String(), "Unit floors better=lower\n") {
		t.Error("benchstat is not told that lower is better")
	}
	reader := benchfmt.NewReader(&b, "run")
	names := map[string]string{} // of groups and subjects
	for _, g := range run.Groups {
		for _, s := range g.Subjects {
			for i, sample := range s.Samples {
				var got *benchfmt.Result
				for got == nil && reader.Scan() {
					switch record := reader.Result().(type) {
					case *benchfmt.SyntaxError:
						t.Fatal(record)
					case *benchfmt.Result:
						got = record
					}
				}
				if got == nil {
					t.Fatal("there are too few results")
				}
				value, ok := got.Value("sec/" + g.Unit)
				if ns := value * 1e9; !ok || ns < sample*(1-1e-9) || ns > sample*(1+1e-9) ||
					got.Iters != int(s.Units) {
					t.Fatalf("%s, sample %d: %v ns (%v) of %d, want %v", got.Name, i, ns, ok,
						got.Iters, sample)
				}
				floor, want := g.FloorSamples(), 0.0
				if floor != nil && s.Kind != result.Floor {
					want = sample / floor[i]
				}
				if ratio, _ := got.Value(toFloor); ratio != want {
					t.Fatalf("%s, sample %d: %v floors, want %v", got.Name, i, ratio, want)
				}
				if got.GetConfig("cpu") != run.CPU || got.GetConfig("goos") != "linux" ||
					got.GetConfig("goarch") != "amd64" || len(got.Config) != 4 {
					t.Fatalf("configuration %v", got.Config)
				}
				id := fmt.Sprintf("%+v %s %s %d", g.Conditions, s.Kind, s.Name, s.Batch)
				if other, ok := names[got.Name.String()]; ok && other != id {
					t.Fatalf("%s is the name of\n%s and\n%s", got.Name, id, other)
				}
				names[got.Name.String()] = id
			}
		}
	}
	if reader.Scan() || reader.Err() != nil {
		t.Errorf("there is more (%v)", reader.Err())
	}
}

// The folder has what its page links, and nothing half-written; a second report replaces the first.
func TestWrite(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "results", "cpu")
	if err := Write(folder, synthetic()); err != nil {
		t.Fatal(err)
	}
	run := synthetic()
	run.Accuracy = nil
	if err := Write(folder, run); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(folder)
	text, broken := os.ReadFile(filepath.Join(folder, ReadmeFile))
	if err := errors.Join(err, broken); err != nil || len(entries) != 2 ||
		!bytes.Contains(text, []byte("]("+ResultFile+")")) ||
		strings.ReplaceAll(string(text), `\_`, "_") != page(t, run) {
		t.Errorf("the folder has %v (%v), or another page", entries, err)
	}
	file := filepath.Join(folder, ReadmeFile)
	if err := Write(file, run); err == nil {
		t.Error("a file was taken for a folder")
	}
	run.Schema = 9
	var schema *result.SchemaError
	if err := Write(t.TempDir(), run); !errors.As(err, &schema) {
		t.Errorf("error %v, want a %T", err, schema)
	}
}

// What a run may lack: anything.
func TestPoorRuns(t *testing.T) {
	groups := func(chosen func(g result.Group) bool) func(run *result.Run) {
		return func(run *result.Run) {
			keep(run, chosen,
				func(result.Subject) bool { return true })
		}
	}
	subjects := func(chosen func(s result.Subject) bool) func(run *result.Run) {
		return func(run *result.Run) { keep(run, func(result.Group) bool { return true }, chosen) }
	}
	for name, spoil := range map[string]func(run *result.Run){
		"nothing":       func(run *result.Run) { *run = result.Run{Schema: result.Schema} },
		"no groups":     groups(func(result.Group) bool { return false }),
		"one size":      groups(func(g result.Group) bool { return g.Bytes == 16<<10 }),
		"one core":      groups(func(g result.Group) bool { return g.Cores <= 1 }),
		"no huge pages": groups(func(g result.Group) bool { return g.Pages != "huge" }),
		"empty groups":  subjects(func(result.Subject) bool { return false }),
		"no floors":     subjects(func(s result.Subject) bool { return s.Kind != result.Floor }),
		"floors alone":  subjects(func(s result.Subject) bool { return s.Kind == result.Floor }),
		"peers alone":   subjects(func(s result.Subject) bool { return s.Kind == result.Peer }),
		"no latencies":  func(run *result.Run) { run.Latencies = nil },
		"no accuracies": func(run *result.Run) { run.Accuracy = nil },
		"unknown pages": func(run *result.Run) { run.Groups[0].Pages = "large" },
		"uneven samples": func(run *result.Run) {
			s := &run.Groups[0].Subjects[0]
			s.Samples =
				s.Samples[:3]
		},
		"no samples": func(run *result.Run) {
			each(run,
				func(_ result.Group, s *result.Subject) { s.Samples = nil })
		},
		"times of zero": func(run *result.Run) {
			each(run, func(_ result.Group, s *result.Subject) {
				s.Least, s.Samples = 0,
					make([]float64, 12)
			})
			for i := range run.Latencies {
				l := &run.Latencies[i]
				l.P50, l.P99, l.P999, l.Max = 0, 0, 0, 0
			}
		},
		"rates of zero": func(run *result.Run) {
			for i := range run.Accuracy {
				a := &run.Accuracy[i]
				a.Rate, a.Positives, a.Predicted, a.PredictedDeletable = 0, 0, nil, nil
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			run := synthetic()
			spoil(run)
			everything(t, run)
			blocks := fmt.Sprint(Blocks([]Recording{{Name: "m", Run: run}}))
			for _, text := range []string{page(t, run), terminal(t, run), blocks} {
				if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") ||
					strings.Contains(text, "%!") {
					t.Error("a figure is no number")
				}
			}
		})
	}
}

// everything makes all that there is of a run.
func everything(t *testing.T, run *result.Run) {
	t.Helper()
	for _, write := range []func(io.Writer, *result.Run) error{Markdown, Benchstat} {
		if err := write(io.Discard, run); err != nil {
			t.Error(err)
		}
	}
	if text := terminal(t, run); text == "" {
		t.Error("no tables")
	}
}

// A run that can be read can be reported, whatever it says.
func FuzzReport(f *testing.F) {
	run := synthetic()
	groups := run.Groups
	run.Latencies, run.Accuracy = run.Latencies[:4], run.Accuracy[:6]
	for _, i := range []int{0, len(groups) / 2, len(groups) - 4} {
		run.Groups = groups[i : i+2]
		var text bytes.Buffer
		if err := run.Write(&text); err != nil {
			f.Fatal(err)
		}
		f.Add(text.Bytes())
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if run, err := result.Read(bytes.NewReader(text)); err == nil {
			everything(t, run)
		}
	})
}
