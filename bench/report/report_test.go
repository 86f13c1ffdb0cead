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

	"github.com/bloomlane/bloomlane/bench/result"
	"golang.org/x/perf/benchfmt"
)

func page(t *testing.T, run *result.Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := Markdown(&b, run); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func terminal(t *testing.T, run *result.Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := Text(&b, run); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Each timing, latency and accuracy is in a line of the page and of the tables for a terminal.
func TestEverythingAppears(t *testing.T) {
	run := synthetic()
	for form, text := range map[string]string{"Markdown": strings.ReplaceAll(page(t, run), `\_`, "_"), "text": terminal(t, run)} {
		lines := strings.Split(text, "\n")
		has := func(parts ...string) {
			t.Helper()
			if !slices.ContainsFunc(lines, func(line string) bool {
				return !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(line, part) })
			}) {
				t.Errorf("%s: no line has %q", form, parts)
			}
		}
		for _, timing := range run.Timings {
			if timing.Form == result.FormCores {
				has(timing.Name, count(int64(throughput(timing))))
				continue
			}
			figure := nanoseconds(timing.Least)
			if timing.Ratio != nil && timing.Kind == result.Kernel && timing.Against == "" {
				figure += " (" + times(*timing.Ratio) + ")"
			}
			has(timing.Name, figure)
		}
		for _, l := range run.Latencies {
			has(l.Name, duration(l.P50), duration(l.P99), duration(l.P999), duration(l.Max))
		}
		for _, a := range run.Accuracy {
			has(a.Name, percent(a.Rate)+" / "+percent(*a.Predicted))
			if a.Deletable != nil {
				has(a.Name, percent(*a.Deletable)+" / "+percent(*a.PredictedDeletable))
			}
		}
		for _, note := range run.Notes {
			has(note)
		}
		has(run.CPU)
	}
}

// What the samples say and the least times contradict is undecided, whoever it speaks for.
func TestContradiction(t *testing.T) {
	fast, slow := result.Timing{Least: 1.1}, result.Timing{Least: 1}
	for i := range 20 {
		fast.Samples, slow.Samples = append(fast.Samples, 2+float64(i)/100), append(slow.Samples, 3+float64(i)/100)
	}
	for _, b := range []bout{boutOf(result.Group{}, fast, slow), boutOf(result.Group{}, slow, fast)} {
		if b.verdict.Outcome != result.Undecided {
			t.Errorf("%v is %s, want undecided", b, b.verdict.Outcome)
		}
	}
	slow.Least = 1.2
	if b := boutOf(result.Group{}, fast, slow); b.verdict.Outcome != result.Faster {
		t.Errorf("%v is %s, want faster", b, b.verdict.Outcome)
	}
}

// An undecided comparison is not called won, and a lost one is called lost.
func TestVerdictsAreNotFlattered(t *testing.T) {
	run := synthetic()
	for form, text := range map[string]string{"Markdown": strings.ReplaceAll(page(t, run), `\_`, "_"), "text": terminal(t, run)} {
		lost, undecided := 0, 0
		for line := range strings.Lines(text) {
			row := strings.Contains(line, " won ") || strings.Contains(line, "undecided (") || strings.Contains(line, "LOST ")
			switch {
			case row && strings.Contains(line, "equal peer"):
				undecided += strings.Count(line, "undecided")
				if strings.Contains(line, "won") || strings.Contains(line, "LOST") {
					t.Errorf("%s: decided: %s", form, line)
				}
			case row && strings.Contains(line, "quick_peer"):
				lost += strings.Count(line, "LOST 1.2")
				if strings.Contains(line, "won") {
					t.Errorf("%s: not lost: %s", form, line)
				}
			}
		}
		if lost != 2*2*5 || undecided != 2*3*5 {
			t.Errorf("%s: %d lost and %d undecided, want 20 and 30", form, lost, undecided)
		}
	}
	text := page(t, run)
	for _, want := range []string{"is missed with as many bits a key. quick\\_peer is faster than bloomlane 512 in query (mixed) at every size (1.2",
		"equal peer and bloomlane 512 in query (mixed) at every size, insert at every size, delete at every size."} {
		if !strings.Contains(text, want) {
			t.Errorf("the summary does not say %q", want)
		}
	}

	run.Timings = slices.DeleteFunc(run.Timings, func(t result.Timing) bool { return t.Name == "quick_peer" })
	if text := page(t, run); strings.Contains(text, "is missed") || strings.Contains(text, "is met") || !strings.Contains(text, "No Go peer was measurably faster") {
		t.Error("with undecided comparisons the aim is neither met nor missed")
	}
	run.Timings = slices.DeleteFunc(run.Timings, func(t result.Timing) bool { return t.Name == "equal peer" })
	if text := page(t, run); strings.Contains(text, "is missed") || strings.Contains(text, "leaves undecided") || !strings.Contains(text, "is met with as many bits a key") {
		t.Error("the aim is not met where all is won")
	}

	// With too few rounds nothing is won, however large the difference.
	for i := range run.Timings {
		run.Timings[i].Samples = run.Timings[i].Samples[:2]
	}
	if text := page(t, run); !strings.Contains(text, "0 won, 0 lost") || strings.Contains(text, ", won ") {
		t.Error("two rounds decide comparisons")
	}
}

