package guard

import (
	"cmp"
	"fmt"
	"iter"
	"net/netip"
	"slices"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/family/retouched"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/plain"
)

// neverBlock is the bad set where some sources must never be blocked. The blocklist is in a
// retouched filter, which finds none of these sources. Sources that turn bad go into a deletable
// filter beside it. There a source is left out if a source of the list would be a false positive
// with it, and a source of the list is never in.
//
// Packets ask the two filters only. The hashes of the list are needed for the few sources with a
// third strike, by block: a program that is short of memory keeps them in a file.
type neverBlock struct {
	Deleter // of the sources that turn bad, which may be under audit
	listed  *retouched.Filter
	turned  *deletable.Filter
	bits    *file.Contents // of turned
	list    []uint64       // hashes, ascending, so by block
	own     [2][]uint64    // positions: buffers

	report  NeverBlockReport
	passing map[netip.Addr]bool // sources of the blocklist that were lost
	refused map[string]bool     // sources that were left out, any number; nil without an audit
}

// NeverBlockReport is about sources that must never be blocked, and what that costs.
type NeverBlockReport struct {
	Listed      int `json:"listed"`
	InBlocklist int `json:"in_blocklist"` // of them, taken off the blocklist
	// others of them, which the blocklist's filter had blocked by accident
	Hit         int `json:"hit"`
	ClearedBits int `json:"cleared_bits"` // so that it does not
	Passing     int `json:"passing"`      // sources of the blocklist that pass for that

	// Sources that turned bad and stay good, each time they would be blocked: those of the list,
	// and those with whom one of the list would be a false positive.
	ListedSpared int `json:"listed_spared"`
	OthersSpared int `json:"others_spared"`

	Bytes int `json:"bytes"`       // of the list's hashes, read at a third strike only
	Exact int `json:"exact_bytes"` // measured, of a Go map of the list

	// With an audit, which has exact sets: packets and answers that blocked a source of the list,
	// of which there must be none, and packets of sources of the blocklist that passed.
	Blocked        int `json:"blocked"`
	PassingPackets int `json:"passing_packets"`
}

// withoutBlocked returns a blocklist without the sources that must never be blocked, and how many
// these are.
func withoutBlocked(blocklist, never []netip.Addr) ([]netip.Addr, int) {
	keep := setOfAddresses(never)
	rest := slices.DeleteFunc(slices.Clone(blocklist),
		func(source netip.Addr) bool { return keep[source] })
	return rest, len(blocklist) - len(rest)
}

func setOfAddresses(list []netip.Addr) map[netip.Addr]bool {
	set := make(map[netip.Addr]bool, len(list))
	for _, source := range list {
		set[source] = true
	}
	return set
}

// newNeverBlock returns the bad set of a blocklist, which has no source of the never list. Its
// filters keep half the rate each.
func newNeverBlock(
	blocklist, never []netip.Addr,
	rate float64,
	turned *deletable.Filter,
) (*neverBlock, error) {
	b := &neverBlock{turned: turned, passing: map[netip.Addr]bool{}}
	k := turned.Key()
	bad, err := plain.New(plain.Config{Members: max(1, len(blocklist)), Rate: rate / 2,
		Blocked: true, Key: k})
	if err != nil {
		return nil, fmt.Errorf("guard: filter of the blocklist: %w", err)
	}
	hashes, sources := hashesOf(k, blocklist), map[uint64]netip.Addr{}
	for i, hash := range hashes {
		if _, err := bad.InsertHash(hash); err != nil {
			return nil, fmt.Errorf("guard: insert %s of the blocklist: %w", blocklist[i], err)
		}
		sources[hash] = blocklist[i]
	}
	b.list = hashesOf(k, never)
	of := retouched.Config{Members: yield(hashes), Troublesome: yield(b.list)}
	found, report, err := retouched.New(bad, of)
	if err != nil {
		return nil, fmt.Errorf("guard: sources never to block: %w", err)
	}
	if n := len(report.Remaining); n > 0 { // nothing limits what is cleared
		return nil, fmt.Errorf("guard: sources never to block: %d are blocked still, expected none",
			n)
	}
	slices.Sort(b.list)
	b.listed = found
	if b.bits, err = turned.Contents(); err != nil {
		return nil, err
	}
	for _, hash := range report.Lost {
		b.passing[sources[hash]] = true
	}
	b.report = NeverBlockReport{
		Listed: len(never), Hit: len(report.BoughtOff), ClearedBits: len(report.Cleared),
		Passing: len(b.passing),
		Bytes:   8 * len(b.list),
	}
	return b, nil
}

func hashesOf(k key.Key, sources []netip.Addr) []uint64 {
	hashes := make([]uint64, len(sources))
	for i, source := range sources {
		hashes[i] = k.Hash(appendKey(nil, source))
	}
	return hashes
}

func yield(hashes []uint64) iter.Seq2[uint64, error] {
	return filter.Infallible(slices.Values(hashes))
}

// QueryHash reports whether a source is in one of the filters.
func (b *neverBlock) QueryHash(hash uint64) bool {
	return b.listed.QueryHash(hash) || b.Deleter.QueryHash(hash)
}

// QueryHashBatch is QueryHash of many: see [filter.Querier].
func (b *neverBlock) QueryHashBatch(hashes, present []uint64) int {
	return base.QueryEach(b, hashes, present, (*neverBlock).QueryHash)
}

// spares reports whether a source stays good after its third strike: see [Sets].
func (b *neverBlock) spares(source []byte) bool {
	hash := b.turned.Hash(source)
	if _, listed := slices.BinarySearch(b.list, hash); listed {
		b.report.ListedSpared++
		return true
	}
	if b.wouldHit(hash) {
		b.report.OthersSpared++
		if b.refused != nil {
			b.refused[string(source)] = true
		}
		return true
	}
	return false
}

// wouldHit reports whether a source of the list would be in the deletable filter, if a hash were
// inserted.
func (b *neverBlock) wouldHit(hash uint64) bool {
	const blockBits = uint64(8 * deletable.BlockBytes)
	b.own[0] = b.turned.AppendPositions(b.own[0][:0], hash)
	block := b.own[0][0] / blockBits
	first, _ := slices.BinarySearchFunc(b.list, block, func(listed, block uint64) int {
		b.own[1] = b.turned.AppendPositions(b.own[1][:0], listed)
		return cmp.Compare(b.own[1][0]/blockBits, block)
	})
	words := b.bits.Sections[0].Words
	for _, listed := range b.list[first:] {
		b.own[1] = b.turned.AppendPositions(b.own[1][:0], listed)
		if b.own[1][0]/blockBits != block {
			break
		}
		if !slices.ContainsFunc(b.own[1], func(p uint64) bool {
			return words[p/64]>>(p%64)&1 == 0 && !slices.Contains(b.own[0], p)
		}) {
			return true
		}
	}
	return false
}

// audited returns what an audit's exact sets spare: the sources of the list, and those that were
// left out.
func (b *neverBlock) audited(never []netip.Addr) func(source []byte) bool {
	listed := setOfAddresses(never)
	b.refused = map[string]bool{}
	return func(source []byte) bool {
		address, _ := netip.AddrFromSlice(source)
		return listed[address] || b.refused[string(source)]
	}
}
