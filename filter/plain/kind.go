package plain

import (
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
)

// Promises are the promises of both kinds of filter of this package: see [filter.Promise].
const Promises = filter.NoFalseNegatives | filter.MergesExactly | filter.KeepsRate

// Kind describes the filters whose keys have their bits anywhere in the table to programs that
// handle every kind: see [filter.Kind].
var Kind = kindOf(plainName, "Bloom: Space/Time Trade-offs in Hash Coding with Allowable Errors "+
	"(CACM, 1970)")

// BlockedKind is [Kind] for the filters whose keys have all their bits in one cache line.
var BlockedKind = kindOf(blockedName,
	"Putze, Sanders and Singler: Cache-, Hash- and Space-Efficient Bloom Filters (WEA, 2007)")

func kindOf(name, source string) filter.Kind {
	return filter.Kind{
		Name: name, Source: source, Promises: Promises,
		New: filter.NewOf(func(s filter.Sizing) (*Filter, error) {
			return New(Config{
				Members: s.Members, BitsPerKey: s.BitsPerKey, Rate: s.Rate, Turnovers: s.Turnovers,
				Blocked: name == blockedName, Key: s.Key,
			})
		}),
		Decode: filter.DecodeOf(func(c *file.Contents, k key.Key) (*Filter, error) {
			if c.Kind != name { // it may be the other of the two
				return nil, file.Wrong(file.ErrKind, "a filter of kind "+c.Kind,
					"a filter of kind "+name)
			}
			return Decode(c, k)
		}),
		Merge: filter.MergeOf((*Filter).Merge),
		Fold:  filter.FoldOf((*Filter).Fold),
	}
}