// At one of many sizes a peer is faster: that size is named.
func TestLossIsPlaced(t *testing.T) {
	run := synthetic()
	for i := range run.Timings {
		timing := &run.Timings[i]
		if timing.Name == "arrow-go SBBF" && timing.Bytes == 16<<20 && timing.Against == result.AtEqualBits && timing.Operation == "insert" {
			for j := range timing.Samples {
				timing.Samples[j] /= 31
			}
			timing.Least /= 31
		}
	}
	if text := page(t, run); !strings.Contains(text, "arrow-go SBBF is faster than bloomlane 512 in insert at 16 MiB (") {
		t.Error("the summary does not name the size")
	}
}

func TestWrongAnswers(t *testing.T) {
	run := synthetic()
	for _, text := range []string{page(t, run), terminal(t, run)} {
		for _, want := range []string{"linvon/cuckoo-filter did not find 510 ", "tylertreat/BoomFilters no longer found 23 of"} {
			if !strings.Contains(text, want) {
				t.Errorf("nothing says %q", want)
			}
		}
		if strings.Contains(text, ourMark) || strings.Contains(text, "No filter gave a wrong answer") {
			t.Error("ours is blamed, or all are praised")
		}
	}
	ours := slices.IndexFunc(run.Timings, func(t result.Timing) bool { return t.Name == "bloomlane 512" })
	run.Timings[ours].Lost = 1
	run.Accuracy[0].Refused = 3
	for _, text := range []string{page(t, run), terminal(t, run)} {
		if !strings.Contains(text, "OURS: bloomlane 512 did not find 1 ") || !strings.Contains(text, "OURS: bloomlane 512 was full and refused 3 ") ||
			strings.Index(text, ourMark) > strings.Index(text, "linvon/cuckoo-filter did not find") {
			t.Error("a fault of ours is not said, or not first")
		}
	}
	for i := range run.Timings {
		run.Timings[i].Lost = 0
	}
	for i := range run.Accuracy {
		run.Accuracy[i].Refused, run.Accuracy[i].DeleteLost = 0, 0
	}
	if text := page(t, run); !strings.Contains(text, "No filter gave a wrong answer") || strings.Contains(text, "false negatives") {
		t.Error("false negatives where there are none")
	}
}

func TestCrossings(t *testing.T) {
	run := &result.Run{}
	add := func(operation, name string, batch int, ns float64) {
		samples := make([]float64, 10)
		for i := range samples {
			samples[i] = ns * (1 + float64(i)/20) // the machine's drift
		}
		run.Timings = append(run.Timings, result.Timing{
			Group: result.Group{Operation: operation, Form: result.FormCalls, Lane: 64, Bytes: 1 << 20},
			Kind:  result.Kernel, Name: name, Batch: batch, Least: ns, Samples: samples,
		})
	}
	for _, operation := range []string{"query", "insert"} {
		add(operation, result.Methods, 1, 10)
		add(operation, "avx2", 1, 9) // by luck: the next is slower again
		add(operation, "avx2", 64, 2)
		add(operation, "avx2", 8, map[string]float64{"query": 11, "insert": 10}[operation])
	}
	add("delete", result.Methods, 1, 10)
	add("delete", "avx2", 512, 10.05) // level
	got := crossings(run.Contests())
	if len(got) != 3 || got[0].batch != 64 || got[1].batch != 64 || got[2].batch != 0 {
		t.Errorf("crossings %+v, want from 64 keys, twice, and never", got)
	}
	if tables := callsTables(run.Contests()); len(tables) != 3 || !slices.Equal(tables[0].rows[0], []string{"1 MiB", "avx2", "10.0", "9.00", "11.0", "2.00"}) {
		t.Errorf("%+v", tables)
	}
}

