// Command bench measures the kernels of this CPU against what its memory allows and against other
// libraries' filters, and how often each answers wrongly.
//
//	go run ./bench                    # minutes
//	go run ./bench --quick            # under a minute
//	go run ./bench render RECORDING   # a page again from its recording
//
// Package measure says how times are taken, package accuracy what is counted, and package result
// what the JSON of a run has.
//
// Results go to stdout, and with --out into a folder as a recording (JSON in gzip) and a page;
// messages and progress go to stderr. The exit code is 0; or 2 where the usage is bad,
// BLOOMLANE_KERNEL names what this CPU cannot run, or the results cannot be had or written.
package main

import "os"

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
