//go:build !(amd64 || arm64) || purego

package siphash

import (
	"github.com/bloomlane/bloomlane/internal/batch"
	"github.com/bloomlane/bloomlane/internal/dispatch"
)

func (k *Key) batch(_ dispatch.Implementation, keys batch.Keys, hashes []uint64) {
	k.singly(keys, hashes)
}
