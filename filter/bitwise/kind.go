package bitwise

import "github.com/bloomlane/bloomlane/filter"

// Promises are the promises of this kind of filter: see [filter.Promise].
const Promises = filter.NoFalseNegatives | filter.Deletes | filter.Multiset | filter.Counts |
	filter.MergesExactly | filter.KeepsRate

// Kind describes this kind of filter to programs that handle every kind: see [filter.Kind].
var Kind = filter.Kind{
	Name:     kindName,
	Source:   "Lall and Ogihara: The Bitwise Bloom Filter (University of Rochester, TR 927, 2007)",
	Promises: Promises,
	New: filter.NewOf(func(s filter.Sizing) (*Filter, error) {
		return New(Config{
			Members: s.Members, BitsPerKey: s.BitsPerKey, Rate: s.Rate,
			Turnovers: s.Turnovers, Key: s.Key,
		})
	}),
	Decode: filter.DecodeOf(Decode),
	Merge:  filter.MergeOf((*Filter).Merge),
}
