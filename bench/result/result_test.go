package result

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

func sampleRun() *Run {
	ratio, predicted := 1.5, 0.002
	return &Run{
		Schema: Schema, Date: "2026-01-02T03:04:05Z", Go: "go1.26", CPU: "a CPU <of> tests", Platform: "linux/amd64", Cores: 2,
		CacheBytes: Caches{32 << 10, 1 << 20, -1, 1 << 20}, Features: []string{"avx2"}, Notes: []string{"2 GiB skipped"},
		Timings: []Timing{
			{Group: Group{Operation: "query", Form: "batch", Lane: 64, Cores: 1, Unit: "key"}, Kind: Floor, Name: "load", Least: 1, Samples: []float64{1, 1.1}},
			{Group: Group{Operation: "merge", Form: "batch", Lane: 64, Cores: 1, Unit: "block"}, Kind: Kernel, Name: "avx2", Least: 2, Samples: []float64{2}},
			{Group: Group{Operation: "query", Form: "batch", Lane: 64, Cores: 1, Unit: "key"}, Kind: Floor, Name: "load ahead", Least: 0.5, Samples: []float64{0.5}},
			{Group: Group{Operation: "query", Form: "batch", Lane: 64, Cores: 1, Unit: "key"}, Kind: Kernel, Name: "avx2", Least: 1.5, Ratio: &ratio},
		},
		Latencies: []Latency{{Operation: "query", Lane: 64, Name: "avx2", Batch: 8, Form: "batch", P50: 10, P99: 20, P999: 30, Max: 1000}},
		Accuracy:  []Accuracy{{Name: "ours", Kind: Kernel, Members: 1e6, Bits: 16, Asked: 16, Rate: 0.0021, Predicted: &predicted}},
	}
}

func TestRoundTrip(t *testing.T) {
	want := sampleRun()
	var text bytes.Buffer
	if err := want.Write(&text); err != nil {
		t.Fatal(err)
	}
	got, err := Read(bytes.NewReader(text.Bytes()))
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("read back\n%+v (%v), want\n%+v", got, err, want)
	}
	if !strings.Contains(text.String(), "<of>") {
		t.Error("the JSON escapes what HTML would need")
	}
}

func TestReadRefuses(t *testing.T) {
	var format *FormatError
	var schema *SchemaError
	for text, target := range map[string]any{
		"":                              &format,
		"[]":                            &format,
		"{}":                            &format,
		`{"schema": "1"}`:               &format,
		`{"schema": 1} {}`:              &format,
		`{"schema": 1, "timings": 5}`:   &format,
		`{"schema": 0}`:                 &schema,
		`{"schema": 2, "timings": 5}`:   &schema,
		`{"schema": 1, "timings":[{}]}`: &format,
		`{"schema": 1, "timings":[{"kind":"kernel","operation":"query","least_ns":-1}]}`:          &format,
		`{"schema": 1, "timings":[{"kind":"kernel","operation":"query","samples_ns":[1,-1]}]}`:    &format,
		`{"schema": 1, "timings":[{"kind":"kernel","operation":"query","median_ns":1e300}]}`:      &format,
		`{"schema": 1, "timings":[{"kind":"kernel","operation":"query","median_ns":1e-300}]}`:     &format,
		`{"schema": 1, "timings":[{"kind":"kernel","operation":"query","yes":1.5}]}`:              &format,
		`{"schema": 1, "latencies":[{"operation":"query","batch":1,"p50_ns":-1}]}`:                &format,
		`{"schema": 1, "timings":[{"kind":"engine","operation":"query"}]}`:                        &format,
		`{"schema": 1, "latencies":[{"operation":"query","batch":0}]}`:                            &format,
		`{"schema": 1, "accuracy":[{"kind":"peer","rate":2}]}`:                                    &format,
		`{"schema": 1, "accuracy":[{"kind":"peer","lost":-2}]}`:                                   &format,
		`{"schema": 1, "timings":[{"kind":"kernel","operation":"query","samples_ns":[1e999,1]}]}`: &format,
	} {
		if _, err := Read(strings.NewReader(text)); !errors.As(err, target) {
			t.Errorf("%s: error %v, want a %T", text, err, target)
		}
	}
	if _, err := Read(io.LimitReader(spaces{}, MaxBytes+2)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("error %v, want %v", err, ErrTooLarge)
	}
	if _, err := Read(strings.NewReader(`{"schema": 1, "later": true}`)); err != nil {
		t.Errorf("a field of a later version: %v", err)
	}
}

