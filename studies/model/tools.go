package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// command runs a tool, with what it says on its standard error in the error.
func command(env []string, stdin, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdin = strings.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", name, err, stderr.String())
	}
	return stdout.String(), nil
}

func disassemble(file string) (map[string][]instruction, error) {
	text, err := command(nil, "", "llvm-objdump-"+llvmVersion, "-d", "--no-show-raw-insn", file)
	if err != nil {
		return nil, err
	}
	return parseDisassembly(text)
}

// linkAssembly returns the functions of package asm.
func linkAssembly(a architecture, folder string) (map[string][]instruction, error) {
	file := filepath.Join(folder, "asm.test")
	env := []string{"GOARCH=" + a.name, "GOOS=linux", "CGO_ENABLED=0"}
	if _, err := command(env, "", "go", "test", "-c", "-o", file, assemblyPackage); err != nil {
		return nil, err
	}
	return disassemble(file)
}

// region is a loop under a name that llvm-mca gives back.
type region struct {
	name string
	loop []instruction
}

// cost is what a model says of an iteration of a loop: its cycles, the bound of llvm-mca, and for
// how many cycles which unit is busy.
type cost struct {
	cycles, bound, busy float64
	unit                string
}

// Of what llvm-mca -json prints.
type analysis struct {
	CodeRegions []struct {
		Name        string
		SummaryView struct {
			BlockRThroughput        float64
			Iterations, TotalCycles int
		}
		Instructions         []string
		ResourcePressureView struct {
			ResourcePressureInfo []struct {
				InstructionIndex, ResourceIndex int
				ResourceUsage                   float64 // an iteration
			}
		}
	}
	TargetInfo struct{ Resources []string }
}

const (
	fewIterations  = 200
	moreIterations = 1200
)

// costs returns the cost of each region on a CPU, by name, and the name of the model that the CPU
// has.
func costs(a architecture, cpu string, regions []region) (map[string]cost, string, error) {
	var source strings.Builder
	for _, r := range regions {
		fmt.Fprintf(&source, "# LLVM-MCA-BEGIN %s\n", r.name)
		for _, i := range r.loop {
			fmt.Fprintln(&source, strings.Join(i.split(), "\n"))
		}
		fmt.Fprintln(&source, "# LLVM-MCA-END")
	}
	var runs [2]analysis
	for i, iterations := range []int{fewIterations, moreIterations} {
		text, err := command(nil, source.String(), "llvm-mca-"+llvmVersion,
			"-mtriple="+a.triple, "-mcpu="+cpu, "-iterations="+strconv.Itoa(iterations),
			"-instruction-info=0", "-json")
		if err == nil {
			runs[i], err = parseAnalysis(text)
		}
		if err != nil {
			return nil, "", err
		}
		if got := len(runs[i].CodeRegions); got != len(regions) {
			return nil, "", fmt.Errorf("llvm-mca answers for %d regions of %d", got, len(regions))
		}
	}
	all, model := map[string]cost{}, modelName(runs[1].TargetInfo.Resources)
	for i, region := range runs[0].CodeRegions {
		more := runs[1].CodeRegions[i]
		steady := float64(more.SummaryView.TotalCycles-region.SummaryView.TotalCycles) /
			(moreIterations - fewIterations)
		c := cost{cycles: steady, bound: more.SummaryView.BlockRThroughput}
		for _, use := range more.ResourcePressureView.ResourcePressureInfo {
			// What follows the last instruction is the sum.
			if use.InstructionIndex == len(more.Instructions) && use.ResourceUsage > c.busy {
				c.busy, c.unit = use.ResourceUsage,
					unitName(runs[1].TargetInfo.Resources[use.ResourceIndex], model)
			}
		}
		all[region.Name] = c
	}
	return all, model, nil
}

// parseAnalysis reads what llvm-mca -json printed.
func parseAnalysis(text string) (a analysis, err error) {
	if err = json.Unmarshal([]byte(text), &a); err != nil {
		return a, fmt.Errorf("llvm-mca's answer: %w", err)
	}
	return a, nil
}

// modelName returns what the names of all of a model's units begin with, such as N1 for N1UnitB and
// N1UnitV0.
func modelName(resources []string) string {
	if len(resources) == 0 {
		return "unknown"
	}
	name := resources[0]
	for _, resource := range resources {
		for !strings.HasPrefix(resource, name) {
			name = name[:len(name)-1]
		}
	}
	return strings.TrimSuffix(name, "Unit")
}

// unitName returns a unit's name without that of the model. One of several alike has its number
// after a dot, as a byte of that value.
func unitName(resource, model string) string {
	name := strings.TrimPrefix(strings.TrimPrefix(resource, model), "Unit")
	if kind, number, ok := strings.Cut(name, "."); ok && len(number) == 1 && number[0] < 10 {
		return fmt.Sprintf("%s.%d", kind, number[0])
	}
	return name
}

// perUnit divides a cost by the units of an iteration and rounds it to hundredths.
func (c cost) perUnit(n int) cost {
	round := func(x float64) float64 { return math.Round(100*x/float64(n)) / 100 }
	return cost{round(c.cycles), round(c.bound), round(c.busy), c.unit}
}
