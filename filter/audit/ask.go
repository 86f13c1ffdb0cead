package audit

import (
	"fmt"
	"iter"
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/filter"
)

// Check asks the filter for all members of the sample and for the hashes of so many non-members, drawn
// uniformly, and returns the answers, which are also in Stats. A false negative is an alarm that waits for
// nobody's query, and the rate of false positives is that over the hash space as it is now. It takes as long
// as a batch of queries for all of these.
func (f *Filter) Check(nonMembers int) Answers {
	if f.Closed() {
		panic(filter.ErrClosed)
	}
	var a Answers
	hashes, present := make([]uint64, 0, group), make([]uint64, group/64)
	ask := func() (found uint64) {
		found = uint64(f.of.QueryHashBatch(hashes, present))
		hashes = hashes[:0]
		return found
	}
	members := func() {
		a.Members += uint64(len(hashes))
		a.FalseNegatives += uint64(len(hashes)) - ask()
	}
	for entry := range f.sample.all {
		if stateOf(entry) != member {
			continue
		}
		if hashes = append(hashes, entry>>entryBits*f.sample.inverse); len(hashes) == group {
			members()
		}
	}
	members()
	draw := rand.NewPCG(f.odd, f.asked.nonMembers.Load()) // others than before
	for left := nonMembers; left > 0; left -= group {
		for range min(left, group) {
			hashes = append(hashes, draw.Uint64())
		}
		a.NonMembers += uint64(len(hashes))
		a.FalsePositives += ask()
	}
	f.asked.add(a)
	return a
}

// Difference is where a list of members and the sample differ: members that are in one and not in the other.
// For all members it is Every times as many.
type Difference struct {
	Unlisted int `json:"unlisted"` // members to the audit, and not in the list
	Unknown  int `json:"unknown"`  // in the list, and no members to the audit; 0 where it did not know all
}

// Seed tells the audit all members, by their hashes, each as often as it is one: after a filter was opened, or
// whenever its owner likes to compare. The list is that of a moment since when nothing was written. Where it
// yields an error, Seed returns one that wraps it, and the audit knows what it knew; of a closed filter the
// error wraps [filter.ErrClosed]. A difference is no breach to Stats: which of the two is wrong is the
// owner's to know.
func (f *Filter) Seed(members iter.Seq2[uint64, error]) (Difference, error) {
	if f.Closed() {
		return Difference{}, fmt.Errorf("audit: seed: %w", filter.ErrClosed)
	}
	listed := f.sample.empty()
	for hash, err := range members {
		if err != nil {
			return Difference{}, fmt.Errorf("audit: seed: source of members: %w", err)
		}
		if y := hash * listed.odd; y < listed.limit {
			listed.insert(y, f.counts)
		}
	}
	var d Difference
	for entry := range f.sample.all {
		if y := entry >> entryBits; y < listed.limit && listed.state(y) == absent {
			d.Unlisted++
		}
	}
	for entry := range listed.all {
		if f.seeded && f.sample.state(entry>>entryBits) == absent {
			d.Unknown++
		}
	}
	f.sample, f.seeded = listed, true
	return d, nil
}
