package spill

import (
	"math/bits"
	"os"
)

// Order says in which order the different hashes come.
type Order int

const (
	// Sorted is the ascending order of the hashes, which is that of their blocks in a table.
	Sorted Order = iota
	// Counted is Sorted, with the number of times that each hash was added.
	Counted
	// Latest is the order in which the hashes were added for the last time.
	Latest
)

// Hashes takes hashes and gives each of them back once.
type Hashes struct {
	order  Order
	store  store // by hash
	latest store // by when a hash was added for the last time
	added  int
	err    error
}

// New returns Hashes without any. If the hashes do not fit into the buffers, they go to a file that
// create makes, and which Close closes. There are two such files for Latest.
func New(order Order, create func() (*os.File, error)) *Hashes {
	h := &Hashes{order: order}
	h.store = store{create: create, single: order == Sorted, unite: largest}
	if order == Counted {
		h.store.unite = func(a, b uint64) uint64 { return a + b }
	}
	h.latest = store{create: create, unite: largest}
	return h
}

func largest(a, b uint64) uint64 { return max(a, b) }

// Add adds a hash. After an error, which [Hashes.Err] returns too, no hash is added.
func (h *Hashes) Add(hash uint64) error { return h.AddTimes(hash, 1) }

// AddTimes does the same as Add, as many times, and at least once.
func (h *Hashes) AddTimes(hash, times uint64) error {
	if h.err != nil {
		return h.err
	}
	tag := times
	if h.order == Latest {
		tag = uint64(h.added)
	}
	h.added += int(times)
	h.err = h.store.add(entry{hash, tag})
	return h.err
}

// Err returns the error of the first Add that failed.
func (h *Hashes) Err() error { return h.err }

// Added returns how many hashes were added.
func (h *Hashes) Added() int { return h.added }

// Different ends the adding, and returns how many different hashes there are. It is called once.
func (h *Hashes) Different() (int, error) {
	if h.err != nil {
		return 0, h.err
	}
	different, err := h.store.finish()
	if err != nil || h.order != Latest {
		return different, err
	}
	defer h.store.close()
	shift := bits.LeadingZeros64(uint64(h.added)) // makes uniform values of the numbers
	err = h.store.each(func(entries []entry) error {
		for _, e := range entries {
			if err := h.latest.add(entry{e.tag << shift, e.value}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return h.latest.finish()
}

// Each calls do with the different hashes, some thousands or more at a time, and with how often
// each was added if they are Counted; times is nil otherwise. Both slices are valid until do
// returns. An error of do ends it. Each comes after [Hashes.Different], and may come again.
func (h *Hashes) Each(do func(hashes, times []uint64) error) error {
	from := &h.store
	if h.order == Latest {
		from = &h.latest
	}
	var hashes, times []uint64
	return from.each(func(entries []entry) error {
		hashes, times = hashes[:0], times[:0]
		for _, e := range entries {
			switch h.order {
			case Latest:
				hashes = append(hashes, e.tag)
			case Counted:
				hashes, times = append(hashes, e.value), append(times, e.tag)
			default:
				hashes = append(hashes, e.value)
			}
		}
		return do(hashes, times)
	})
}

// Close removes the temporary files and lets go of the memory. It may be called again.
func (h *Hashes) Close() {
	h.store.close()
	h.latest.close()
}
