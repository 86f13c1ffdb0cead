package elastic

import (
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
)

// Promises are the promises of this kind of filter: see [base.Promise].
const Promises = base.NoFalseNegatives | base.Deletes | base.Multiset | base.Grows |
	base.MergesExactly | base.KeepsRate

// Kind describes this kind of filter to programs that handle every kind: see [base.Kind].
var Kind = base.Kind{
	Name: kindName,
	Source: "after Wu, He, Yan, Wu, Yang, Ruas, Zhang and Cui: Elastic Bloom Filter: " +
		"Deletable and Expandable Filter Using Elastic Fingerprints (IEEE " +
		"Transactions on Computers, 2021)",
	Promises: Promises, ShowsHashes: true,
	New: base.NewOf(func(s filter.Sizing) (*Filter, error) {
		return New(Config{
			Members: s.Members, BitsPerKey: s.BitsPerKey, Rate: s.Rate,
			Turnovers: s.Turnovers, Key: s.Key,
		})
	}),
	Decode: base.DecodeOf(Decode),
}
