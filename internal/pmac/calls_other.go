//go:build !(amd64 || arm64) || purego

package pmac

import "github.com/bloomlane/bloomlane/internal/batch"

func detect() []Form { return nil }

func expand(*Key) {}

// HandsBack says whether [Key.Sum64] hands what is no key to [Foreign]. Here it does not: a call
// through a variable would let the caller's data escape.
const HandsBack = false

// Sum64 returns the hash of data.
func (k *Key) Sum64(data []byte) uint64 { return k.portableSum64(data) }

func (Form) sum64(k *Key, data []byte) uint64 { return k.portableSum64(data) }

func (Form) batch(k *Key, keys batch.Keys, hashes []uint64) { k.portableBatch(keys, hashes) }
