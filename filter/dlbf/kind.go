package dlbf

import "github.com/bloomlane/bloomlane/filter"

// Promises are the promises of this kind of filter: see [filter.Promise].
const Promises = filter.NoFalseNegatives | filter.Deletes | filter.Multiset | filter.MergesExactly |
	filter.KeepsRate

// Kind describes this kind of filter to programs that handle every kind: see [filter.Kind].
var Kind = filter.Kind{
	Name: kindName,
	Source: "Rothenberg, Macapuna, Verdi and Magalhães: The Deletable Bloom Filter: A New " +
		"Member of the Bloom Family (IEEE Communications Letters, 2010)",
	Promises: Promises,
	New: filter.NewOf(func(s filter.Sizing) (*Filter, error) {
		if err := s.Check(kindName); err != nil { // New has defaults where a Sizing has none
			return nil, err
		}
		return New(Config{
			Members: s.Members, BitsPerKey: s.BitsPerKey, Rate: s.Rate,
			Turnovers: s.Turnovers, Key: s.Key,
		})
	}),
	Decode: filter.DecodeOf(Decode),
	Merge:  filter.MergeOf((*Filter).Merge),
}
