package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/report/chart/charttest"
	"github.com/bloomlane/bloomlane/report/quantity"
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
	var b bytes.Buffer
	if err := Text(&b, run); err != nil {
		t.Fatal(err)
	}
	return b.String()
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

// Each time of a kernel or peer, each latency and each accuracy is in a line of the tables for a
// terminal that says of what it is.
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
	for _, g := range run.Groups {
		if floor, ok := g.Fastest(result.Floor); ok && g.Form != result.FormCores {
			has(fastestFloor, quantity.Digits(floor.Least))
		}
		for _, s := range g.Subjects {
			switch {
			case s.Kind == result.Floor:
			case g.Form == result.FormCores:
				has(s.Name, quantity.Digits(1e3*float64(g.Cores)/result.Median(s.Samples)))
			case g.Form == result.FormStack:
				c := stacks([]result.Group{g})[0]
				has(g.KeyBytes+" ", "2 GiB", quantity.Digits(c.hash), quantity.Digits(c.index),
					quantity.Digits(c.memory),
					quantity.Digits(c.keys)+" ("+times(c.keys/c.ready)+")",
					quantity.Digits(c.ready))
			case g.Form == result.FormSelection:
				has(s.Name, quantity.Digits(s.Least))
			case g.Form == result.FormCalls:
				has("16 KiB", "query (mixed)", quantity.Digits(s.Least))
			case s.Kind == result.Implementation && g.Against == "" && g.Masks == 0 &&
				g.KeyBytes == "":
				has(s.Name, quantity.Digits(s.Least)+" ("+times(g.ToFloor(s))+")")
			default:
				has(s.Name, quantity.Digits(s.Least))
			}
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
		"11 garbage collections", "unknown") {
		has(text)
	}
	for _, block := range []string{"512 bits", "256 bits"} {
		has("blocks of " + block + ", huge pages")
		has("blocks of " + block + ", pages of 4 KiB")
	}
}

// The page has less than the terminal, and every picture of the run.
func TestPage(t *testing.T) {
	run := synthetic()
	text := page(t, run)
	for name := range Pictures(run) {
		if !strings.Contains(text, "]("+name+")") {
			t.Errorf("no link to %s", name)
		}
	}
	for _, absent := range []string{"4 KiB", "how the peers are used"} {
		if strings.Contains(text, absent) || !strings.Contains(terminal(t, run), absent) {
			t.Errorf("%q is on the page, or not on the terminal", absent)
		}
	}
	run.Notes, run.CPU = []string{"a|b <script> *c*"}, "CPU <b>|</b>"
	if text := page(t, run); strings.Contains(text, "<script>") || strings.Contains(text, "<b>") ||
		!strings.Contains(text, `a\|b &lt;script> \*c\*`) {
		t.Error("what a run names becomes markup")
	}
}

