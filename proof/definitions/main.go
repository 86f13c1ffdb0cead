// Definitions is no API: it is a program that links operations of fallback and hashes, for the
// proofs to read.
package main

import (
	"runtime"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/internal/pmac"
	"github.com/bloomlane/bloomlane/internal/siphash"
)

var operations = []any{
	fallback.Merge[uint64], fallback.Merge[uint32],
	fallback.Fold[uint64], fallback.Fold[uint32],
	fallback.Intersect[uint64], fallback.Intersect[uint32],
	fallback.XXHash32, fallback.XXHash64,
	siphash.Definition,
	pmac.New, (*pmac.Key).Sum64, (*pmac.Key).Batch, (*pmac.Key).Query512,
}

func main() { runtime.KeepAlive(operations) }
