package counting

import "github.com/bloomlane/bloomlane/filter"

// Promises are the promises of this kind of filter: see [filter.Promise].
const Promises = filter.NoFalseNegatives | filter.Deletes | filter.Multiset | filter.MergesExactly |
	filter.KeepsRate

// Kind describes this kind of filter to programs that handle every kind: see [filter.Kind].
var Kind = filter.Kind{
	Name: kindName,
	Source: "Fan, Cao, Almeida and Broder: Summary Cache: A Scalable Wide-Area Web Cache " +
		"Sharing Protocol (IEEE/ACM Transactions on Networking, 2000)",
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