// benchfmt reads back every sample, with all that tells groups apart in its name.
func TestBenchstat(t *testing.T) {
	run := synthetic()
	var b bytes.Buffer
	if err := Benchstat(&b, run); err != nil {
		t.Fatal(err)
	}
	reader := benchfmt.NewReader(&b, "run")
	names := map[string]string{} // of groups and contenders
	for _, timing := range run.Timings {
		for i, sample := range timing.Samples {
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
			value, ok := got.Value("sec/" + timing.Unit)
			if ns := value * 1e9; !ok || ns < sample*(1-1e-9) || ns > sample*(1+1e-9) || got.Iters != int(timing.Units) {
				t.Fatalf("%s, sample %d: %v ns (%v) of %d, want %v", got.Name, i, ns, ok, got.Iters, sample)
			}
			if got.GetConfig("cpu") != run.CPU || got.GetConfig("goos") != "linux" || got.GetConfig("goarch") != "amd64" || got.GetConfig("pkg") == "" || len(got.Config) != 4 {
				t.Fatalf("configuration %v", got.Config)
			}
			id := fmt.Sprintf("%+v %s %s", timing.Group, timing.Kind, timing.Name)
			if other, ok := names[got.Name.String()]; ok && other != id {
				t.Fatalf("%s is the name of\n%s and\n%s", got.Name, id, other)
			}
			names[got.Name.String()] = id
		}
	}
	if reader.Scan() || reader.Err() != nil {
		t.Errorf("there is more (%v)", reader.Err())
	}
	want := "Query/lane=64/asked=mixed/form=batch/size=16KiB/pages=huge/kind=kernel/impl=avx2-1"
	if _, ok := names[want]; !ok {
		t.Errorf("no %s", want)
	}
}

// The folder has what its page links, and nothing half-written; a second report replaces the first.
func TestWrite(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "results", "cpu")
	if err := Write(folder, synthetic()); err != nil {
		t.Fatal(err)
	}
	run := synthetic()
	run.Latencies = nil // whose pictures are to go
	if err := Write(folder, run); err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile(filepath.Join(folder, ReadmeFile))
	if err != nil {
		t.Fatal(err)
	}
	linked := []string{ReadmeFile}
	for _, link := range regexp.MustCompile(`\]\(([^)]*)\)`).FindAllStringSubmatch(string(readme), -1) {
		linked = append(linked, link[1])
	}
	var files []string
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		files = append(files, entry.Name())
	}
	slices.Sort(linked)
	if !slices.Equal(files, linked) {
		t.Errorf("the folder has\n%q, the page links\n%q", files, linked)
	}
	file, err := os.Open(filepath.Join(folder, ResultFile))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	read, err := result.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	if again := page(t, read); again != string(readme) {
		t.Error("the page made again from the JSON is another one")
	}
	if err := Write(filepath.Join(folder, ReadmeFile), run); err == nil {
		t.Error("a file is taken for a folder")
	}
	run.Schema = 9
	var schema *result.SchemaError
	if err := Write(t.TempDir(), run); !errors.As(err, &schema) {
		t.Errorf("error %v, want a %T", err, schema)
	}
}

