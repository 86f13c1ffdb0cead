//go:build !(amd64 || arm64) || purego

package siphash

import (
	"github.com/bloomlane/bloomlane/internal/batch"
	"github.com/bloomlane/bloomlane/internal/dispatch"
)

// BatchOn is Batch on one implementation: for comparisons.
func (k *Key) BatchOn(_ dispatch.Implementation, keys batch.Keys, hashes []uint64) {
	k.singly(keys, hashes)
}
