package a2

import (
	"github.com/bloomlane/bloomlane/filter"
)

// Promises is what the kind promises: members are the keys in the window.
const Promises = filter.NoFalseNegatives | filter.Forgets | filter.KeepsRate

// Kind is the kind of these filters. The window moves for ever, so Turnovers and lifetimes need no
// plan, and New takes any of them that a Sizing may have.
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
