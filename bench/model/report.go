package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// report is what the command prints, and with --json as it stands.
type report struct {
	Architecture string `json:"architecture"`
	LLVM         string `json:"llvm"`
	Results      []row  `json:"results"`
}

// row is one loop of the assembly on one CPU, and the faster of clang's.
type row struct {
	CPU            string  `json:"cpu"`
	Model          string  `json:"model"` // what LLVM schedules that CPU by
	Kernel         string  `json:"kernel"`
	Width          int     `json:"width"`
	Implementation string  `json:"implementation"`
	Unit           string  `json:"unit"`   // what the cycles are of
	Cycles         float64 `json:"cycles"` // in the steady state
	Bound          float64 `json:"bound"`  // llvm-mca's reciprocal throughput of the loop
	Busy           float64 `json:"busy"`   // how many of the cycles the busiest unit is
	BusyUnit       string  `json:"busy_unit"`
	Clang          *clang  `json:"clang,omitempty"`
}

// clang is what the faster of the C forms costs.
type clang struct {
	Form   string  `json:"form"`
	Cycles float64 `json:"cycles"`
	Bound  float64 `json:"bound"`
	Busy   float64 `json:"busy"`
	Ratio  float64 `json:"ratio"` // the assembly's cycles to these
}

// ours is the name of the assembly among the forms of a loop.
const ours = "assembly"

// makeReport computes everything.
func makeReport(a architecture) (*report, error) {
	folder, err := os.MkdirTemp("", "bloomlane-model-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	assembly, err := linkAssembly(a, folder)
	if err != nil {
		return nil, err
	}
	r := &report{Architecture: a.name, LLVM: llvmVersion}
	for _, set := range a.sets {
		for _, cpu := range set.cpus {
			rows, err := a.model(set, cpu, assembly, folder)
			if err != nil {
				return nil, fmt.Errorf("%s on %s: %w", set.name, cpu, err)
			}
			r.Results = append(r.Results, rows...)
		}
	}
	return r, nil
}

// model returns the rows of an instruction set on a CPU.
func (a architecture) model(set instructionSet, cpu string, assembly map[string][]instruction, folder string) ([]row, error) {
	var regions []region
	iteration := map[string]int{} // of a region, in units
	add := func(k kernel, width int, form, symbol string, functions map[string][]instruction) error {
		loop, err := innerLoop(functions[symbol])
		if err != nil {
			return fmt.Errorf("%s: %w", symbol, err)
		}
		n, err := units(loop, k.unit, width)
		if err != nil {
			return fmt.Errorf("%s: %w", symbol, err)
		}
		name := regionName(k, width, form)
		iteration[name] = n
		regions = append(regions, region{name, loop})
		return nil
	}
	for _, width := range widths {
		var compiled map[string][]instruction
		if len(a.forms) > 0 {
			var err error
			if compiled, err = compile(a, cpu, width, folder); err != nil {
				return nil, err
			}
		}
		for _, k := range kernels {
			if err := add(k, width, ours, k.symbol(width, set), assembly); err != nil {
				return nil, err
			}
			for _, form := range a.forms {
				if err := add(k, width, form, form+"_"+k.name, compiled); err != nil {
					return nil, err
				}
			}
		}
	}
	all, model, err := costs(a, cpu, regions)
	if err != nil {
		return nil, err
	}
	var rows []row
	for _, k := range kernels {
		for _, width := range widths {
			of := func(form string) cost {
				name := regionName(k, width, form)
				return all[name].perUnit(iteration[name])
			}
			mine := of(ours)
			r := row{CPU: cpu, Model: model, Kernel: k.name, Width: width, Implementation: set.name,
				Unit: k.unit, Cycles: mine.cycles, Bound: mine.bound, Busy: mine.busy, BusyUnit: mine.unit}
			for _, form := range a.forms {
				if c := of(form); r.Clang == nil || c.cycles < r.Clang.Cycles {
					r.Clang = &clang{form, c.cycles, c.bound, c.busy, r.Cycles / c.cycles}
				}
			}
			rows = append(rows, r)
		}
	}
	return rows, nil
}

func regionName(k kernel, width int, form string) string {
	return fmt.Sprintf("%s_%d_%s", k.name, width, form)
}

// write writes the report in the form asked for.
func (r *report) write(w io.Writer, asJSON bool) error {
	var out bytes.Buffer
	if asJSON {
		encoder := json.NewEncoder(&out)
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(r); err != nil {
			return err
		}
	} else {
		r.writeText(&out)
	}
	_, err := out.WriteTo(w)
	return err
}

// writeText writes a table for each instruction set and CPU.
func (r *report) writeText(w io.Writer) {
	fmt.Fprintf(w, `%s: cycles a key (of merge a block, of match a mask) in the steady state of the inner loops,
by the scheduling models of LLVM %s. A model, not a measurement. Beside them llvm-mca's bound, which is
optimistic where several kinds of unit take an instruction, and for how many of the cycles the busiest
unit is busy.
`, r.Architecture, r.LLVM)
	previous := ""
	for _, x := range r.Results {
		if title := fmt.Sprintf("%s on %s, scheduled by LLVM's model %s", x.Implementation, x.CPU, x.Model); title != previous {
			fmt.Fprintf(w, "\n%s\n%12s %8s %6s %13s", title, "", "assembly", "bound", "busiest unit")
			if x.Clang != nil {
				fmt.Fprintf(w, "   %9s %6s %6s %-5s %6s", "clang -O3", "bound", "busy", "C", "ratio")
			}
			fmt.Fprintln(w)
			previous = title
		}
		fmt.Fprintf(w, "%-8s %3d %8.2f %6.2f %6.2f %6s", x.Kernel, x.Width, x.Cycles, x.Bound, x.Busy, x.BusyUnit)
		if c := x.Clang; c != nil {
			fmt.Fprintf(w, "   %9.2f %6.2f %6.2f %-5s %6.2f", c.Cycles, c.Bound, c.Busy, c.Form, c.Ratio)
		}
		fmt.Fprintln(w)
	}
}
