package stable

import "github.com/bloomlane/bloomlane/filter"

// Promises is what the kind promises.
const Promises = filter.Forgets | filter.KeepsRate

// Kind is the kind of these filters. The rate is kept for ever, so New takes any turnovers and
// lifetime that a Sizing may have.
var Kind = filter.Kind{
	Name: kindName,
	Source: "Deng and Rafiei: Approximately Detecting Duplicates for Streaming Data using " +
		"Stable Bloom Filters (SIGMOD, 2006)",
	Promises: Promises,
	New: filter.NewOf(func(s filter.Sizing) (*Filter, error) {
		// New takes BitsPerKey and Rate together, and no Turnovers
		if err := s.Check(kindName); err != nil {
			return nil, err
		}
		return New(Config{Members: s.Members, BitsPerKey: s.BitsPerKey, Rate: s.Rate, Key: s.Key})
	}),
	Decode: filter.DecodeOf(Decode),
}
