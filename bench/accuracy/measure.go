// Package accuracy is no API: it measures what filters answer: false positives, members that are
// not found, and what a delete leaves, by the bits per key of the filters. It measures no times.
//
// All filters get the same keys. Member i is key(i), and the non-members follow; key is a
// bijection, so no non-member is a member. If the size of a filter is a power of two, it gets fewer
// members, so that its bits per key are those that were asked for; [result.Accuracy] says how many
// members it has.
package accuracy

import (
	"fmt"
	"io"
	"math/bits"
	"slices"

	"github.com/bloomlane/bloomlane/bench/peer"
	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/internal/workload"
	"github.com/bloomlane/bloomlane/report/progress"
)

// Settings are what Measure measures.
type Settings struct {
	Members int       // that each filter gets, or fewer: 1 or more
	Bits    []float64 // per key, ascending; a filter of fixed size has only one

	// NonMembers are asked until as many have been, and Positives of them were found, or as many as
	// Most: 1 or more.
	NonMembers, Most int
	Positives        int
	// Enough is the number of false positives after which no more non-members are asked, though
	// they be fewer than NonMembers. Their sampling error is 1/sqrt(Enough) of the rate.
	Enough int

	// Deleted is the number of members of which each is deleted from the full filter, for the
	// deletable share: all, where it is Members or more.
	Deleted int
}

// Default is for a report: less than two minutes of a core. The members are no power of two,
// because Pebble's filters are at their worst there.
func Default() Settings {
	return Settings{
		Members: 1_000_000, Bits: []float64{6, 8, 10, 12, 14, 16, 20, 24, 32},
		NonMembers: 1 << 23, Most: 1 << 25, Positives: 100, Enough: 10_000,
		Deleted: 1 << 17,
	}
}

// Quick is for a look: its rates below one in a hundred thousand are not to be had.
func Quick() Settings {
	return Settings{
		Members: 60_000, Bits: []float64{8, 12, 16, 24},
		NonMembers: 1 << 19, Most: 1 << 20, Positives: 100, Enough: 2_000,
		Deleted: 1 << 13,
	}
}

// Measure measures ours and the others, in this order, each at the bits of the settings. What a
// peer cannot do it leaves out, and a note says why.
func (s Settings) Measure(
	others []peer.Peer,
	stderr io.Writer,
) (found []result.Accuracy, notes []string) {
	members := make([]uint64, s.Members)
	for i := range members {
		members[i] = key(uint64(i))
	}
	var filters []subject
	ofBytes := slices.DeleteFunc(peer.OursOfBytes(),
		func(p peer.Peer) bool { return p.Table != p.Name })
	for _, ours := range slices.Concat(peer.Ours(), ofBytes) {
		filters = append(filters, s.subjects(ours, result.Implementation)...)
	}
	for _, other := range others {
		filters = append(filters, s.subjects(other, result.Peer)...)
	}
	bar := progress.Start(stderr, "accuracy", int64(len(filters)), "")
	defer bar.Done()
	for _, named := range filters {
		a, err := s.accuracy(named, members)
		if err != nil {
			notes = append(notes, fmt.Sprintf("accuracy of %s at %g bits per key: skipped: %v",
				named.Name, named.bits, err))
		} else {
			found = append(found, a)
		}
		bar.Add(1)
	}
	return found, notes
}

// subject is a filter to be measured.
type subject struct {
	peer.Peer
	kind result.Kind
	bits float64
}

// subjects are the filters of a peer, of different sizes.
func (s Settings) subjects(of peer.Peer, kind result.Kind) (all []subject) {
	for _, bits := range s.Bits {
		if n := len(all); n == 0 || !of.Fixed && of.Takes(bits) != of.Takes(all[n-1].bits) {
			all = append(all, subject{of, kind, bits})
		}
	}
	return all
}

