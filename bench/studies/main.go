// Command studies is for those who choose a filter: it compares filters on the same streams of keys.
//
//	go run ./bench/studies streams         # all kinds of filters, on the same streams of keys
//	go run ./bench/studies churn           # all filters that delete, after turnovers of their members
//	go run ./bench/studies figures PAGE    # the figures of all recordings into a page of Markdown
//
// Results go to stdout, messages and progress to stderr. The exit code is 0; or 2 where the usage
// is bad, BLOOMLANE_KERNEL names what this CPU cannot run, or the results cannot be had or written.
package main

import "os"

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
