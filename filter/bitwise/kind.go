package bitwise

import "github.com/bloomlane/bloomlane/filter"

// Promises is what the kind promises.
const Promises = filter.NoFalseNegatives | filter.Deletes | filter.Multiset | filter.Counts |
	filter.MergesExactly | filter.KeepsRate

// Kind is the kind of these filters.
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