// An undecided comparison is not called won, and a lost one is called lost.
func TestVerdictsAreNotFlattered(t *testing.T) {
	run := synthetic()
	lost, undecided := 0, 0
	for line := range strings.Lines(terminal(t, run)) {
		switch row := strings.Contains(line, "0.21 %"); {
		case row && strings.HasPrefix(line, "quick_peer "):
			lost += strings.Count(line, "LOST)")
		case row && strings.HasPrefix(line, "equal peer "):
			undecided += strings.Count(line, " ?)")
		case row && strings.ContainsAny(line, "?L"):
			t.Errorf("not won: %s", line)
		}
	}
	// two ways, three sizes, three operations
	if want := 2 * 3 * 3; lost != want || undecided != want {
		t.Errorf("%d lost and %d undecided, want %d", lost, undecided, want)
	}
	says(t, page(t, run),
		// For each of ours, at three sizes and in three operations.
		"| ours | won | undecided | lost | which |\n| --- | ---: | ---: | ---: | --- |\n"+
			"| with as many bits per key | 36 | 18 | 18 | bloomlane-512 in query to quick_peer; "+
			"bloomlane-256 in query to quick_peer; bloomlane-512 in delete to quick_peer; ",
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
	says(t, page(t, one), "| with as many bits per key | 37 | 17 | 18 |",
		"; bloomlane-512 in insert to quick_peer, slow peer; bloomlane-256 in insert to quick_peer")
	// With too few rounds nothing is won, however large the difference.
	each(run, func(_ result.Group, s *result.Subject) { s.Samples = s.Samples[:2] })
	says(t, page(t, run), "| with as many bits per key | 0 | 72 | 0 | – |")
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

// Several cores stand beside one, and filters at an equal rate beside each other.
func TestCoresAndMemory(t *testing.T) {
	text := page(t, synthetic())
	says(t, text, "| bloomlane-512 | 11.9 (72.9 %) |", "| lossy-cuckoo | 9.0 (", "| fuse | 9.0 |",
		"from 64 keys.")
	_, cores, _ := strings.Cut(text, "## Several cores")
	if row := regexp.MustCompile(`\| avx512 \| [0-9.,]+ \| [0-9.,]+ \(2\.[0-9]+x\) \|`); len(
		row.FindAllString(cores, -1)) != 6 {
		t.Errorf("not three sizes of each width have twice the throughput:\n%.3000s", cores)
	}
}

func TestWrongAnswers(t *testing.T) {
	run := synthetic()
	for _, text := range []string{page(t, run), terminal(t, run)} {
		says(t, text, "lossy-cuckoo did not find 17 ", "lossy-cuckoo no longer found 23 of")
		if strings.Contains(text, "OURS") ||
			strings.Contains(text, "No filter gave a wrong answer") ||
			strings.Count(text, "did not find 17 ") != 6 {
			t.Error("ours is blamed, or all are praised, or a loss is not told once for each size")
		}
	}
	ours := slices.IndexFunc(run.Groups,
		func(g result.Group) bool { return g.Against != "" && g.KeyBytes == "" })
	run.Groups[ours].Subjects[1].Lost = 1
	run.Accuracy[0].Refused = 3
	text := page(t, run)
	says(t, text, "OURS: bloomlane-512 did not find 1 ",
		"OURS: bloomlane-512 was full and refused 3 ")
	if strings.Index(text, "OURS") > strings.Index(text, "lossy-cuckoo did not find") {
		t.Error("a fault of ours is not said first")
	}
	each(run, func(_ result.Group, s *result.Subject) { s.Lost = 0 })
	for i := range run.Accuracy {
		run.Accuracy[i].Refused, run.Accuracy[i].DeleteLost = 0, 0
	}
	text = page(t, run)
	if says(t, text, "No filter gave a wrong answer"); strings.Contains(text, "false negatives") {
		t.Error("false negatives where there are none")
	}
}

// A batch pays from where it and every larger one is faster.
func TestCrossing(t *testing.T) {
	for _, test := range []struct {
		batches map[int]float64 // ns by keys
		rounds  int
		want    int
		known   bool
	}{
		{map[int]float64{1: 9, 64: 2, 8: 11}, 10, 64, true}, // 1 by luck: the next is slower again
		{map[int]float64{64: 2, 8: 9}, 10, 8, true},
		{map[int]float64{512: 9.95}, 10, 0, true}, // level
		{map[int]float64{64: 2, 8: 9}, 7, 0, false},
		{nil, 10, 0, false},
	} {
		subject := func(name string, batch int, ns float64) result.Subject {
			s := result.Subject{Kind: result.Implementation, Name: name, Batch: batch, Least: ns}
			for i := range test.rounds {
				s.Samples = append(s.Samples, ns*(1+float64(i)/20)) // the machine's drift
			}
			return s
		}
		g := result.Group{Conditions: result.Conditions{Form: result.FormCalls},
			Subjects: []result.Subject{subject(result.Methods, 1, 10)}}
		for batch, ns := range test.batches {
			g.Subjects = append(g.Subjects, subject("batch", batch, ns))
		}
		if got, told := crossing(g); got != test.want || told != test.known ||
			told != (len(callSummary([]result.Group{g})) > 0) {
			t.Errorf("%+v: from %d keys, %v", test, got, told)
		}
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
	run.Accuracy = nil // whose picture is to go
	if err := errors.Join(os.WriteFile(filepath.Join(folder, "mine.svg"), nil, 0o666),
		Write(folder, run)); err != nil {
		t.Fatal(err)
	}
	text := page(t, run)
	want := []string{ReadmeFile, "mine.svg"}
	for _, match := range regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(text, -1) {
		if !slices.Contains(want, match[1]) {
			want = append(want, match[1])
		}
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if slices.Sort(want); !slices.Equal(got, want) || len(got) != 9 {
		t.Errorf("the folder has %q, want %q", got, want)
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

func TestPicturesHaveRoom(t *testing.T) {
	pictures := Pictures(synthetic())
	if len(pictures) != 7 {
		t.Errorf("%d pictures", len(pictures))
	}
	for name, p := range pictures {
		if p == nil {
			t.Errorf("no %s", name)
			continue
		}
		charttest.TextsHaveRoom(t, p)
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
			for _, text := range []string{page(t, run), terminal(t, run)} {
				if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") ||
					strings.Contains(text, "%!") {
					t.Error("a figure is no number")
				}
			}
		})
	}
}

// everything makes all that there is of a run, and compares it with itself.
func everything(t *testing.T, run *result.Run) {
	t.Helper()
	for _, write := range []func(io.Writer, *result.Run) error{Text, Markdown, Benchstat} {
		if err := write(io.Discard, run); err != nil {
			t.Error(err)
		}
	}
	for _, p := range Pictures(run) {
		if p != nil {
			if err := p.WriteSVG(io.Discard); err != nil {
				t.Error(err)
			}
		}
	}
	c, err := Compare(run, run, DefaultLimits)
	if err != nil || len(c.With(result.Slower))+len(c.With(result.Faster)) > 0 {
		t.Errorf("compared with itself: %+v (%v)", c, err)
	} else if err := c.Text(io.Discard); err != nil {
		t.Error(err)
	}
}

// A run that can be read can be reported and compared, whatever it says.
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
