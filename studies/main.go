// Command studies is for those who choose a filter or write a kernel: it compares filters on the
// same streams of keys, and computes what kernels cost on CPUs that nobody here has.
//
//	go run ./studies streams         # all kinds of filters, on the same streams of keys
//	go run ./studies churn           # all filters that delete, after turnovers of their members
//	go run ./studies growth          # filters whose members become many, and few again
//	go run ./studies model amd64     # what LLVM's models of other CPUs say; also arm64
//	go run ./studies figures PAGE    # the figures of all recordings into a page of Markdown
//
// Results go to stdout, messages and progress to stderr. The exit code is 0; or 2 where the usage
// is bad, BLOOMLANE_KERNEL names what this CPU cannot run, or the results cannot be had or written.
package main

import "os"

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
