package deletable

import "fmt"

// chunk is the number of keys that are hashed into a buffer on the stack before the kernel gets
// them: enough for its prefetching to be worth while, few enough for the first-level cache. It is a
// multiple of 64, so that every chunk begins a word of hits.
const chunk = 512

// requireHits panics where hits is too short for the answers of n keys.
func requireHits(op string, n int, hits []uint64) {
	if need := n/64 + (n%64+63)/64; hits != nil && len(hits) < need {
		panic(fmt.Sprintf("deletable: %s: hits has %d words, %d keys need %d", op, len(hits), n, need))
	}
}

// requireStatus panics where status is too short for the answers of n keys.
func requireStatus(op string, n int, status []Status) {
	if status != nil && len(status) < n {
		panic(fmt.Sprintf("deletable: %s: status has %d elements, %d keys need %d", op, len(status), n, n))
	}
}

// words returns the part of hits for the keys from start, a multiple of 64; nil where hits is nil.
func words(hits []uint64, start int) []uint64 {
	if hits == nil {
		return nil
	}
	return hits[start/64:]
}

// statuses returns the part of status for the keys from start; nil where status is nil.
func statuses(status []Status, start int) []Status {
	if status == nil {
		return nil
	}
	return status[start:]
}
