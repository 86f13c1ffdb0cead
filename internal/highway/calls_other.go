//go:build !(amd64 || arm64) || purego

package highway

func (implementation) sum64(k *Key, data []byte) uint64 { return portableSum64(k, data) }

func (implementation) sum64Uint64(k *Key, n uint64) uint64 { return portableSum64Uint64(k, n) }

func (im implementation) hashFixed(k *Key, data []byte, width int, hashes []uint64) {
	fixedSingly(im, k, data, width, hashes)
}

func hashKeys[K []byte | string](im implementation, k *Key, keys []K, hashes []uint64) {
	keysSingly(im, k, keys, hashes)
}

func hashOffsets[O Offset](im implementation, k *Key, data []byte, offsets []O, hashes []uint64) {
	offsetsSingly(im, k, data, offsets, hashes)
}
