package dispatch

// A batch, a merge or a match is cut into calls of assembly, because Go cannot preempt a goroutine
// inside one: whoever stops the world, such as the garbage collector, waits for it.
const (
	// CallKeys is the number of keys of one call, a multiple of 64 so that each call begins a word of
	// hits. At the 12 ns that a key takes in memory a call takes 12 µs, and still less than 50 µs
	// where a neighbour on the machine or small pages make that four times as much. In the cache a
	// call of that many keys takes 2 µs or more, beside which the call is nothing.
	CallKeys = 1024

	// CallBlocks is the number of blocks of one call of merge and match.
	CallBlocks = 1024

	// groupValues is the number of values that a call hashes at a time.
	groupValues = 32

	// FetchDistance is how many keys ahead a batch prefetches: measured on amd64, see the documentation
	// of avogen.
	FetchDistance = 128
)

// FetchBytes is the size of a table from which a batch prefetches. Tests change it.
var FetchBytes = fetchFrom(secondLevelBytes())

// fetchFrom returns FetchBytes for a second-level cache of so many bytes, 0 where that is not known. A
// prefetch costs up to 0.3 ns per key. From that cache on it pays; within it a processor that executes out of
// order hides the latency by itself, as long as most of the cache is the table's to have.
func fetchFrom(secondLevel int) uintptr { return uintptr(max(64<<10, secondLevel/2+1)) }

// pipeline cuts a batch into calls, across which the prefetching goes on: the last keys of a call
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

// fetched returns how many of the n blocks of a call of merge prefetch. The size of the whole table decides,
// not that of the part. (Tried: a struct that cuts blocks into calls, as pipeline does keys. It took 20 ns
// more per merge and match, on a Xeon with AVX-512.)
func fetched(n int, tableBytes uintptr) int {
	if tableBytes >= FetchBytes {
		return n
	}
	return 0
}

// hitsAt returns where the answers from key start on go, nil where hits is.
func hitsAt(hits []uint64, start int) *uint64 {
	if hits == nil {
		return nil
	}
	return &hits[start/64]
}

// statusAt is hitsAt for a delete.
func statusAt(status []uint8, start int) *uint8 {
	if status == nil {
		return nil
	}
	return &status[start]
}
