package highway

import "unsafe"

// Batches one key after another: without assembly, and of a few keys.

func fixedSingly(im implementation, k *Key, data []byte, width int, hashes []uint64) {
	for i := range hashes {
		hashes[i] = im.sum64(k, data[i*width:(i+1)*width])
	}
}

func keysSingly[K []byte | string](im implementation, k *Key, keys []K, hashes []uint64) {
	for i := range keys {
		key := *(*string)(unsafe.Pointer(&keys[i])) // which a slice begins with
		hashes[i] = im.sum64(k, unsafe.Slice(unsafe.StringData(key), len(key)))
	}
}

func offsetsSingly[O Offset](im implementation, k *Key, data []byte, offsets []O, hashes []uint64) {
	for i := range hashes {
		hashes[i] = im.sum64(k, data[offsets[i]:offsets[i+1]])
	}
}
