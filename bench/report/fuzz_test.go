package report

import (
	"bytes"
	"io"
	"testing"

	"github.com/bloomlane/bloomlane/bench/result"
)

// A run that can be read can be reported and compared, whatever it says.
func FuzzReport(f *testing.F) {
	run := synthetic()
	timings := run.Timings
	run.Latencies, run.Accuracy = run.Latencies[:6], run.Accuracy[:6]
	for _, i := range []int{0, len(timings) / 2, len(timings) - 40} {
		run.Timings = timings[i : i+10]
		var text bytes.Buffer
		if err := run.Write(&text); err != nil {
			f.Fatal(err)
		}
		f.Add(text.Bytes())
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		run, err := result.Read(bytes.NewReader(text))
		if err != nil {
			return
		}
		for _, write := range []func(io.Writer, *result.Run) error{Text, Markdown, Benchstat} {
			if err := write(io.Discard, run); err != nil {
				t.Error(err)
			}
		}
		for _, p := range Plots(run) {
			if err := p.WriteSVG(io.Discard); err != nil {
				t.Error(err)
			}
		}
		if c, err := Compare(run, run, DefaultLimits); err != nil || len(c.With(result.Slower))+len(c.With(result.Faster)) > 0 {
			t.Errorf("compared with itself: %+v (%v)", c, err)
		}
	})
}
