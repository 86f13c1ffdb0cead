package result

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func sampleRun() *Run {
	predicted := 0.002
	query := Conditions{Operation: "query", Form: FormBatch, BlockBits: 512, Cores: 1, Unit: "key"}
	merge := Conditions{Operation: "merge", Form: FormBatch, BlockBits: 512, Cores: 1,
		Unit: "block"}
	return &Run{
		Schema: Schema, Machine: Machine{Date: "2026-01-02T03:04:05Z", Go: "go1.26",
			CPU: "a CPU <of> tests", Platform: "linux/amd64", Cores: 2},
		CacheBytes: Caches{32 << 10, 1 << 20, -1, 1 << 20}, Implementations: []string{"avx2"},
		Notes: []string{"2 GiB skipped"},
		Groups: []Group{
			{query, []Subject{
				{Kind: Floor, Name: "load", Least: 1, Samples: []float64{1, 1.1, 0.9}},
				{Kind: Floor, Name: "load ahead", Least: 0.5, Samples: []float64{0.5, 1.2}},
				{Kind: Implementation, Name: "avx2", Least: 1.5},
			}},
			{merge, []Subject{{Kind: Implementation, Name: "avx2", Least: 2,
				Samples: []float64{2}}}},
		},
		Latencies: []Latency{{Operation: "query", BlockBits: 512, Batch: 8, Form: FormBatch,
			P50: 10, P99: 20, P999: 30, Max: 1000}},
		Accuracy: []Accuracy{{Name: "ours", Kind: Implementation, Members: 1e6, Bits: 16,
			Asked: 16, Rate: 0.0021, Predicted: &predicted}},
	}
}

