package base

import "strings"

// Promise is a set of promises that a kind of filter makes. Package filtertest tests each of them.
type Promise uint64

const (
	// NoFalseNegatives promises that every member is present, under the contract of deletion.
	NoFalseNegatives Promise = 1 << iota

	// Deletes promises that a member that was deleted as often as it was inserted is not present
	// any more, unless the status is Retained or the key is a false positive of the members that
	// are left.
	Deletes

	// Multiset promises that a key may be inserted more than once, and stays present until it has
	// been deleted as many times.
	Multiset

	// Counts promises that a count is not below the number of times that the key is a member.
	Counts

	// Forgets promises that old members leave by themselves as new ones are inserted. A key that is
	// inserted again becomes the latest one. With as many members as planned, most of the latest
	// ones are present, and all of them with NoFalseNegatives. A member that is not inserted again
	// is present, after enough inserts, only at the rate of a non-member.
	Forgets

	// Grows promises that the planned rate holds for any number of members.
	Grows

	// MergesExactly promises that the merge of two filters is, bit for bit, the filter of the
	// inserts of both.
	MergesExactly

	// KeepsRate promises that the rate is the planned one, as a mean over hash keys, with the
	// planned members in the filter and until the end of the planned turnovers. A kind that also
	// Forgets promises that the mean rate is at most the planned one after any number of inserts.
	// Plans follow from formulas that are exact for large tables: with fewer than 1,000 members the
	// mean may be some percent above, which the packages state.
	KeepsRate
)

var promises = []string{
	"no false negatives", "deletes", "multiset", "counts", "forgets", "grows", "merges exactly",
	"keeps its planned rate",
}

// Has reports whether p has all promises of q.
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
