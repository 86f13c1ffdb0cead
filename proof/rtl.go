package proof

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/bloomlane/bloomlane/fallback"
)

// Synthesizer is the program that writes Verilog as SMT-LIB.
const Synthesizer = "yosys"

// wrapper has what the Verilog does with a key and a block, and with two blocks.
const wrapper = `module operation (input [1:0] op, input [%[1]d:0] block, other, input [%[2]d:0] positions,
	output [%[1]d:0] after, merged, output [1:0] result);
wire [%[1]d:0] mask;
bloomlane_mask #(.W(%[3]d)) key (positions, mask);
bloomlane_core #(.W(%[3]d)) core (op, block, mask, after, result);
bloomlane_merge #(.W(%[3]d)) merge (block, other, merged);
endmodule
`

// synthesize writes the Verilog of a folder for lanes of a width, as functions of a state that has
// the inputs.
func synthesize(sources string, width int, folder string) (string, error) {
	path := filepath.Join(folder, fmt.Sprint("rtl", width))
	verilog := fmt.Sprintf(wrapper, 8*width-1, fallback.K*int(log2(width))-1, width)
	script := fmt.Sprintf("read_verilog -defer -I%s %s/*.v\nread_verilog %s.v\nhierarchy -check "+
		"-top operation\nproc; flatten; opt -fast; write_smt2 -wires %s.smt2\n", sources, sources,
		path, path)
	for name, text := range map[string]string{".v": verilog, ".ys": script} {
		if err := os.WriteFile(path+name, []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	output, err := exec.Command(Synthesizer, "-q", "-s", path+".ys").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", Synthesizer, err, output)
	}
	text, err := os.ReadFile(path + ".smt2")
	return string(text), err
}

// circuits are the operations of the Verilog: the number of one is the input op, but for a merge.
var circuits = []string{"Query", "Insert", "Delete", "Merge"}

// circuit states that an operation of the Verilog is that of the definition, for any block and
// any word that positions are cut from.
func (p *Program) circuit(sources, operation, format, folder string) (Theorem, error) {
	h := p.history(format, nil)
	width := h.block.width / 8
	text, err := synthesize(sources, width, folder)
	if err != nil {
		return Theorem{}, err
	}
	output := func(name string, width int) *term { return h.variable("rtl_"+name, width) }
	number, goals := 0, []goal(nil)
	if operation == "Merge" {
		merged := h.combined(operation, h.block, h.variable("other", h.block.width)).block
		goals = append(goals, goal{"same_block", "The block is the definition's",
			h.equal(output("merged", h.block.width), merged)})
	} else {
		done := h.run(operation, h.third, h.block)
		for circuits[number] != operation {
			number++
		}
		goals = append(goals, goal{"same_block", "The block is the definition's",
			h.equal(output("after", h.block.width), done.block)},
			goal{"same_result", "The result is the definition's",
				h.equal(h.extend(output("result", 2), 8), done.result)})
	}
	if h.err != nil {
		return Theorem{}, h.err
	}
	positions := h.variable("positions", fallback.K*int(log2(width)))
	stored := h.product(h.third, h.pool.number(fallback.Multiplier, 64))
	assumed := append(h.assume(h.seen[0]), goal{"", "positions are the hash's stored positions",
		h.equal(positions, h.extract(stored, 63, 64-positions.width))})
	title := []string{fmt.Sprintf("%s of a block of %s bits: the Verilog does what the machine "+
		"code of the definition does.", operation, format), "A counterexample is sat."}
	theorem := Theorem{Name: "RTL" + operation + format, Set: "Verilog",
		Says: "result and block are those of the definition", Script: script(h.pool, title, assumed,
			goals)}
	for _, e := range h.seen {
		theorem.Paths += e.paths
		theorem.Executed += len(e.followed)
	}
	theorem.Script = connect(theorem.Script, text, number)
	return theorem, nil
}

// input is an input or an output of the Verilog that a script declares.
var input = regexp.MustCompile(`\(declare-const (block|other|positions|rtl_\w+) `)

// connect puts functions of a state into a script, whose constants are their values in one state.
func connect(script, functions string, operation int) string {
	connections := fmt.Sprintf("(declare-const inputs |operation_s|)\n"+
		"(assert (= (|operation_n op| inputs) #b%02b))\n", operation)
	for _, match := range input.FindAllStringSubmatch(script, -1) {
		connections += fmt.Sprintf("(assert (= (|operation_n %s| inputs) %s))\n",
			strings.TrimPrefix(match[1], "rtl_"), match[1])
	}
	script = strings.Replace(script, "(set-logic QF_BV)", "(set-logic QF_UFBV)", 1)
	const goals = "; A counterexample breaks"
	return strings.Replace(script, goals, functions+connections+goals, 1)
}
