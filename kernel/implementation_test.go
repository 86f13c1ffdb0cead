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

	"github.com/bloomlane/bloomlane/asm"
	"github.com/bloomlane/bloomlane/internal/dispatch"
	"github.com/bloomlane/bloomlane/internal/require"
)

// A test of an implementation that cannot run fails.
func TestMain(m *testing.M) {
	if err := VariableError(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func TestImplementations(t *testing.T) {
	all := Implementations()
	if last := all[len(all)-1]; last.String() != "purego" {
		t.Errorf("%v: the last is %v, want purego", all, last)
	}
	want := slices.Max(all)
	name := os.Getenv(Variable)
	for _, im := range all {
		if im.String() == name {
			want = im
		}
	}
	if Active() != want {
		t.Errorf("of %v, %v is active, want %v", all, Active(), want)
	}
	if err := VariableError(); err != nil {
		t.Error(err)
	}
	all[0] = 99
	if Implementations()[0] == 99 {
		t.Error("a caller can write to the list of implementations")
	}
}

// If BLOOMLANE_REQUIRE names an implementation that no test ran, the tests fail.
func TestRequiredImplementations(t *testing.T) {
	for im := Implementation(0); !strings.HasPrefix(im.String(), "Implementation"); im++ {
		if require.Names(im.String()) && !slices.Contains(Implementations(), im) {
			t.Errorf("%s requires %v, which this program cannot run on this CPU",
				require.Variable, im)
		}
	}
}

// The active implementation runs single keys too. Results are equal, so the test looks at the
// choice itself. Whatever is chosen, a query is the definition's.
func TestChoiceOfSingleKeys(t *testing.T) {
	choice := func(im Implementation) (portable, narrow bool) {
		return im.String() == "purego", im.String() != "avx512"
	}
	portable, narrow := choice(Active())
	if asm.Portable != portable || asm.Narrow != narrow {
		t.Errorf("%v is active, and single keys are portable Go: %v, or at most AVX2: %v",
			Active(), asm.Portable, asm.Narrow)
	}
	defer func() { asm.Portable, asm.Narrow = portable, narrow }()
	for _, im := range dispatch.Implementations() {
		asm.Portable, asm.Narrow = choice(Implementation(im))
		t.Run(im.String(), func(t *testing.T) {
			lawDefinition(t, methods512())
			lawDefinition(t, methods256())
		})
	}
}

// The error of an unavailable name lists those that are available.
func TestUnavailableError(t *testing.T) {
	err := &UnavailableError{Name: "avx3", Available: []Implementation{200, 0}}
	const want = `kernel: BLOOMLANE_KERNEL is "avx3": this program on this CPU can run Implementation(200), purego`
	if err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// The variable chooses the implementation of a program, and a wrong name gives it an error. With a
// wrong name the tests of this package fail, whichever of them run, instead of testing another
// implementation.
func TestVariable(t *testing.T) {
	run := func(name string) (string, error) {
		child := exec.Command(os.Args[0], "-test.v", "-test.count=1",
			"-test.run=^TestImplementations$")
		child.Env = append(os.Environ(), Variable+"="+name)
		output, err := child.CombinedOutput()
		if errors.Is(err, syscall.ENOEXEC) {
			require.Skip(t, "processes", "an emulated program cannot start itself")
		}
		return string(output), err
	}
	names := []string{""}
	for _, im := range Implementations() {
		names = append(names, im.String())
	}
	for _, name := range names {
		if output, err := run(name); err != nil ||
			!strings.Contains(output, "--- PASS: TestImplementations") {
			t.Errorf("%s=%s: %v\n%s", Variable, name, err, output)
		}
	}
	output, err := run("avx3")
	var exit *exec.ExitError
	if !errors.As(err, &exit) || strings.Contains(output, "TestImplementations") {
		t.Errorf("%s=avx3: tests ran, %v\n%s", Variable, err, output)
	}
	// The list of implementations is not compared: the child of an emulated program may run without
	// emulation.
	want := (&UnavailableError{Name: "avx3"}).Error()
	if line, rest, _ := strings.Cut(output, "\n"); !strings.HasPrefix(line, want) || rest != "" {
		t.Errorf("%s=avx3: %s\nwant one line that begins %s", Variable, output, want)
	}
}
