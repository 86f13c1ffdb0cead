// Package model is no API: for authors of kernels, it computes what the inner loops of the assembly
// cost on other CPUs, in cycles per key, by the models of LLVM.
//
//	make report-arm64               # installs the tools of LLVM if it may; also report-amd64
//	go run ./studies model arm64    # also amd64
//
// # What is computed
//
// The assembly is read as the linker leaves it: the test program of package asm is
// built for the architecture and disassembled. Of each function the innermost loop without
// prefetches counts. If there is not exactly one, the command fails. llvm-mca puts each loop
// through the scheduling model of the CPU, 1,200 times and 200 times. The difference, divided by
// 1,000 and by the keys per iteration, is the number of cycles per key in the steady state.
//
// Two numbers say what resources allow. The bound is llvm-mca's reciprocal throughput of the loop:
// the loop takes at least as long for each kind of unit alone, and for the dispatch. It is
// optimistic, because kinds share units: a shift that two of four vector units can do and an AND
// that all of them can do do not add up. The other number is how many cycles the busiest unit is
// busy in the run. If it is near the cycles, the loop waits for units, and else for results or the
// reorder buffer.
//
// A loop is the straight line from its first instruction to the branch back: no branch out of it or
// ahead is taken. So a delete is one that clears bits of a key that is present and writes its
// status.
//
// # What it leaves out
//
// It is a model and no measurement. llvm-mca knows no cache misses, no mispredicted branches and no
// instruction fetch. It takes every load as a hit in the first-level cache, and no load to depend
// on a store. A model is as good as its author's sources: LLVM has no model of Apple's cores since
// Cyclone (2013), and schedules all of them as that one. The model that a CPU really gets is found
// by the names of its units, and printed.
package model

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/report/pivot"
)

// Command returns the command.
func Command() *cobra.Command {
	var names []string
	for _, a := range architectures {
		names = append(names, a.name)
	}
	return &cobra.Command{
		Use:   "model " + strings.Join(names, "|"),
		Short: "Compute the cycles per key of the assembly's inner loops, by LLVM's models",
		Long: `Compute the cycles per key of the inner loops of an architecture's assembly on CPUs
that need not be at hand, by the scheduling models of LLVM. It needs go, llvm-objdump-` + llvmVersion +
			` and llvm-mca-` + llvmVersion + `.`,
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs: names,
		RunE: func(cmd *cobra.Command, args []string) error {
			rows, err := architectures[slices.Index(names, args[0])].rows()
			if err != nil {
				return err
			}
			return write(cmd.OutOrStdout(), rows)
		},
	}
}

// row is one loop of the assembly on one CPU.
type row struct {
	set, cpu, model string // model: what LLVM schedules that CPU by
	kernel          kernel
	size            int // of a block, in bits
	cost
}

// rows computes everything.
func (a architecture) rows() ([]row, error) {
	folder, err := os.MkdirTemp("", "bloomlane-model-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	assembly, err := linkAssembly(a, folder)
	if err != nil {
		return nil, err
	}
	var all []row
	for _, set := range a.sets {
		for _, cpu := range set.cpus {
			rows, err := a.model(set, cpu, assembly, folder)
			if err != nil {
				return nil, fmt.Errorf("%s on %s: %w", set.name, cpu, err)
			}
			all = append(all, rows...)
		}
	}
	return all, nil
}

// model returns the rows of an instruction set on a CPU.
func (a architecture) model(
	set instructionSet,
	cpu string,
	assembly map[string][]instruction,
	folder string,
) ([]row, error) {
	var regions []region
	var rows []row
	iteration := map[string]int{} // of a region, in units
	for _, k := range kernels {
		for _, size := range sizes {
			name := k.symbol(size, set)
			loop, err := innerLoop(assembly[name])
			if err == nil {
				iteration[name], err = units(loop, k.unit, size)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			regions = append(regions, region{name, loop})
			rows = append(rows, row{set: set.name, cpu: cpu, kernel: k, size: size})
		}
	}
	all, model, err := costs(a, cpu, regions)
	for i := range rows {
		name := regions[i].name
		rows[i].model, rows[i].cost = model, all[name].perUnit(iteration[name])
	}
	return rows, err
}

// write writes a table for each instruction set and CPU.
func write(w io.Writer, rows []row) error {
	var text strings.Builder
	fmt.Fprintf(&text, `Cycles per key (of merge per block, of match per mask) in the steady state
of the inner loops, by the scheduling models of LLVM %s. A model, not a measurement. Blocks have
their bits beside them. The bound is llvm-mca's, which is optimistic where several kinds of unit
take an instruction; then for how many of the cycles the busiest unit is busy.
`, llvmVersion)
	for title, part := range pivot.Groups(rows, func(r row) string {
		return fmt.Sprintf("%s on %s, scheduled by LLVM's model %s", r.set, r.cpu, r.model)
	}) {
		t := pivot.Rows("||cycles|bound|busy|unit", part, row.cells)
		t.Labels = 2
		fmt.Fprintf(&text, "\n%s\n", title)
		t.Text(&text, 2)
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// cells are the row's in its table.
func (r row) cells() []string {
	number := func(x float64) string { return fmt.Sprintf("%.2f", x) }
	return []string{r.kernel.name, fmt.Sprint(r.size), number(r.cycles), number(r.bound),
		number(r.busy), r.unit}
}
