//go:build (amd64 || arm64) && !purego

package asm

import (
	"strings"
	"testing"

	"github.com/klauspost/cpuid/v2"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/internal/require"
)

// kernels is one instruction set at one width: the stubs of this package by what they do.
type kernels[T fallback.Lane] struct {
	queryBatch, insertBatch func(table *[8]T, nblocks int, hashes *uint64, n, fetch, distance int, hits *uint64) int
	deleteBatch             func(table *[8]T, nblocks int, hashes *uint64, n, fetch, distance int, status *uint8) int
	query, insert           func(table *[8]T, nblocks int, h uint64) bool
	delete                  func(table *[8]T, nblocks int, h uint64) uint8
	fetch                   func(table *[8]T, nblocks int, hashes *uint64, n int)
	merge                   func(dst, src *[8]T, n, fetch int)
	matchBatch              func(block, masks *[8]T, n int, hits *uint64) int
}

// set is one instruction set.
type set struct {
	name     string // as BLOOMLANE_REQUIRE and BLOOMLANE_KERNEL have it
	features []string
	w512     kernels[uint64]
	w256     kernels[uint32]
}

// lack returns the features that this CPU, or its operating system, lacks.
func (s set) lack() (missing []string) {
	for _, name := range s.features {
		if !cpuid.CPU.Supports(cpuid.ParseFeature(name)) {
			missing = append(missing, name)
		}
	}
	return missing
}

// eachSet runs a test on each instruction set and width.
func eachSet(t *testing.T, test512 func(*testing.T, kernels[uint64]), test256 func(*testing.T, kernels[uint32])) {
	for _, s := range sets {
		t.Run(s.name, func(t *testing.T) {
			if missing := s.lack(); missing != nil {
				require.Skip(t, s.name, "this CPU has no "+strings.Join(missing, ", "))
			}
			t.Run("512", func(t *testing.T) { test512(t, s.w512) })
			t.Run("256", func(t *testing.T) { test256(t, s.w256) })
		})
	}
}

// TestFeatureNames holds the names of the features against the package that will be asked for them.
func TestFeatureNames(t *testing.T) {
	for _, s := range sets {
		for _, name := range s.features {
			if id := cpuid.ParseFeature(name); id == cpuid.UNKNOWN || id.String() != name {
				t.Errorf("%s: cpuid knows no feature %q", s.name, name)
			}
		}
	}
}
