// Command studies is for those who choose a filter or write a kernel: it answers what a run of
// bench does not, because it takes other streams of keys, or CPUs that nobody here has.
//
//	go run ./studies model amd64     # what LLVM's models of other CPUs say; also arm64
//
// Results go to stdout, messages and progress to stderr. The exit code is 0; or 2 where the usage
// is bad, BLOOMLANE_KERNEL names what this CPU cannot run, or the results cannot be had or written.
package main

import "os"

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}
