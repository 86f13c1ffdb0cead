package stable

import "github.com/bloomlane/bloomlane/filter"

// Promises are the promises of this kind of filter: see [filter.Promise].
const Promises = filter.Forgets | filter.KeepsRate

// Kind describes this kind of filter to programs that handle every kind: see [filter.Kind]. The
// rate is kept without limit, so New takes any Turnovers and any Lifetime of a Sizing.
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
