package kernel

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/internal/require"
)

func TestImplementations(t *testing.T) {
	all := Implementations()
	if last := all[len(all)-1]; last != purego {
		t.Errorf("%v: the last is %v, want purego", all, last)
	}
	if !slices.Contains(all, Active()) {
		t.Errorf("%v does not contain the active %v", all, Active())
	}
	if os.Getenv(Variable) == "" && Active() != slices.Max(all) {
		t.Errorf("of %v, %v is active", all, Active())
	}
	all[0] = 99
	if Implementations()[0] == 99 {
		t.Error("a caller can write to the list of implementations")
	}
}

// Whoever requires an implementation by BLOOMLANE_REQUIRE gets a failure where no test ran it.
func TestRequiredImplementations(t *testing.T) {
	for name := range implementationNames {
		im := Implementation(name)
		if require.Names(im.String()) && !slices.Contains(Implementations(), im) {
			t.Errorf("%s requires %v, which this program cannot run on this CPU", require.Variable, im)
		}
	}
}

func TestChoose(t *testing.T) {
	const other = Implementation(200)
	available := []Implementation{other, purego}
	tests := []struct {
		name string
		want Implementation
	}{
		{"", other},
		{"purego", purego},
		{other.String(), other},
	}
	for _, test := range tests {
		if got, err := choose(test.name, available); err != nil || got != test.want {
			t.Errorf("choose %q: %v, %v; want %v", test.name, got, err, test.want)
		}
	}
	_, err := choose("avx3", available)
	if err == nil || !strings.Contains(err.Error(), "BLOOMLANE_KERNEL=avx3") || !strings.Contains(err.Error(), "purego") {
		t.Errorf("choose avx3: %v, want an error with the variable and the choices", err)
	}
}

// A name that is forced is run at both widths; else AVX-512 is for blocks of 512 bits.
func TestPreferred256(t *testing.T) {
	tests := []struct {
		active Implementation
		forced bool
		want   Implementation
	}{
		{avx512, false, avx2},
		{avx512, true, avx512},
		{avx2, false, avx2},
		{neon, false, neon},
		{purego, true, purego},
	}
	for _, test := range tests {
		if got := preferred256(test.active, test.forced); got != test.want {
			t.Errorf("%v, forced %v: %v, want %v", test.active, test.forced, got, test.want)
		}
	}
}

func TestStatusString(t *testing.T) {
	for status, want := range map[Status]string{Absent: "absent", Retained: "retained", Deleted: "deleted", 7: "Status(7)"} {
		if got := status.String(); got != want {
			t.Errorf("%d: %q, want %q", status, got, want)
		}
	}
}
