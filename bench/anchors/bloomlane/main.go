// Command bloomlane is an archive for C: the tables of package kernel under bench/anchors, which
// compares them with filters in C++. Build it by bench/anchors/run.
package main

func main() {}
