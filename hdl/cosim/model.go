package cosim

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/bloomlane/bloomlane/hdl"
)

// A Model names what is simulated: a module of package hdl and its parameters.
type Model struct {
	Top        string         // the module, such as "bloomlane_core"
	Parameters map[string]int // those that are not left at their defaults, such as "W": 64
	// Sources are files that package hdl lacks, or that replace its own, by name.
	Sources map[string]string

	coverage bool // count lines and toggles, for +coverage=
	waves    bool // be able to write waveforms, for +wave=
	netlist  bool // the top's source is all: gates, and models of their cells
	brief    bool // it runs for less time than a compiler needs to make it faster
	rude     bool // the stimuli do what BLOOMLANE_CHECK in the sources forbids
}

// String returns the top and its parameters.
func (m Model) String() string {
	parts := []string{m.Top}
	for _, name := range slices.Sorted(maps.Keys(m.Parameters)) {
		parts = append(parts, fmt.Sprintf("%s=%d", name, m.Parameters[name]))
	}
	return strings.Join(parts, " ")
}

// flags returns what Verilator is told about the model, the same for the same model.
func (m Model) flags() []string {
	flags := []string{
		"--cc", "--exe", "--prefix", "Vmodel", "--Mdir", "obj", "--top-module", m.Top,
		"--default-language", m.language(), "-O3", "--output-split", "0", "-Wno-fatal", "-Wno-lint",
		"-Wno-style", "-Irtl",
		// A signal without a driver or reset has a random value, chosen at start.
		"--x-assign", "unique", "--x-initial", "unique",
	}
	if m.netlist { // the parameters are in it; Verilator has no defaults of inputs
		flags = append(flags, "-DNO_ICE40_DEFAULT_ASSIGNMENTS", "-Werror-UNOPTFLAT",
			"rtl/"+carries)
	} else {
		for _, name := range slices.Sorted(maps.Keys(m.Parameters)) {
			flags = append(flags, fmt.Sprintf("-G%s=%d", name, m.Parameters[name]))
		}
	}
	switch {
	case m.coverage:
		flags = append(flags, "--coverage-line", "--coverage-toggle")
	case !m.rude: // coverage does not ask for the lines that stop the simulation
		flags = append(flags, "-DBLOOMLANE_CHECK")
	}
	if m.waves {
		flags = append(flags, "--trace-fst")
	}
	return flags
}

// carries is a file for Verilator: the carries of a cell are bits of their own. A vector that is
// computed from itself is a loop to Verilator, and 5.006 leaves values of an earlier clock in one:
// so any other loop of a netlist is an error.
const (
	carries = "carries.vlt"
	split   = "`verilator_config\nsplit_var -module \"CARRY4\" -var \"CO\"\n"
)

// language returns the version of Verilog that the sources are in.
func (m Model) language() string {
	if m.netlist {
		return "1800-2017"
	}
	return "1364-2005"
}

var word = regexp.MustCompile(`\b[a-z]\w*(\.vh)?`)

// files returns the sources that the top consists of, by name.
func (m Model) files() (map[string]string, error) {
	found := map[string]string{}
	open := []string{m.Top + ".v"}
	if m.netlist {
		found[open[0]], found[carries], open = m.Sources[open[0]], split, nil
	}
	for len(open) > 0 {
		name := open[0]
		open = open[1:]
		if _, ok := found[name]; ok {
			continue
		}
		text, ok := m.Sources[name]
		if !ok {
			content, err := fs.ReadFile(hdl.RTL, name)
			if err != nil {
				return nil, fmt.Errorf("cosim: %s: %w", m, err)
			}
			text = string(content)
		}
		found[name] = text
		// A file is named after its module: every word of a source that has one is a candidate.
		for _, candidate := range word.FindAllString(text, -1) {
			if !strings.HasSuffix(candidate, ".vh") {
				candidate += ".v"
			}
			_, replaced := m.Sources[candidate]
			if _, err := fs.Stat(hdl.RTL, candidate); replaced || err == nil {
				open = append(open, candidate)
			}
		}
	}
	return found, nil
}

// key returns the name under which the model's program is kept.
func (m Model) key(files map[string]string, tools string) string {
	hash := sha256.New()
	put := func(parts ...string) {
		for _, part := range parts {
			fmt.Fprintf(hash, "%d %s\n", len(part), part)
		}
	}
	put("1", driver, tools) // the number is the version of what build does beyond all these
	put(m.flags()...)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		put(name, files[name])
	}
	return hex.EncodeToString(hash.Sum(nil)[:16])
}
