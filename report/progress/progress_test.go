package progress

import (
	"bytes"
	"strings"
	"testing"
)

// The first frame, which is there before any work is done, has the unit.
func TestProgressHasUnits(t *testing.T) {
	for _, test := range []struct {
		unit  string
		total int64
		wants string
	}{
		{"bytes", 5_000_000, "( 0 B/5.0 MB)"}, {"bytes", -1, "( 0 B)"}, {"bytes", 5, "( 0/ 5 B)"},
		{"keys", 1000, "(keys)   0% |"}, {"keys", 1000, "(0/1000)"}, {"", -1, "reading"},
	} {
		var frames bytes.Buffer
		bar := start(&frames, "reading", test.total, test.unit)
		if first := frames.String(); !strings.Contains(first, test.wants) {
			t.Errorf("%d %s: the first frame is %q, want %q", test.total, test.unit,
				first, test.wants)
		}
		bar.Done()
		if strings.Contains(frames.String(), "\n") {
			t.Errorf("%d %s: the bar leaves a line: %q", test.total, test.unit, &frames)
		}
	}
	hidden := Start(&bytes.Buffer{}, "reading", 1, "")
	hidden.Set(1)
	hidden.Add(1)
	hidden.Done()
	if hidden != nil {
		t.Error("a bar in a buffer")
	}
}
