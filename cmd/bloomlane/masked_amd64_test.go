package main

import (
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/internal/require"
	"github.com/bloomlane/bloomlane/kernel"
	"github.com/bloomlane/bloomlane/report/command/commandtest"
	"github.com/bloomlane/bloomlane/report/kernels"
)

// Where POPCNT is masked, no assembly runs, also if the ABM of AMD is there.
func TestMaskedPOPCNT(t *testing.T) {
	const emulator, masked = "qemu-x86_64-static", "BLOOMLANE_MASKED"
	if os.Getenv(masked) != "" {
		if r := kernels.New(); len(kernel.Implementations()) != 1 ||
			slices.Contains(r.Features, "popcnt") || !slices.Contains(r.Features, "avx2") {
			t.Errorf("%+v", r)
		}
		return
	}
	if _, err := exec.LookPath(emulator); err != nil {
		require.Skip(t, "emulator", err.Error())
	}
	command := commandtest.Process(t, emulator, "-cpu", "Haswell,-popcnt", os.Args[0], "-test.run",
		t.Name())
	command.Env = append(os.Environ(), masked+"=1")
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
