package kernel

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/bloomlane/bloomlane/internal/require"
)

// A test that was to run on an implementation that cannot run has failed.
func TestMain(m *testing.M) {
	if err := VariableError(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func TestImplementations(t *testing.T) {
	all := Implementations()
	if last := all[len(all)-1]; last != purego {
		t.Errorf("%v: the last is %v, want purego", all, last)
	}
	if !slices.Contains(all, Active()) {
		t.Errorf("%v does not contain the active %v", all, Active())
	}
	want := slices.Max(all)
	name := os.Getenv(Variable)
	for _, im := range all {
		if im.String() == name {
			want = im
		}
	}
	if Active() != want || run512 != want || run256 != preferred256(want, name) {
		t.Errorf("of %v, %v is active, %v and %v run; want %v", all, Active(), run512, run256, want)
	}
	if err := VariableError(); err != nil {
		t.Error(err)
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

func TestImplementationString(t *testing.T) {
	for im, want := range map[Implementation]string{
		purego: "purego", avx2: "avx2", avx512: "avx512", neon: "neon",
		neon + 1: "Implementation(4)", 255: "Implementation(255)",
	} {
		if got := im.String(); got != want {
			t.Errorf("%d: %q, want %q", im, got, want)
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
	for _, name := range []string{"avx3", "neon", "PUREGO", "purego ", "\n"} {
		got, err := choose(name, available)
		if got != other {
			t.Errorf("choose %q: %v, want the best, %v", name, got, other)
		}
		var unavailable *UnavailableError
		if !errors.As(err, &unavailable) || unavailable.Name != name ||
			!slices.Equal(unavailable.Available, available) {
			t.Fatalf("choose %q: %#v, want an error with the name and the choices", name, err)
		}
		const choices = "this program on this CPU can run Implementation(200), purego"
		want := fmt.Sprintf("kernel: BLOOMLANE_KERNEL is %q: %s", name, choices)
		if err.Error() != want {
			t.Errorf("choose %q: %v, want %s", name, err, want)
		}
		unavailable.Available[0] = purego
		if available[0] != other {
			t.Fatal("a caller can write to the list of implementations through an error")
		}
	}
}

// A name that is forced is run at both widths; else, also for a name that cannot run, AVX-512 is for
// blocks of 512 bits.
func TestPreferred256(t *testing.T) {
	tests := []struct {
		active Implementation
		name   string
		want   Implementation
	}{
		{avx512, "", avx2},
		{avx512, "avx512", avx512},
		{avx512, "avx3", avx2},
		{avx2, "", avx2},
		{avx2, "avx2", avx2},
		{neon, "", neon},
		{purego, "purego", purego},
	}
	for _, test := range tests {
		if got := preferred256(test.active, test.name); got != test.want {
			t.Errorf("%v, named %q: %v, want %v", test.active, test.name, got, test.want)
		}
	}
}

// A program finds its implementation, and a wrong name's error, by the variable; and the tests of this
// package fail for a wrong name, whichever of them are run, instead of testing another implementation.
func TestVariable(t *testing.T) {
	run := func(name string) (string, error) {
		child := exec.Command(os.Args[0], "-test.v", "-test.count=1", "-test.run=^TestImplementations$")
		child.Env = append(os.Environ(), Variable+"="+name)
		output, err := child.CombinedOutput()
		if errors.Is(err, syscall.ENOEXEC) {
			require.Skip(t, "exec", "an emulated program cannot start itself")
		}
		return string(output), err
	}
	names := []string{""}
	for _, im := range Implementations() {
		names = append(names, im.String())
	}
	for _, name := range names {
		if output, err := run(name); err != nil || !strings.Contains(output, "--- PASS: TestImplementations") {
			t.Errorf("%s=%s: %v\n%s", Variable, name, err, output)
		}
	}
	output, err := run("avx3")
	var exit *exec.ExitError
	if !errors.As(err, &exit) || strings.Contains(output, "TestImplementations") {
		t.Errorf("%s=avx3: tests ran, %v\n%s", Variable, err, output)
	}
	// Which implementations there are is left open: the child of an emulated program may not be emulated.
	want := (&UnavailableError{Name: "avx3"}).Error()
	if line, rest, _ := strings.Cut(output, "\n"); !strings.HasPrefix(line, want) || rest != "" {
		t.Errorf("%s=avx3: %s\nwant one line that begins %s", Variable, output, want)
	}
}
