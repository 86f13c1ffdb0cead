package guard

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"net/netip"
	"runtime"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/bloomlane/bloomlane/packets/sets"
)

// maxMeasured is the number of entries up to which memory is measured; beyond, it is extrapolated.
const maxMeasured = 1 << 17

// measured returns the bytes that n entries take, by what a function allocates that makes them.
func measured(n int, fill func(n int)) int {
	some := max(1, min(n, maxMeasured))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fill(some)
	runtime.ReadMemStats(&after)
	return int(float64(after.TotalAlloc-before.TotalAlloc) / float64(some) * float64(n))
}

// exactBytes measures the memory of an exact set of n keys of a length of 4 bytes or more.
func exactBytes(n, length int) int {
	return measured(n, func(n int) {
		key := make([]byte, length)
		set := make(map[string]struct{}, n)
		for i := range n {
			binary.BigEndian.PutUint32(key, uint32(i))
			set[string(key)] = struct{}{}
		}
	})
}

// stateBytes measures the memory of the exact state of n sources, and of the list of their hashes.
func stateBytes(n int) int {
	return measured(n, func(n int) {
		var members sets.Exact
		states, err := simplelru.NewLRU[netip.Addr, *state](n, nil)
		if err != nil {
			panic(err) // the size is right
		}
		for i := range n {
			var source [4]byte
			binary.BigEndian.PutUint32(source[:], uint32(i))
			states.Add(netip.AddrFrom4(source), new(state))
			_, _ = members.InsertHash(bits.Reverse64(uint64(i))) // it never fails
		}
	})
}

// nonMemberGroup is the number of non-members that a set is asked about at once.
const nonMemberGroup = 1000

// querier is a filter that is asked for keys.
type querier interface {
	Hash(key []byte) uint64
	QueryHashBatch(hashes, present []uint64) (count int)
}

// falsePositives returns how many of some non-members, a multiple of nonMemberGroup, a filter takes
// for members. They are seeded random keys of 16 bytes: so long that none of them is a member.
func falsePositives(f querier, nonMembers int) int {
	const length = 16
	random := rand.NewChaCha8([32]byte([]byte("bloomlane guard: non-members v.1")))
	keys := make([]byte, nonMemberGroup*length)
	hashes := make([]uint64, nonMemberGroup)
	found := 0
	for range nonMembers / nonMemberGroup {
		_, _ = random.Read(keys) // it never fails
		for i := range hashes {
			hashes[i] = f.Hash(keys[i*length : (i+1)*length])
		}
		found += f.QueryHashBatch(hashes, nil)
	}
	return found
}
