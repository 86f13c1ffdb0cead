//go:build !(amd64 || arm64) || purego

package highway

func (implementation) sum64(k *Key, data []byte) uint64 { return portableSum64(k, data) }

func (implementation) sum64Uint64(k *Key, n uint64) uint64 { return portableSum64Uint64(k, n) }

func (implementation) hashFixed(k *Key, data []byte, width int, hashes []uint64) {
	portableFixed(k, data, width, hashes)
}

func hashKeys[K []byte | string](_ implementation, k *Key, keys []K, hashes []uint64) {
	portableKeys(k, keys, hashes)
}

func hashOffsets[O Offset](_ implementation, k *Key, data []byte, offsets []O, hashes []uint64) {
	portableOffsets(k, data, offsets, hashes)
}
