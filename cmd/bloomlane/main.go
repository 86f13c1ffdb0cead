// Command bloomlane builds, asks and maintains Bloom filters in files. "bloomlane --help" lists its
// commands.
//
// Results go to stdout and messages to stderr. With --json a result is one JSON object. The exit
// code is 0; 1 where a command ran and its answer is no, such as a key that is absent; 2 where the
// input or the usage is bad, or a file cannot be read or written, or the environment variable
// BLOOMLANE_KERNEL names what this CPU cannot run.
package main

import "os"

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
