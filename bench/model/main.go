// Command model computes what the inner loops of the assembly cost on CPUs that need not be at hand,
// beside what clang makes of the same loops in C: cycles a key, by the models of LLVM.
//
//	make report-arm64                      # installs the tools of LLVM if it may
//	go run ./bench/model --json arm64      # the same as JSON; also amd64
//
// # What is computed
//
// The assembly is taken as the linker leaves it: the test program of package asm is built for the
// architecture and disassembled. Of each function the innermost loop without prefetches counts, of
// each C function of c/kernels.c its innermost loop; where there is more or less than one, the
// command fails. C is written twice, plainly and with the intrinsics of NEON, compiled for the very
// CPU, and the better one counts; amd64 has no C beside it. llvm-mca puts all through the scheduling
// model of that CPU, 1,200 times and 200 times: the difference, divided by the 1,000 and by the keys
// of an iteration, is the cycles a key in the steady state.
//
// Two numbers say what resources allow. The bound is llvm-mca's reciprocal throughput of the loop: no
// less for each kind of unit alone, nor for the dispatch. It is optimistic, because kinds share units:
// a shift that two of four vector units take and an AND that all of them take do not add up. The
// other is for how many cycles the busiest unit is busy in the run: where that comes near the cycles,
// units are what the loop waits for, and where not, results or the reorder buffer.
//
// A loop is the straight line from its first instruction to the branch back: none that leads out of
// it or ahead is taken. So a delete is one that clears bits of a key that is present, with its status
// written, in the assembly as in C.
//
// # What it leaves out
//
// It is a model and no measurement. llvm-mca knows no cache misses, no mispredicted branches and no
// fetch of instructions, takes every load for a hit in the first-level cache and no load to depend on
// a store. A model is as good as its author's sources: LLVM has none of Apple's cores since Cyclone
// (2013) and schedules them all by that one. The name of the model that a CPU really gets is taken
// from the names of its units, and printed.
package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run runs the command line with args and returns its exit code: 0, or 2 where the usage is bad or
// the report cannot be made.
func run(args []string, stdout, stderr io.Writer) int {
	var asJSON bool
	root := &cobra.Command{
		Use:   "model " + strings.Join(architectureNames(), "|"),
		Short: "Compute the cycles a key of the assembly's inner loops, by LLVM's models",
		Long: `Compute the cycles a key of the inner loops of an architecture's assembly on CPUs that need
not be at hand, by the scheduling models of LLVM, beside what clang makes of the same loops
in C. It needs go, clang-` + llvmVersion + `, llvm-objdump-` + llvmVersion + ` and llvm-mca-` + llvmVersion + `.

The report goes to stdout, messages to stderr. Exit code: 0; 2 where the usage is bad or the
report cannot be made.`,
		Args:          cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs:     architectureNames(),
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			i := slices.IndexFunc(architectures, func(a architecture) bool { return a.name == args[0] })
			r, err := makeReport(architectures[i])
			if err != nil {
				return err
			}
			return r.write(cmd.OutOrStdout(), asJSON)
		},
	}
	root.Flags().BoolVar(&asJSON, "json", false, "print the report as one JSON object")
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	if err := root.Execute(); err != nil {
		fmt.Fprintln(stderr, "model:", err)
		return 2
	}
	return 0
}
