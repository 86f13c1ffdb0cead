package measure

import (
	"errors"
	"math"
	"testing"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// A container's limit counts where it leaves less than the machine has.
func TestWithin(t *testing.T) {
	for _, test := range []struct {
		what  string
		limit memlimit.Provider
		want  int64
	}{
		{"no control group", func() (uint64, error) { return 0, errors.New("none") }, 1000},
		{"no limit", func() (uint64, error) { return math.MaxUint64, nil }, 1000},
		{"a limit above", memlimit.Limit(5000), 1000},
		{"a limit below", memlimit.Limit(700), 600},
		{"a limit that is used up", memlimit.Limit(50), 0},
	} {
		if got := within(1000, test.limit, 100); got != test.want {
			t.Errorf("%s: %d, want %d", test.what, got, test.want)
		}
	}
	if residentBytes() < 1<<20 {
		t.Errorf("this process has %d bytes", residentBytes())
	}
}
