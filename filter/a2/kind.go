package a2

import (
	"github.com/bloomlane/bloomlane/filter"
)

// Promises are the promises of this kind of filter: see [filter.Promise]. Its members are the keys
// of the window.
const Promises = filter.NoFalseNegatives | filter.Forgets | filter.KeepsRate

// Kind describes this kind of filter to programs that handle every kind: see [filter.Kind]. The
// window moves without limit, so New takes any Turnovers and any Lifetime of a Sizing.
var Kind = filter.Kind{
	Name:     kindName,
	Source:   "Yoon: Aging Bloom Filter with Two Active Buffers for Dynamic Sets (IEEE TKDE, 2010)",
	Promises: Promises,
	New: filter.NewOf(func(s filter.Sizing) (*Filter, error) {
		if err := s.Check(kindName); err != nil {
			return nil, err
		}
		return New(Config{Members: s.Members, BitsPerKey: s.BitsPerKey, Rate: s.Rate, Key: s.Key})
	}),
	Decode: filter.DecodeOf(Decode),
}
