//go:build !(amd64 || arm64) || purego

package highway

import "github.com/bloomlane/bloomlane/internal/batch"

func (implementation) sum64(k *Key, data []byte) uint64 { return portableSum64(k, data) }

func (implementation) sum64Uint64(k *Key, n uint64) uint64 { return portableSum64Uint64(k, n) }

func (im implementation) batch(k *Key, keys batch.Keys, hashes []uint64) {
	im.singly(k, keys, hashes)
}
