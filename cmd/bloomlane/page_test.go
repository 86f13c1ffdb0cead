//go:build linux

package main

import (
	"testing"

	"github.com/bloomlane/bloomlane/report/command/commandtest"
)

// The commands of these pages print what they say.
func TestPagesOfCommands(t *testing.T) {
	for _, page := range []string{"churn.md", "files.md", "recipes/billion.md", "recipes/parquet.md"} {
		s := newShell(t)
		// In place of random keys, under which figures differ.
		for _, name := range []string{"users.blm.key", "shards.key", "users.key"} {
			s.Write(name, commandtest.FixedKey)
		}
		s.parquet("events.parquet", 0, 4)
		s.Page("../../docs/"+page, "bloomlane")
	}
}