// accuracy measures one filter.
func (s Settings) accuracy(of subject, members []uint64) (a result.Accuracy, err error) {
	fit := of.Fit(len(members), of.bits)
	if fit < 1 {
		return a, fmt.Errorf("its smallest filter takes more for %d members", len(members))
	}
	members = members[:fit]
	f, refused, err := of.Build(members, of.bits)
	if err != nil {
		return a, err
	}
	a = result.Accuracy{
		Name: of.Name, Kind: of.kind,
		Members: int64(len(members)),
		Bits:    8 * float64(f.State().Bytes) / float64(len(members)),
		Asked:   of.bits,
		Refused: int64(refused),
		Lost:    int64(len(members) - f.QueryHashBatch(members, nil)),
	}
	if theory, ok := f.(peer.Theory); ok {
		rate := theory.ExpectedRate(len(members))
		a.Predicted = &rate
	}
	s.ask(f, &a)
	if d, ok := f.(peer.Deleter); ok {
		share := deletable(d, members[:min(s.Deleted, len(members))])
		a.Deletable = &share
		if theory, ok := f.(peer.DeleteTheory); ok {
			share := theory.ExpectedDeletable(len(members))
			a.PredictedDeletable = &share
		}
		a.DeleteLost = deleteLost(d, members)
	}
	return a, nil
}

// chunk is how many keys are drawn and asked at a time.
const chunk = 1 << 14

// ask measures the false-positive rate.
func (s Settings) ask(f peer.Filter, a *result.Accuracy) {
	keys := make([]uint64, chunk)
	most := max(s.NonMembers, s.Most)
	for next := uint64(s.Members); ; {
		keys = keys[:min(chunk, most-int(a.NonMembers))]
		for i := range keys {
			keys[i] = key(next)
			next++
		}
		a.Positives += int64(f.QueryHashBatch(keys, nil))
		a.NonMembers += int64(len(keys))
		asked, positives := int(a.NonMembers), int(a.Positives)
		if asked >= most || asked >= s.NonMembers && positives >= s.Positives ||
			positives >= s.Enough {
			a.Rate = float64(positives) / float64(asked)
			return
		}
	}
}

// deletable returns the share of the members that a delete makes invisible when nothing else is
// deleted: each is deleted from the filter as it was filled, asked for, and inserted again, which
// restores a deletable Bloom filter bit for bit, and the fingerprints or counts of others. Members
// that the filter had lost, or did not delete, are not inserted again.
func deletable(f peer.Deleter, members []uint64) float64 {
	gone, status := 0, make([]filter.Status, 1)
	for i := range members {
		member := members[i : i+1]
		if f.QueryHashBatch(member, nil) == 0 {
			continue
		}
		// Ours count a member that stays visible as retained, and others' have no status.
		status[0] = filter.Absent
		deleted, visible := f.DeleteHashBatch(member, status), f.QueryHashBatch(member, nil)
		if gone += 1 - visible; status[0] != filter.Absent || deleted > 0 || visible == 0 {
			peer.Insert(f, member)
		}
	}
	return float64(gone) / float64(len(members))
}

// deleteLost deletes every other member, and returns how many of the rest were found before that
// and are not any more.
func deleteLost(f peer.Deleter, members []uint64) int64 {
	gone, stay := make([]uint64, 0, len(members)/2), make([]uint64, 0, (len(members)+1)/2)
	for i, member := range members {
		if i%2 == 1 {
			gone = append(gone, member)
		} else {
			stay = append(stay, member)
		}
	}
	before := make([]uint64, (len(stay)+63)/64)
	after := make([]uint64, len(before))
	f.QueryHashBatch(stay, before)
	f.DeleteHashBatch(gone, nil)
	f.QueryHashBatch(stay, after)
	lost := int64(0)
	for i := range before {
		lost += int64(bits.OnesCount64(before[i] &^ after[i]))
	}
	return lost
}

// key is a bijection.
func key(i uint64) uint64 { return workload.Mix(i * workload.Step) }
