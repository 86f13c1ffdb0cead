// Definitions is no API: it is a program that links operations of fallback, for the proofs to read.
package main

import (
	"runtime"

	"github.com/bloomlane/bloomlane/fallback"
)

var operations = []any{
	fallback.Merge[uint64], fallback.Merge[uint32],
	fallback.Fold[uint64], fallback.Fold[uint32],
	fallback.Intersect[uint64], fallback.Intersect[uint32],
}

func main() { runtime.KeepAlive(operations) }
