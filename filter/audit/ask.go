package audit

import (
	"fmt"
	"iter"
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/filter"
)

// Check queries the filter for all members of the sample and for the given number of uniformly
// random hashes, which it takes for non-members. It returns the answers, and adds them to Stats. So
// it finds a lost member of the sample without a query by the program, and its rate of false
// positives is that over the hash space as the filter is now. It takes as long as a batch of all
// these queries.
func (f *Filter) Check(nonMembers int) Answers {
	if f.Closed() {
		panic(filter.ErrClosed)
	}
	var a Answers
	hashes, present := make([]uint64, 0, group), make([]uint64, group/64)
	ask := func() (found int) {
		found = f.audited.QueryHashBatch(hashes, present)
		hashes = hashes[:0]
		return found
	}
	members := func() {
		a.Members += len(hashes)
		a.FalseNegatives += len(hashes) - ask()
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
	// others than before, also if several checks run at once: each takes its numbers at its start
	draw := rand.NewPCG(f.odd, f.drawn.Add(uint64(max(0, nonMembers))))
	for left := nonMembers; left > 0; left -= group {
		for range min(left, group) {
			hashes = append(hashes, draw.Uint64())
		}
		a.NonMembers += len(hashes)
		a.FalsePositives += ask()
	}
	f.checks.add(a)
	return a
}

// Difference is how a list of members and the shadow differ, in members of the sample that only one
// of them has. Among all members about Every times as many differ.
type Difference struct {
	Unlisted int `json:"unlisted"` // members of the shadow that are not in the list

	// Unknown counts keys of the list that are no members of the shadow. It is 0 if the shadow did
	// not know all members.
	Unknown int `json:"unknown"`
}

// Seed tells the audit the hashes of all members, each as often as it was inserted and not deleted
// since. Use it after a filter was opened, and whenever the owner wants to compare. The list must
// be up to date: nothing may be written from the time that it is made until Seed returns. From then
// on the shadow is what the list says. If the list yields an error, Seed returns one that wraps it,
// and the shadow does not change. So it does if the list is empty and the filter has members: the
// error wraps [filter.ErrEmptySource]. For a closed filter it wraps [filter.ErrClosed]. Stats
// counts no difference as a breach, because only the owner knows which of the two is wrong.
func (f *Filter) Seed(members iter.Seq2[uint64, error]) (Difference, error) {
	if f.Closed() {
		return Difference{}, fmt.Errorf("audit: seed: %w", filter.ErrClosed)
	}
	listed, none := f.sample.empty(), true
	for hash, err := range members {
		if err != nil {
			return Difference{}, fmt.Errorf("audit: seed: source of members: %w", err)
		}
		none = false
		if y := hash * listed.odd; y < listed.limit {
			listed.insert(y)
		}
	}
	if none && f.audited.State().Members > 0 {
		return Difference{}, fmt.Errorf("audit: seed: %w", filter.ErrEmptySource)
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
