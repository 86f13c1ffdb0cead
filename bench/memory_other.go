//go:build !linux

package main

import "github.com/bloomlane/bloomlane/kernel"

// pageKinds are the sizes of pages that a table can be on: those that the system gives.
var pageKinds = []string{"default"}

const pagesHuge = "huge"

func newTable(nblocks int, pages string) (kernel.Table512, func() error, error) {
	return kernel.NewTable512(nblocks), func() error { return nil }, nil
}

func hugeShare(table kernel.Table512) (float64, bool) { return 0, false }

func availableBytes() (int64, bool) { return 0, false }
