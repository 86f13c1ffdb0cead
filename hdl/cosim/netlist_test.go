package cosim

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/internal/require"
)

// netlists are the families of FPGAs whose netlists are simulated: yosys' command, the file of its
// models of their cells, and the benches. It has none that can be simulated of AMD's block memories
// and multipliers: so a table is small there, and products are made of adders. yosys 0.23 makes
// shift registers that ignore their clock enable: so there are none.
var netlists = []struct {
	family, synth, cells string
	long                 bool // make cosim-netlists only
	benches              []string
}{
	{"ice40", "synth_ice40 -flatten", "ice40/cells_sim.v", false,
		[]string{"packet-fifo-8-drop-0", "match-positions-w32-1-2"}},
	{"ice40", "synth_ice40 -flatten", "ice40/cells_sim.v", true,
		[]string{"inline-w32-8b-14", "match-positions-w32-5-2-of-8", "table-core-w32-3",
			"toeplitz-13"}},
	{"ultrascale", "synth_xilinx -family xcup -flatten -nosrl -nowidelut -noiopad -noclkbuf",
		"xilinx/cells_sim.v",
		true, []string{"packet-fifo-8-drop-0", "match-positions-w32-5-2-of-8", "inline-w32-8b-14",
			"inline-w32-64b-14", "table-core-w32-3", "spread-adders"}},
}

// The netlists that yosys makes of the RTL, in its models of the cells of FPGAs, agree with Go on
// the stimuli of the benches.
func TestNetlists(t *testing.T) {
	onlyLong(t)
	full := os.Getenv("BLOOMLANE_NETLISTS") == "full"
	for _, n := range netlists {
		if n.long != full {
			continue
		}
		for _, name := range n.benches {
			t.Run(n.family+"/"+name, func(t *testing.T) {
				t.Parallel()
				b := benches[slices.IndexFunc(benches,
					func(b bench) bool { return b.name == name })]
				b.model.Sources = map[string]string{
					b.model.Top + ".v": cellsOf(t, n.cells) + synthesise(t, b.model, n.synth)}
				b.model.netlist = true
				s := start(t, b.model)
				if err := errors.Join(b.check(s, random(), b.short()), s.Close()); err != nil {
					t.Errorf("%s: %v", b.model, err)
				}
			})
		}
	}
}

// needYosys returns where yosys is. It skips the test where it is missing.
func needYosys(t *testing.T) string {
	t.Helper()
	yosys, err := exec.LookPath("yosys")
	if err != nil {
		require.Skip(t, "yosys", "yosys is not installed: apt-get install yosys")
	}
	return yosys
}

// cellsOf returns a file of yosys' models of cells.
func cellsOf(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(filepath.Dir(needYosys(t)), "../share/yosys", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// synthesise returns the netlist that a command of yosys makes of a model.
func synthesise(t *testing.T, model Model, command string) string {
	t.Helper()
	files, err := model.files()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	script := "read_verilog -I."
	for name, text := range files {
		write(t, filepath.Join(folder, name), []string{text})
		if strings.HasSuffix(name, ".v") {
			script += " " + name
		}
	}
	script += "; hierarchy -check -top " + model.Top
	for name, value := range model.Parameters {
		script += fmt.Sprintf(" -chparam %s %d", name, value)
	}
	// A vector would be a loop to Verilator where one of its bits is computed from another.
	script += "; " + command + "; splitnets; write_verilog -noattr netlist"
	if err := tool(t.Context(), folder, "yosys", "-q", "-p", script); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(folder, "netlist"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