func TestRoundTrip(t *testing.T) {
	want := sampleRun()
	var text, zipped bytes.Buffer
	if err := errors.Join(want.Write(&text), want.WriteGzip(&zipped)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "<of>") ||
		!strings.Contains(text.String(), "[1, 1.1, 0.9]") {
		t.Error("the JSON escapes what HTML would need, or has a line for each number")
	}
	for form, written := range map[string]*bytes.Buffer{"JSON": &text, "gzip": &zipped} {
		if got, err := Read(bytes.NewReader(written.Bytes())); err != nil ||
			!reflect.DeepEqual(got, want) {
			t.Errorf("%s: read back\n%+v (%v), want\n%+v", form, got, err, want)
		}
	}
	var format *FormatError
	for _, n := range []int{3, zipped.Len() / 2, zipped.Len() - 2} {
		if _, err := Read(bytes.NewReader(zipped.Bytes()[:n])); !errors.As(err, &format) {
			t.Errorf("%d bytes of gzip: error %v, want a %T", n, err, format)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	var format *FormatError
	var schema *SchemaError
	subject := func(fields string) string {
		return `{"schema": 2, "groups":[{"operation":"query","subjects":[{"kind":"implementation",` + fields + `}]}]}`
	}
	for text, target := range map[string]any{
		"":                                &format,
		"[]":                              &format,
		"{}":                              &format,
		`{"schema": "2"}`:                 &format,
		`{"schema": 2} {}`:                &format,
		`{"schema": 2, "groups": 5}`:      &format,
		`{"schema": 0}`:                   &schema,
		`{"schema": 1, "timings": 5}`:     &schema,
		`{"schema": 3, "groups": 5}`:      &schema,
		`{"schema": 2, "groups":[{}]}`:    &format,
		subject(`"least_ns":-1`):          &format,
		subject(`"samples_ns":[1,-1]`):    &format,
		subject(`"least_ns":1e300`):       &format,
		subject(`"least_ns":1e-300`):      &format,
		subject(`"yes":1.5`):              &format,
		subject(`"lost":-1`):              &format,
		subject(`"kind":"engine"`):        &format,
		subject(`"samples_ns":[1e999,1]`): &format,
		`{"schema": 2, "groups":[{"operation":"query","table_bytes":-1}]}`:         &format,
		`{"schema": 2, "latencies":[{"operation":"query","batch":1,"p50_ns":-1}]}`: &format,
		`{"schema": 2, "latencies":[{"operation":"query","batch":0}]}`:             &format,
		`{"schema": 2, "accuracy":[{"kind":"peer","rate":2}]}`:                     &format,
		`{"schema": 2, "accuracy":[{"kind":"peer","lost":-2}]}`:                    &format,
		`{"schema": 2, "accuracy":[{"kind":"none"}]}`:                              &format,
	} {
		if _, err := Read(strings.NewReader(text)); !errors.As(err, target) {
			t.Errorf("%s: error %v, want a %T", text, err, target)
		}
	}
	if _, err := Read(io.LimitReader(spaces{}, MaxBytes+2)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("error %v, want %v", err, ErrTooLarge)
	}
	if _, err := Read(strings.NewReader(`{"schema": 2, "later": true}`)); err != nil {
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
		"negative": func(r *Run) { r.Groups[0].Subjects[0].Least = -1 },
		"NaN":      func(r *Run) { r.Groups[0].Subjects[0].Yes = math.NaN() },
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
	f.Add([]byte(
		`{"schema": 2, "groups":[{"operation":"query","subjects":[{"kind":"floor","samples_ns":[1, 2e3]}]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		run, err := Read(bytes.NewReader(text))
		if err != nil {
			return
		}
		var second bytes.Buffer
		if err := run.Write(&second); err != nil {
			t.Fatal(err)
		}
		if read, err := Read(&second); err != nil || !reflect.DeepEqual(read, run) {
			t.Errorf("read back %+v (%v), want %+v", read, err, run)
		}
	})
}

func TestGroup(t *testing.T) {
	groups := sampleRun().Groups
	if floor, ok := groups[0].Fastest(Floor); !ok || floor.Name != "load ahead" {
		t.Errorf("fastest floor %q", floor.Name)
	}
	if ratio := groups[0].ToFloor(groups[0].Subjects[2]); ratio != 3 {
		t.Errorf("%v times the floor, want 3", ratio)
	}
	if got, want := groups[0].FloorSamples(), []float64{0.5, 1.1, 0.9}; !slices.Equal(got, want) {
		t.Errorf("the least of the floors is %v, want %v", got, want)
	}
	if _, ok := groups[1].Fastest(Peer); ok || groups[1].ToFloor(groups[1].Subjects[0]) != 0 ||
		groups[1].FloorSamples() != nil {
		t.Error("a peer or a floor where there is none")
	}
}

func TestSamples(t *testing.T) {
	samples := []float64{5, 1, 3, 2}
	four, three, none := Quantile(samples, 0.5), Quantile(samples[:3], 0.5), Quantile(nil, 0.5)
	if four != 2.5 || three != 3 || none != 0 || samples[0] != 5 {
		t.Errorf("medians %v, %v and %v, or the samples were sorted", four, three, none)
	}
	for ns, want := range map[float64]float64{0: 0, 1.23456: 1.235, 98765432: 98770000,
		0.00012344: 0.0001234} {
		if got := Round(ns); got != want {
			t.Errorf("%v is rounded to %v, want %v", ns, got, want)
		}
	}
}

// noisy returns n samples around center, each of a round that slows both subjects up to three
// times.
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
	level, level2 := slices.Repeat([]float64{1000}, 12), slices.Repeat([]float64{1005}, 12)
	for _, test := range []struct {
		name string
		a, b []float64
		want Outcome
	}{
		{"pairs under drift", a, b, Faster},
		{"turned", b, a, Slower},
		{"no difference under drift", a, same, Undecided},
		{"no difference at all", a, a, Undecided},
		{"a sure difference that is level", level, level2, Undecided},
		{"turned", level2, level, Undecided},
		{"eight rounds", a[:8], b[:8], Faster},
		{"seven rounds", a[:7], b[:7], Undecided},
		{"seven rounds, turned", b[:7], a[:7], Undecided},
		{"no pairs", a, b[:11], Undecided},
		{"nothing", nil, nil, Undecided},
		{"nothing on one side", a, nil, Undecided},
		{"zeros", make([]float64, 12), a, Undecided},
	} {
		v := Paired(test.a, test.b)
		if v.Outcome != test.want || math.IsNaN(v.Ratio) || v.Low > v.Ratio || v.Ratio > v.High {
			t.Errorf("%s: %+v, want %s", test.name, v, test.want)
		}
	}
	if v := Paired(a, b); v.Low > 1.2 || v.High < 1.2 || v.High > 1.3 || v.Low < 1.1 {
		t.Errorf("the interval %v to %v is not around 1.2", v.Low, v.High)
	}
}

// Equal subjects are called unequal hardly more often than Confidence says.
func TestFalseVerdicts(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const comparisons = 2000
	decided := 0
	for range comparisons {
		a, b := make([]float64, 12), make([]float64, 12)
		for i := range a {
			a[i], b[i] = 1+rng.ExpFloat64(), 1+rng.ExpFloat64()
		}
		if Paired(a, b).Outcome != Undecided {
			decided++
		}
	}
	if limit := 2 * (1 - Confidence) * comparisons; float64(decided) > limit {
		t.Errorf("%d of %d comparisons of equals were decided, want %.0f at most", decided,
			comparisons, limit)
	}
}
