// Command papers reproduces papers on Bloom filters: their tables, figures, equations and numbers.
// Each is printed beside what is measured here, with a verdict.
//
//	go run ./papers letter               # under two minutes
//	go run ./papers garden               # some seconds
//	go run ./papers retouched            # under a minute
//	go run ./papers elastic              # under two minutes
//	go run ./papers challenge            # under a minute
//	go run ./papers letter --short       # as CI runs it
//	go run ./papers letter --out DIR     # with the figures, as SVG, and their points, as CSV
//	go run ./papers report letter        # what was found, as a page to cite
//	go run ./papers summary --short      # the table of docs/measurements.md
//	go run ./papers all --json           # one value a line
//
// The package of each paper says how it was read. A value is reproduced if our interval of 95 %
// meets what was published, and undecided if it would meet a value that is a tenth off as well. A
// published value is taken to half a unit of its last digit, or to a tenth of it where the text
// says "around". A direction without a number is undecided if the interval holds 0. A
// value that differs has the reason beneath it, with the numbers that show it.
//
// Results go to stdout, messages and progress to stderr. The exit code is 0, or 2 if the usage is
// bad or the results cannot be made or written.
package main

import "os"

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}
