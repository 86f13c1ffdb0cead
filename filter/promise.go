package filter

import "strings"

// Promise is a set of what a kind of filter promises. Package filtertest has the laws of each.
type Promise uint64

const (
	// NoFalseNegatives: under the contract of deletion every member is present.
	NoFalseNegatives Promise = 1 << iota

	// Deletes: a member that is deleted is not present any more, unless the status is Retained or
	// others have its bits.
	Deletes

	// Multiset: a key may be a member more than once, and stays present until it was deleted as
	// often.
	Multiset

	// Counts: a count is never below the number of times that the key is a member.
	Counts

	// Forgets: members leave by themselves as new ones come, and a key that is inserted again is
	// the latest. Most of as many as are planned are present, the latest ones; with
	// NoFalseNegatives all of them are. One that is not inserted again is present, in the end, as
	// seldom as a key that never was.
	Forgets

	// Grows: the rate of the plan holds for any number of members.
	Grows

	// MergesExactly: the merge of two filters is the filter of the inserts of both, bit for bit.
	MergesExactly

	// KeepsRate: with the planned members in, and until the end of the planned turnovers, the rate
	// is the planned one, in the mean over hash keys. What comes later is another matter, unless
	// the kind forgets: then it is the planned one at most, however many come.
	KeepsRate
)

var promises = []string{
	"no false negatives", "deletes", "multiset", "counts", "forgets", "grows", "merges exactly",
	"keeps its planned rate",
}

// Has reports whether all of q are promised.
func (p Promise) Has(q Promise) bool { return p&q == q }

// String returns the promises in words, separated by commas.
func (p Promise) String() string {
	var words []string
	for i, word := range promises {
		if p>>i&1 != 0 {
			words = append(words, word)
		}
	}
	if len(words) == 0 {
		return "nothing"
	}
	return strings.Join(words, ", ")
}
