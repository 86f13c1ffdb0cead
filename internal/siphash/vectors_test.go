package siphash

import (
	"encoding/binary"
	"encoding/hex"
	"testing"
)

// authors24 are the hashes of no byte, 0, 0 1, 0 1 2, and so on, up to 63 bytes, under the key
// 00 01 … 0f: the test vectors of SipHash-2-4 by its authors (vectors_sip64 in vectors.h of
// github.com/veorq/SipHash, commit f26d35e), as little-endian numbers.
var authors24 = [...]uint64{
	0x726fdb47dd0e0e31, 0x74f839c593dc67fd, 0x0d6c8009d9a94f5a, 0x85676696d7fb7e2d,
	0xcf2794e0277187b7, 0x18765564cd99a68d, 0xcbc9466e58fee3ce, 0xab0200f58b01d137,
	0x93f5f5799a932462, 0x9e0082df0ba9e4b0, 0x7a5dbbc594ddb9f3, 0xf4b32f46226bada7,
	0x751e8fbc860ee5fb, 0x14ea5627c0843d90, 0xf723ca908e7af2ee, 0xa129ca6149be45e5,
	0x3f2acc7f57c29bdb, 0x699ae9f52cbe4794, 0x4bc1b3f0968dd39c, 0xbb6dc91da77961bd,
	0xbed65cf21aa2ee98, 0xd0f2cbb02e3b67c7, 0x93536795e3a33e88, 0xa80c038ccd5ccec8,
	0xb8ad50c6f649af94, 0xbce192de8a85b8ea, 0x17d835b85bbb15f3, 0x2f2e6163076bcfad,
	0xde4daaaca71dc9a5, 0xa6a2506687956571, 0xad87a3535c49ef28, 0x32d892fad841c342,
	0x7127512f72f27cce, 0xa7f32346f95978e3, 0x12e0b01abb051238, 0x15e034d40fa197ae,
	0x314dffbe0815a3b4, 0x027990f029623981, 0xcadcd4e59ef40c4d, 0x9abfd8766a33735c,
	0x0e3ea96b5304a7d0, 0xad0c42d6fc585992, 0x187306c89bc215a9, 0xd4a60abcf3792b95,
	0xf935451de4f21df2, 0xa9538f0419755787, 0xdb9acddff56ca510, 0xd06c98cd5c0975eb,
	0xe612a3cb9ecba951, 0xc766e62cfcadaf96, 0xee64435a9752fe72, 0xa192d576b245165a,
	0x0a8787bf8ecb74b2, 0x81b3e73d20b49b6f, 0x7fa8220ba3b2ecea, 0x245731c13ca42499,
	0xb78dbfaf3a8d83bd, 0xea1ad565322a1a0b, 0x60e61c23a3795013, 0x6606d7e446282b93,
	0x6ca4ecb15c5f91e1, 0x9f626da15c9625f3, 0xe51b38608ef25f57, 0x958a324ceb064572,
}

// rust13 are the same of SipHash-1-3, by SipHasher13::new_with_keys of Rust's std::hash (rustc
// 1.95.0). The authors' siphash.c, compiled with cROUNDS=1 and dROUNDS=3, has the same.
var rust13 = [...]uint64{
	0xabac0158050fc4dc, 0xc9f49bf37d57ca93, 0x82cb9b024dc7d44d, 0x8bf80ab8e7ddf7fb,
	0xcf75576088d38328, 0xdef9d52f49533b67, 0xc50d2b50c59f22a7, 0xd3927d989bb11140,
	0x369095118d299a8e, 0x25a48eb36c063de4, 0x79de85ee92ff097f, 0x70c118c1f94dc352,
	0x78a384b157b4d9a2, 0x306f760c1229ffa7, 0x605aa111c0f95d34, 0xd320d86d2a519956,
	0xcc4fdd1a7d908b66, 0x9cf2689063dbd80c, 0x8ffc389cb473e63e, 0xf21f9de58d297d1c,
	0xc0dc2f46a6cce040, 0xb992abfe2b45f844, 0x7ffe7b9ba320872e, 0x525a0e7fdae6c123,
	0xf464aeb267349c8c, 0x45cd5928705b0979, 0x3a3e35e3ca9913a5, 0xa91dc74e4ade3b35,
	0xfb0bed02ef6cd00d, 0x88d93cb44ab1e1f4, 0x540f11d643c5e663, 0x2370dd1f8c21d1bc,
	0x81157b6c16a7b60d, 0x4d54b9e57a8ff9bf, 0x759f12781f2a753e, 0xcea1a3bebf186b91,
	0x2cf508d3ada26206, 0xb6101c2da3c33057, 0xb3f47496ae3a36a1, 0x626b57547b108392,
	0xc1d2363299e41531, 0x667cc1923f1ad944, 0x65704ffec8138825, 0x24f280d1c28949a6,
	0xc2ca1cedfaf8876b, 0xc2164bfc9f042196, 0xa16e9c9368b1d623, 0x49fb169c8b5114fd,
	0x9f3143f8df074c46, 0xc6fdaf2412cc86b3, 0x7eaf49d10a52098f, 0x1cf313559d292f9a,
	0xc44a30dda2f41f12, 0x36fae98943a71ed0, 0x318fb34c73f0bce6, 0xa27abf3670a7e980,
	0xb4bcc0db243c6d75, 0x23f8d852fdb71513, 0x8f035f4da67d8a08, 0xd89cd0e5b7e8f148,
	0xf6f4e6bcf7a644ee, 0xaec59ad80f1837f2, 0xc3b2f6154b6694e0, 0x9d199062b7bbb3a8,
}

