package elastic

import "github.com/bloomlane/bloomlane/filter"

// Promises is what the kind promises.
const Promises = filter.NoFalseNegatives | filter.Deletes | filter.Multiset | filter.Grows |
	filter.MergesExactly | filter.KeepsRate

// Kind is the kind of these filters.
var Kind = filter.Kind{
	Name: kindName,
	Source: "after Wu, He, Yan, Wu, Yang, Ruas, Zhang and Cui: Elastic Bloom Filter: " +
		"Deletable and Expandable Filter Using Elastic Fingerprints (IEEE " +
		"Transactions on Computers, 2021)",
	Promises: Promises,
	New: filter.NewOf(func(s filter.Sizing) (*Filter, error) {
		return New(Config{
			Members: s.Members, BitsPerKey: s.BitsPerKey, Rate: s.Rate,
			Turnovers: s.Turnovers, Key: s.Key,
		})
	}),
	Decode:    filter.DecodeOf(Decode),
	Merge:     filter.MergeOf((*Filter).Merge),
	Intersect: filter.MergeOf((*Filter).Intersect),
}
