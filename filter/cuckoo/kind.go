package cuckoo

import "github.com/bloomlane/bloomlane/filter"

// Promises are the promises of this kind of filter: see [filter.Promise].
const Promises = filter.NoFalseNegatives | filter.Deletes | filter.Multiset | filter.KeepsRate

// Kind describes this kind of filter to programs that handle every kind: see [filter.Kind]. It has
// no Merge, because the buckets of two filters would have to be filled again.
var Kind = filter.Kind{
	Name: kindName,
	Source: "Fan, Andersen, Kaminsky and Mitzenmacher: Cuckoo Filter: Practically Better " +
		"Than Bloom (CoNEXT 2014)",
	Promises: Promises,
	New: filter.NewOf(func(s filter.Sizing) (*Filter, error) {
		return New(Config{
			Members: s.Members, BitsPerKey: s.BitsPerKey, Rate: s.Rate,
			Turnovers: s.Turnovers, Key: s.Key,
		})
	}),
	Decode: filter.DecodeOf(Decode),
}