// spaces is an endless file of them.
type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestWriteRefuses(t *testing.T) {
	for name, spoil := range map[string]func(*Run){
		"schema":   func(r *Run) { r.Schema = 7 },
		"negative": func(r *Run) { r.Timings[0].Least = -1 },
		"NaN":      func(r *Run) { r.Timings[0].Yes = math.NaN() },
	} {
		run := sampleRun()
		spoil(run)
		var text bytes.Buffer
		if err := run.Write(&text); err == nil || text.Len() > 0 {
			t.Errorf("%s: error %v, %d bytes written", name, err, text.Len())
		}
	}
}

// What Read accepts, Write writes, and it is read back as it was.
func FuzzRead(f *testing.F) {
	var text bytes.Buffer
	if err := sampleRun().Write(&text); err != nil {
		f.Fatal(err)
	}
	f.Add(text.Bytes())
	f.Add([]byte(`{"schema": 1, "timings":[{"kind":"kernel","operation":"query","samples_ns":[1, 2e3]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		run, err := Read(bytes.NewReader(text))
		if err != nil {
			return
		}
		var again bytes.Buffer
		if err := run.Write(&again); err != nil {
			t.Fatal(err)
		}
		if read, err := Read(&again); err != nil || !reflect.DeepEqual(read, run) {
			t.Errorf("read back %+v (%v), want %+v", read, err, run)
		}
	})
}

func TestContests(t *testing.T) {
	all := sampleRun().Contests()
	if len(all) != 2 || len(all[0].Timings) != 3 || all[1].Operation != "merge" {
		t.Fatalf("contests %+v", all)
	}
	if floor, ok := all[0].Fastest(Floor); !ok || floor.Name != "load ahead" {
		t.Errorf("fastest floor %q", floor.Name)
	}
	if _, ok := all[1].Fastest(Peer); ok {
		t.Error("a peer where there is none")
	}
}

func TestSummarize(t *testing.T) {
	samples := []float64{5, 1, 3, 2, 4}
	least, median, spread := Summarize(samples)
	if least != 1 || median != 3 || spread < 0.5 || spread > 1.2 {
		t.Errorf("least %v, median %v, spread %v", least, median, spread)
	}
	if samples[0] != 5 {
		t.Error("the samples were sorted")
	}
	if l, m, s := Summarize(nil); l != 0 || m != 0 || s != 0 {
		t.Errorf("of nothing %v, %v, %v", l, m, s)
	}
}

// noisy returns n samples around center, each of a round that slows both contenders up to three times.
func noisy(rng *rand.Rand, drift []float64, center float64) []float64 {
	samples := make([]float64, len(drift))
	for i := range samples {
		samples[i] = center * drift[i] * (1 + 0.01*rng.ExpFloat64())
	}
	return samples
}

func TestVerdicts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	drift := make([]float64, 12)
	for i := range drift {
		drift[i] = 1 + 2*rng.Float64()
	}
	a, b, same := noisy(rng, drift, 10), noisy(rng, drift, 12), noisy(rng, drift, 10)
	calm := make([]float64, 12)
	for i := range calm {
		calm[i] = 1
	}
	for _, test := range []struct {
		name    string
		compare func(a, b []float64) Verdict
		a, b    []float64
		want    Outcome
	}{
		{"pairs under drift", Paired, a, b, Faster},
		{"pairs under drift, turned", Paired, b, a, Slower},
		{"no difference under drift", Paired, a, same, Undecided},
		{"the same times under drift, no pairs", Unpaired, a, b, Undecided},
		{"pairs without a difference at all", Paired, a, a, Undecided},
		{"a sure difference that is level", Paired, scaled(calm, 1000), scaled(calm, 1005), Undecided},
		{"calm runs", Unpaired, noisy(rng, calm, 10), noisy(rng, calm, 12), Faster},
		{"calm runs, turned", Unpaired, noisy(rng, calm, 12), noisy(rng, calm, 10), Slower},
		{"two rounds", Paired, []float64{1, 1}, []float64{2, 2}, Undecided},
		{"six rounds, far apart", Paired, []float64{1, 2, 3, 4, 5, 6}, []float64{11, 12, 13, 14, 15, 16}, Faster},
		{"nothing", Paired, nil, nil, Undecided},
		{"nothing on one side", Unpaired, a, nil, Undecided},
		{"zeros", Paired, make([]float64, 12), a, Undecided},
	} {
		v := test.compare(test.a, test.b)
		if v.Outcome != test.want || v.P < 0 || v.P > 1 || math.IsNaN(v.Ratio) || v.Low > v.Ratio || v.Ratio > v.High {
			t.Errorf("%s: %+v, want %s", test.name, v, test.want)
		}
	}
	if v := Paired(a, b); v.Low > 1.2 || v.High < 1.2 || v.High > 1.3 {
		t.Errorf("the interval %v to %v is not around 1.2", v.Low, v.High)
	}
	if v := UnpairedAt(scaled(calm, 1.00), noisy(rng, calm, 1.04), 0.01, 0.05); v.Outcome != Undecided {
		t.Errorf("4 %% where 5 %% are asked: %+v", v)
	}
}

func scaled(of []float64, by float64) []float64 {
	samples := make([]float64, len(of))
	for i := range of {
		samples[i] = of[i] * by
	}
	return samples
}

// Equal contenders are called unequal hardly more often than Significance says.
func TestFalseVerdicts(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const comparisons = 2000
	for name, compare := range map[string]func(a, b []float64) Verdict{"paired": Paired, "unpaired": Unpaired} {
		decided := 0
		for range comparisons {
			a, b := make([]float64, 12), make([]float64, 12)
			for i := range a {
				a[i], b[i] = 1+rng.ExpFloat64(), 1+rng.ExpFloat64()
			}
			if compare(a, b).Outcome != Undecided {
				decided++
			}
		}
		if limit := 2 * Significance * comparisons; float64(decided) > limit {
			t.Errorf("%s: %d of %d comparisons of equals were decided, want %.0f at most", name, decided, comparisons, limit)
		}
	}
}

// The example is that of Holm's method anywhere: 0.005 x 4, 0.01 x 3, 0.03 x 2, and no less for 0.04.
func TestHolm(t *testing.T) {
	got := Holm([]float64{0.01, 0.04, 0.03, 0.005})
	for i, want := range []float64{0.03, 0.06, 0.06, 0.02} {
		if math.Abs(got[i]-want) > 1e-12 {
			t.Errorf("%v: P %d is %v, want %v", got, i, got[i], want)
		}
	}
	if all := Holm([]float64{0.9, 0.8}); all[0] > 1 || all[1] > 1 {
		t.Errorf("%v, want at most 1", all)
	}
}

// Nothing is clearer than samples that do not overlap.
func TestClearestUnpaired(t *testing.T) {
	for _, n := range []int{3, 5, 8} {
		var a, b []float64
		for i := range n {
			a, b = append(a, 1+float64(i)/100), append(b, 2+float64(i)/100)
		}
		if got, want := ClearestUnpaired(n, n), Unpaired(a, b).P; math.Abs(got/want-1) > 1e-9 {
			t.Errorf("%d samples: %v, want %v", n, got, want)
		}
	}
	if p := ClearestUnpaired(0, 5); p != 1 {
		t.Errorf("no samples: %v, want 1", p)
	}
}
