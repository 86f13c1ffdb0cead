package main

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/klauspost/cpuid/v2"
	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/internal/hugepage"
	"github.com/bloomlane/bloomlane/kernel"
)

func newKernelsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "kernels",
		Short: "Print what the CPU has, and which implementation runs and why",
		Long: `Print what the CPU has, and which implementation of the block operations runs, and why.

The list has the implementations that this program can run on this CPU, the best first. There is
also to what memory the system gives huge pages. The environment variable ` + kernel.Variable + `
chooses an implementation by its name.

Exit codes: 0 done; 2 the variable names what this CPU cannot run.`,
		Example: `  bloomlane kernels
  ` + kernel.Variable + `=purego bloomlane kernels`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			result := newKernelsResult()
			return printResult(cmd, cmd.OutOrStdout(), &result)
		},
	}
}

// kernelsResult is what kernels prints.
type kernelsResult struct {
	CPU             string   `json:"cpu"`
	Platform        string   `json:"platform"`
	Features        []string `json:"features"`        // of those that implementations use
	Implementations []string `json:"implementations"` // the best first
	Active          string   `json:"active"`
	Why             string   `json:"why"`
	// as Linux has it: always, madvise or never; else unknown
	HugePages string `json:"huge_pages"`
}

// features are the CPU features that matter to kernels, in the order in which they came.
var features = []cpuid.FeatureID{
	cpuid.POPCNT, cpuid.AVX2, cpuid.BMI2,
	cpuid.AVX512F, cpuid.AVX512DQ, cpuid.AVX512BW, cpuid.AVX512VL, cpuid.AVX512VPOPCNTDQ,
	cpuid.ASIMD, cpuid.SVE,
}

func newKernelsResult() kernelsResult {
	r := kernelsResult{
		CPU:      cmp.Or(cpuid.CPU.BrandName, "unknown"),
		Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Features: []string{},
		Active:   kernel.Active().String(),
		Why:      "the best that this program can run on this CPU",

		HugePages: cmp.Or(hugepage.Mode(), "unknown"),
	}
	for _, feature := range features {
		if cpuid.CPU.Has(feature) {
			r.Features = append(r.Features, strings.ToLower(feature.String()))
		}
	}
	for _, im := range kernel.Implementations() {
		r.Implementations = append(r.Implementations, im.String())
	}
	if name := os.Getenv(kernel.Variable); name != "" {
		r.Why = fmt.Sprintf("%s=%s forces it", kernel.Variable, name)
	}
	return r
}

// hugePagesFor says what a setting of the system means.
var hugePagesFor = map[string]string{
	"always":  "always: for all memory",
	"madvise": "madvise: for memory that asks, as large tables do",
	"never":   "never: large tables are on small pages",
	"unknown": "unknown",
}

func (r *kernelsResult) String() string {
	return table([][2]string{
		{"cpu", fmt.Sprintf("%s (%s)", r.CPU, r.Platform)},
		{"features", strings.Join(r.Features, " ")},
		{"implementations", strings.Join(r.Implementations, " ")},
		{"active", fmt.Sprintf("%s: %s", r.Active, r.Why)},
		{"huge pages", hugePagesFor[r.HugePages]},
	}...)
}
