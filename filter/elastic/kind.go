package elastic

import "github.com/bloomlane/bloomlane/filter"

// Promises are the promises of this kind of filter: see [filter.Promise].
const Promises = filter.NoFalseNegatives | filter.Deletes | filter.Multiset | filter.Grows |
	filter.MergesExactly | filter.KeepsRate

// Kind describes this kind of filter to programs that handle every kind: see [filter.Kind].
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
	Decode: filter.DecodeOf(Decode),
}
