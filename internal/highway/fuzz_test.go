package highway

import (
	"testing"

	"github.com/minio/highwayhash"

	"github.com/bloomlane/bloomlane/internal/dispatch"
)

// FuzzHashes hashes one key in every form, and data cut into keys whose lengths are read from cuts,
// and compares with minio's package.
func FuzzHashes(f *testing.F) {
	f.Add([]byte("01234567890123456789012345678901"), []byte("a key of some bytes"),
		[]byte{0, 1, 7, 8})
	f.Fuzz(func(t *testing.T, bytes, data, cuts []byte) {
		if len(data) > 1<<16 {
			return
		}
		var secret [Size]byte
		copy(secret[:], bytes)
		k := New(secret)
		offsets, want := []uint32{0}, []uint64{}
		var slices [][]byte
		for _, cut := range cuts {
			start := int(offsets[len(offsets)-1])
			end := min(len(data), start+int(cut))
			offsets = append(offsets, uint32(end))
			slices = append(slices, data[start:end])
			want = append(want, highwayhash.Sum64(data[start:end], secret[:]))
		}
		whole := highwayhash.Sum64(data, secret[:])
		if got := definition(k.initial, data); got != whole {
			t.Fatalf("the definition: %#x, want %#x", got, whole)
		}
		for _, im := range dispatch.Implementations() {
			im := implementation(im)
			for form, got := range im.everyForm(k, data) {
				if got != whole {
					t.Fatalf("%s of %x: %#x, want %#x", form, data, got, whole)
				}
			}
			hashes := make([]uint64, len(want))
			offsetsOn(im, k, data, offsets, hashes)
			for i := range want {
				if hashes[i] != want[i] {
					t.Fatalf("offsets, key %d of %d, %x: %#x, want %#x", i, len(want), slices[i],
						hashes[i], want[i])
				}
			}
			clear(hashes)
			keysOn(im, k, slices, hashes)
			for i := range want {
				if hashes[i] != want[i] {
					t.Fatalf("slices, key %d of %d, %x: %#x, want %#x", i, len(want), slices[i],
						hashes[i], want[i])
				}
			}
		}
	})
}
