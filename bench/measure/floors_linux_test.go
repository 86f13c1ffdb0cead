package measure

import (
	"fmt"
	"runtime/debug"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/bloomlane/bloomlane/internal/require"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// The loading floor loads the block of each hash: with one block's page out of reach it faults on
// the hash of that block, wherever it is in the slice, and without that hash it does not.
func TestFloorLoads(t *testing.T) {
	sets := assembly()
	if len(sets) == 0 {
		require.Skip(t, "floors", "there are no floors for this CPU in this build")
	}
	for _, width := range widths {
		table, release, err := newTable(width, 2<<20, pages4K)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := release(); err != nil {
				t.Error(err)
			}
		}()
		memory := table.memory()
		if err := unix.Mprotect(memory[len(memory)/2:], unix.PROT_NONE); err != nil {
			t.Fatal(err)
		}
		hashes := make([]uint64, sliceKeys)
		for i := range hashes {
			hashes[i] = workload.Mix(uint64(i)) >> 1 // in the first half of the table
		}
		for _, set := range sets {
			for _, d := range []int{0, 32, distance, 256} {
				faults := func() (fault bool) {
					defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
					defer func() { fault = fmt.Sprint(recover()) != fmt.Sprint(nil) }()
					table.floors(&set, d)[query](hashes)
					return false
				}
				if faults() {
					t.Fatalf("%s, distance %d: a block that no hash is of was loaded", set.name, d)
				}
				for _, i := range []int{0, 1, d, sliceKeys - d - 1, sliceKeys - 1} {
					before := hashes[i]
					hashes[i] |= 1 << 63
					if !faults() {
						t.Errorf("%s, distance %d: the block of hash %d was not loaded",
							set.name, d, i)
					}
					hashes[i] = before
				}
			}
		}
	}
}