// What a run may lack: anything.
func TestPoorRuns(t *testing.T) {
	for name, spoil := range map[string]func(run *result.Run){
		"nothing":       func(run *result.Run) { *run = result.Run{Schema: result.Schema} },
		"no timings":    func(run *result.Run) { run.Timings = nil },
		"no latencies":  func(run *result.Run) { run.Latencies = nil },
		"no accuracies": func(run *result.Run) { run.Accuracy = nil },
		"no floors": func(run *result.Run) {
			run.Timings = slices.DeleteFunc(run.Timings, func(t result.Timing) bool { return t.Kind == result.Floor })
			for i := range run.Timings {
				run.Timings[i].Ratio = nil
			}
		},
		"no kernels": func(run *result.Run) {
			run.Timings = slices.DeleteFunc(run.Timings, func(t result.Timing) bool { return t.Kind == result.Kernel })
		},
		"one size": func(run *result.Run) {
			run.Timings = slices.DeleteFunc(run.Timings, func(t result.Timing) bool { return t.Bytes != 16<<10 })
		},
		"times of zero": func(run *result.Run) {
			for i := range run.Timings {
				t := &run.Timings[i]
				t.Least, t.Median, t.Samples, t.Ratio = 0, 0, make([]float64, len(t.Samples)), nil
			}
			for i := range run.Latencies {
				l := &run.Latencies[i]
				l.P50, l.P99, l.P999, l.Max = 0, 0, 0, 0
			}
		},
		"rates of zero": func(run *result.Run) {
			for i := range run.Accuracy {
				run.Accuracy[i].Rate, run.Accuracy[i].Predicted = 0, nil
			}
		},
		"no predictions, some rates of zero": func(run *result.Run) {
			for i := range run.Accuracy {
				a := &run.Accuracy[i]
				a.Predicted, a.PredictedDeletable = nil, nil
				if a.Bits > 12 {
					a.Rate = 0
				}
			}
		},
		"no mixed queries": func(run *result.Run) {
			run.Timings = slices.DeleteFunc(run.Timings, func(t result.Timing) bool { return t.Asked == "mixed" && t.Against == "" })
			for i := range run.Timings {
				if t := &run.Timings[i]; t.Asked == "mixed" {
					t.Asked = []string{"hit", "miss"}[i%2]
				}
			}
		},
		"both filters of ours in a group": func(run *result.Run) {
			for _, t := range run.Timings {
				if t.Name == "bloomlane 512" {
					t.Name = "bloomlane 256"
					run.Timings = append(run.Timings, t)
				}
			}
		},
		"unknown pages": func(run *result.Run) {
			for i := range run.Timings {
				run.Timings[i].Pages = ""
			}
		},
		"no samples": func(run *result.Run) {
			for i := range run.Timings {
				run.Timings[i].Samples = nil
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			run := synthetic()
			spoil(run)
			names := map[string]bool{}
			for _, p := range Plots(run) {
				if names[p.Name] {
					t.Errorf("%s twice", p.Name)
				}
				names[p.Name] = true
				if err := p.WriteSVG(io.Discard); err != nil {
					t.Error(err)
				}
			}
			if err := errors.Join(Benchstat(io.Discard, run), run.Write(io.Discard)); err != nil {
				t.Error(err)
			}
			for _, text := range []string{page(t, run), terminal(t, run)} {
				if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") || strings.Contains(text, "%!") {
					t.Error("a figure is no number")
				}
			}
		})
	}
}

// What a peer is called does not become markup.
func TestEscape(t *testing.T) {
	run := synthetic()
	run.Notes = []string{"a|b <script> *c*"}
	run.CPU = "CPU <b>|</b>"
	text := page(t, run)
	if strings.Contains(text, "<script>") || strings.Contains(text, "<b>") || !strings.Contains(text, `a\|b &lt;script> \*c\*`) {
		t.Error("a note is markup")
	}
}

func TestNumbers(t *testing.T) {
	for got, want := range map[string]string{
		nanoseconds(0.4): "0.40", nanoseconds(12.34): "12.3", nanoseconds(1234): "1234",
		duration(999): "999 ns", duration(1000): "1 µs", duration(1.5e6): "1.5 ms", duration(2e9): "2 s",
		percent(0): "0 %", percent(0.0021): "0.21 %", percent(0.922): "92.2 %", percent(1): "100.0 %", percent(1e-8): "1.0e-06 %", percent(0.0448): "4.5 %",
		size(16 << 10): "16 KiB", size(2 << 30): "2 GiB", size(100): "100 B", size(1500): "1.46 KiB",
		count(0): "0", count(999): "999", count(1000): "1,000", count(-1234567): "-1,234,567",
		plural(1, "key"): "1 key", plural(2000, "key"): "2,000 keys",
		bits(16): "16", bits(9.04): "9", bits(9.25): "9.3", percentTick(0.0001): "0.01 % ", durationTick(1e4): "10 µs ",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
