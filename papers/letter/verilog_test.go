package letter

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/family/dlbf"
	"github.com/bloomlane/bloomlane/internal/require"
	"github.com/bloomlane/bloomlane/report/command/commandtest"
)

// The letter's form in Verilog has the results and the bits of the filter in Go, operation by
// operation, also for elements that have a cell twice, and regions that are short or missing.
func TestVerilog(t *testing.T) {
	if _, err := exec.LookPath("iverilog"); err != nil {
		require.Skip(t, "cosim", "iverilog is not installed: apt-get install iverilog")
	}
	const count = 400
	for _, s := range []dlbf.Shape{
		{Bits: 240, Regions: 24, Hashes: 5}, {Bits: 100, Regions: 30, Hashes: 2},
		{Bits: 16, Regions: 6, Hashes: 4}, {Bits: 64, Regions: 32, Hashes: 1}} {
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			operations, want := history(t, s, count)
			file, program := filepath.Join(folder, "operations"), filepath.Join(folder, "tb")
			if err := os.WriteFile(file, []byte(operations), 0o600); err != nil {
				t.Fatal(err)
			}
			args := []string{"-g2001", "-Wall", "-I", "../../hdl/rtl", "-y", "../../hdl/letter",
				"-o", program}
			for name, value := range map[string]int{"M": s.Bits, "K": s.Hashes, "R": s.Regions,
				"COUNT": count} {
				args = append(args, "-P", fmt.Sprintf("letter_tb.%s=%d", name, value))
			}
			out, err := commandtest.Process(t, "iverilog",
				append(args, "../../hdl/letter/letter_tb.v")...).CombinedOutput()
			if err != nil || len(out) > 0 {
				t.Fatalf("iverilog: %v\n%s", err, out)
			}
			out, err = commandtest.Process(t, "vvp", "-n", program,
				"+operations="+file).CombinedOutput()
			if err != nil {
				t.Fatalf("vvp: %v\n%s", err, out)
			}
			got := strings.Split(strings.TrimSpace(string(out)), "\n")
			for i := range max(len(got), len(want)) {
				if i >= len(got) || i >= len(want) || got[i] != want[i] {
					t.Fatalf("operation %d of %d, %d are printed: %s\nwant %s", i, len(want),
						len(got), got[min(i, len(got)-1)], want[min(i, len(want)-1)])
				}
			}
		})
	}
}

// history returns operations as letter_tb.v reads them, and what it prints of the same in Go.
func history(t *testing.T, s dlbf.Shape, count int) (operations string, printed []string) {
	t.Helper()
	a, err := dlbf.NewArray(s)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(5, 5))
	bits := len(fmt.Sprintf("%b", s.Cells()-1)) // of a cell
	var text strings.Builder
	var members []uint64
	seen := map[string]int{}
	first := true // the filter is empty before the operation
	for range count {
		op, h := rng.IntN(4), rng.Uint64()
		if len(members) > 0 && (op != 1 || rng.IntN(8) == 0) && rng.IntN(4) > 0 {
			h = members[rng.IntN(len(members))]
		}
		cells := a.AppendCells(nil, h)
		var result filter.Status
		switch op {
		case 0, 1:
			present := a.QueryAt(cells)
			if op == 1 {
				present = a.InsertAt(cells)
				members = append(members, h)
			}
			if present {
				result = filter.Retained
			}
		case 2:
			result = a.DeleteAt(cells)
		}
		seen[fmt.Sprint(op, result)]++
		line := fmt.Sprintf("%03b", op)
		if first {
			line = fmt.Sprintf("1%02b", op)
		}
		for _, cell := range slices.Backward(cells) {
			line += fmt.Sprintf("%0*b", bits, cell)
		}
		number, _ := new(big.Int).SetString(line, 2)
		fmt.Fprintf(&text, "%x\n", number)
		printed = append(printed, fmt.Sprintf("%d %s", result, bitsOf(a)))
		if first = len(members) > max(2, s.Cells()/s.Hashes/2); first { // else all is collided soon
			a.Reset()
			members = nil
		}
	}
	for _, what := range []string{"0 absent", "0 retained", "1 absent", "1 retained", "2 absent",
		"2 retained", "2 deleted"} {
		if seen[what] == 0 {
			t.Errorf("no operation and result %s among %v", what, seen)
		}
	}
	return text.String(), printed
}

// bitsOf returns all bits of a filter, the last cell first and the first region last.
func bitsOf(a *dlbf.Array) string {
	s := a.Shape()
	text := make([]byte, s.Bits)
	bit := func(i int, set bool) { text[s.Bits-1-i] = map[bool]byte{false: '0', true: '1'}[set] }
	for region := range s.Regions {
		cell := region * s.RegionCells()
		bit(region, cell < s.Cells() && !a.DeletableAt([]uint64{uint64(cell)}))
	}
	for cell := range s.Cells() {
		bit(s.Regions+cell, a.QueryAt([]uint64{uint64(cell)}))
	}
	return string(text)
}
