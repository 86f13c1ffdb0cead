package guard

import (
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"runtime"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// allocated returns the bytes that a function allocates.
func allocated(f func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

// maxMeasured is the number of keys up to which memory is measured; beyond, it is extrapolated.
const maxMeasured = 1 << 17

// measure calls f with n, or with maxMeasured and scales the result up.
func measure(n int, f func(n int) int) int {
	if n <= maxMeasured {
		return f(n)
	}
	return int(float64(f(maxMeasured)) / maxMeasured * float64(n))
}

// exactBytes measures the memory of an exact set of n keys of a length of 4 bytes or more.
func exactBytes(n, length int) int {
	return measure(n, func(n int) int {
		key := make([]byte, length)
		var set map[string]struct{}
		return allocated(func() {
			set = make(map[string]struct{}, n)
			for i := range n {
				binary.BigEndian.PutUint32(key, uint32(i))
				set[string(key)] = struct{}{}
			}
		})
	})
}

// stateBytes measures the memory of the exact state of n sources.
func stateBytes(n int) int {
	return measure(n, func(n int) int {
		return allocated(func() {
			states, err := simplelru.NewLRU[netip.Addr, *state](max(1, n), nil)
			if err != nil {
				panic(err) // the size is right
			}
			for i := range n {
				var source [4]byte
				binary.BigEndian.PutUint32(source[:], uint32(i))
				states.Add(netip.AddrFrom4(source), new(state))
			}
		})
	})
}

// strangerGroup is the number of non-members that a set is asked about at once.
const strangerGroup = 1000

// falsePositives returns how many of some non-members, a multiple of strangerGroup, a set takes for
// members. They are seeded random keys of 16 bytes: so long that none of them is a member.
func falsePositives(set Set, strangers int) int {
	const length = 16
	random := rand.NewChaCha8([32]byte([]byte("bloomlane guard: strangers, v. 1")))
	keys := make([]byte, strangerGroup*length)
	hashes := make([]uint64, strangerGroup)
	found := 0
	for range strangers / strangerGroup {
		_, _ = random.Read(keys) // it never fails
		for i := range hashes {
			hashes[i] = set.Key.Hash(keys[i*length : (i+1)*length])
		}
		found += set.QueryHashBatch(hashes, nil)
	}
	return found
}