// python13 are those of 1 to 63 bytes under another key, by CPython 3.11.7: hash(bytes(range(n))),
// which is SipHash-1-3, with PYTHONHASHSEED=2012. CPython makes the key of the seed with a linear
// congruential generator (lcg_urandom in Python/bootstrap_hash.c).
var python13 = [...]uint64{
	0xb305946f3ca9f881, 0x82c02952b4c23a65, 0xce27e71223e4dcaf, 0x118785e95dff3704,
	0xb8152f02b4b2cf17, 0x043a25e0cd069bb8, 0x8a61b93824b22126, 0xe298ac8753b19258,
	0x6e0714433ee9402a, 0x37772f86bbfcd6b2, 0x9abe033e8d258b63, 0xd4fe6a87333b9584,
	0xd14c6788c87ac297, 0x0b3d440ebbf00fe5, 0xcedb837b51f6ef66, 0x1d873ae6ea713e50,
	0xbc28a43ebd9bdcc7, 0x6dbec1cb1a186587, 0x58ae6c9dd1b33daa, 0x7367f4c4d9a90922,
	0xf52b7266096c499a, 0x9b979d8769e72bb9, 0x860b69a3cbe99b4b, 0x5bc8baae17557029,
	0x89a5327d69b0d22f, 0x806f4e299d5d6f78, 0xad53784418846521, 0x8d75b7aebcd8a12a,
	0x848d4307505df634, 0x61ee2b13ec5b3cf4, 0xa66b626fa721830f, 0xd0437fe1134e38f7,
	0xbef152841e3b26bb, 0xaf741c926e4af06d, 0x2c86ee04035aea44, 0x13a13eaee3c93ad6,
	0xa8b757b8b83aeb40, 0x56acda17bbcbadf6, 0x419f30d8227993fd, 0x224a4b4717cb3e2f,
	0x6039badb29ff0f78, 0xd43139db03e0c689, 0x09be22982b70e35c, 0x0d8425a299b56d0b,
	0x5f6dcb681a499d60, 0xe376af96a7a77f59, 0x0b2dab8733d8e4a5, 0xb3fddb770fd55e6d,
	0xa8fb4c6b25e1b6fa, 0x6a6ee5d25451e620, 0xd310b3d06e4edd11, 0xeff912bf04c10c5b,
	0xe7365218f3aa07fc, 0xecf25777740e3d6d, 0xe68108b7b01955a6, 0x11cbe18072bc34c1,
	0xfde6852e81aa5bd0, 0x5eec63023c714c89, 0x44679e390a6e0ac0, 0x4ddd72b16151ad9a,
	0x842525a0f1dcb7a6, 0x12bc5ffa46f78e5b, 0x409c3219bf650b8e,
}

// The hashes of 0 to 1000 bytes 00 01 … ff 00 …, as 8 little-endian bytes each, are one more key.
// Its hash under the key 00 01 … 0f is this, by the program that rust13 is of.
const manyLengths13 uint64 = 0x19f63251e605cd5c

// ascending returns the bytes 00 01 …
func ascending(n int) []byte {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(i)
	}
	return data
}

// The definition has the vectors of both numbers of rounds, and what runs those of SipHash-1-3.
func TestVectors(t *testing.T) {
	key := [Size]byte(ascending(Size))
	k := New(key)
	for n := range authors24 {
		data := ascending(n)
		if got := Definition(&key, data, 2, 4); got != authors24[n] {
			t.Errorf("SipHash-2-4 of %d bytes: %#x, want %#x", n, got, authors24[n])
		}
		if got := Definition(&key, data, 1, 3); got != rust13[n] {
			t.Errorf("SipHash-1-3 of %d bytes: %#x, want %#x", n, got, rust13[n])
		}
		if got := k.Sum64(data); got != rust13[n] {
			t.Errorf("%d bytes: %#x, want %#x", n, got, rust13[n])
		}
	}
	var all []byte
	for n := range 1001 {
		all = binary.LittleEndian.AppendUint64(all, k.Sum64(ascending(n)))
	}
	if got := k.Sum64(all); got != manyLengths13 {
		t.Errorf("of all hashes: %#x, want %#x", got, manyLengths13)
	}
}

// And those of another key.
func TestVectorsOfCPython(t *testing.T) {
	key, err := hex.DecodeString("d0e92f20b3b999909a9c6af230e1c0c0")
	if err != nil {
		t.Fatal(err)
	}
	k := New([Size]byte(key))
	for i, want := range python13 {
		if got := k.Sum64(ascending(i + 1)); got != want {
			t.Errorf("%d bytes: %#x, want %#x", i+1, got, want)
		}
	}
}

// FuzzHashes is that what runs is the definition.
func FuzzHashes(f *testing.F) {
	f.Add([]byte("0123456789012345"), []byte("a key of some bytes"))
	f.Fuzz(func(t *testing.T, secret, data []byte) {
		var key [Size]byte
		copy(key[:], secret)
		k := New(key)
		if got, want := k.Sum64(data), Definition(&key, data, 1, 3); got != want {
			t.Errorf("%x: %#x, want %#x", data, got, want)
		}
		if len(data) == 8 {
			n := binary.LittleEndian.Uint64(data)
			if got := k.Sum64Uint64(n); got != k.Sum64(data) {
				t.Errorf("uint64 %#x: %#x, want %#x", n, got, k.Sum64(data))
			}
		}
	})
}
