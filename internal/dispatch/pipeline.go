package dispatch

// A batch, a merge or a match is cut into calls of assembly, because Go cannot preempt a goroutine
// inside one: a garbage collection would wait for its end.
const (
	// CallKeys is the number of keys of one call, a multiple of 64 so that each call begins a word
	// of answers. At 12 ns per key in memory a call takes 12 µs. It takes less than 50 µs even if a
	// neighbour on the machine or small pages make that four times as long. In the cache it takes 2
	// µs or more, so the overhead of the call does not count.
	CallKeys = 1024

	// CallBlocks is the number of blocks of one call of merge and match.
	CallBlocks = 1024

	// groupValues is the number of values that a call hashes at a time.
	groupValues = 32

	// FetchDistance is how many keys ahead a batch prefetches: docs/decisions/prefetch-distance.md.
	FetchDistance = 128
)

// FetchBytes is the size of a table from which a batch prefetches. Tests change it.
var FetchBytes = fetchFrom(secondLevelBytes())

// fetchFrom returns FetchBytes for a second-level cache of that size in bytes, 0 if it is unknown.
// A prefetch costs up to 0.3 ns per key. Within that cache it gains nothing, because a processor
// that executes out of order hides the latency, as long as the table can have most of the cache.
func fetchFrom(secondLevel int) uintptr { return uintptr(max(64<<10, secondLevel/2+1)) }

// pipeline cuts a batch into calls. Prefetching continues across them: the last keys of a call
// prefetch the blocks of the first keys of the next.
type pipeline struct {
	left     int // keys behind the current call
	start, n int // the keys of the current call
	fetch    int // of them, those that prefetch
	distance int // how many keys ahead they do
}

func newPipeline(keys int, tableBytes uintptr) pipeline {
	p := pipeline{left: keys}
	if tableBytes >= FetchBytes {
		p.distance = FetchDistance
	}
	return p
}

// ahead returns the number of keys whose blocks are to be prefetched before the first call.
func (p *pipeline) ahead() int { return min(p.distance, p.left) }

// next goes on to the next call, and reports whether there is one.
func (p *pipeline) next() bool {
	p.start += p.n
	p.n = min(p.left, CallKeys)
	p.left -= p.n
	p.fetch = 0
	if p.distance > 0 {
		p.fetch = max(0, min(p.n, p.n+p.left-p.distance))
	}
	return p.n > 0
}

// fetched returns how many of the n blocks of a call of merge prefetch. The size of the whole table
// decides, not that of the part. (Tried: a struct that cuts blocks into calls, as pipeline does
// keys. It took 20 ns more per merge and match, on a Xeon with AVX-512.)
func fetched(n int, tableBytes uintptr) int {
	if tableBytes >= FetchBytes {
		return n
	}
	return 0
}

// presentAt returns the place of the answers from key start on, or nil if present is nil.
func presentAt(present []uint64, start int) *uint64 {
	if present == nil {
		return nil
	}
	return &present[start/64]
}

// statusAt is presentAt for a delete.
func statusAt(status []uint8, start int) *uint8 {
	if status == nil {
		return nil
	}
	return &status[start]
}

// dealt returns hashes in another order, in a buffer, like cards dealt to 8 players. In sorted
// hashes those of one block follow one another, and each would wait for the store of the one
// before.
func dealt(buffer *[CallKeys]uint64, hashes []uint64) []uint64 {
	const hands = 8
	n := len(hashes) / hands
	h0, h1, h2, h3 := hashes[:n], hashes[n:][:n], hashes[2*n:][:n], hashes[3*n:][:n]
	h4, h5, h6, h7 := hashes[4*n:][:n], hashes[5*n:][:n], hashes[6*n:][:n], hashes[7*n:][:n]
	to := buffer[:len(hashes)]
	for i := range h0 {
		t := to[i*hands:][:hands]
		t[0], t[1], t[2], t[3] = h0[i], h1[i], h2[i], h3[i]
		t[4], t[5], t[6], t[7] = h4[i], h5[i], h6[i], h7[i]
	}
	copy(to[n*hands:], hashes[n*hands:])
	return to
}
