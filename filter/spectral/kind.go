package spectral

import "github.com/bloomlane/bloomlane/filter"

// rule is how the counters of a key are raised, and how they are read.
type rule int

const (
	selection rule = iota
	increase
	recurring
)

// String returns the name of the kind.
func (r rule) String() string { return [...]string{"spectral-ms", "spectral-mi", "spectral-rm"}[r] }

func (r rule) promises() filter.Promise {
	return [...]filter.Promise{SelectionPromises, IncreasePromises, RecurringPromises}[r]
}

const source = "Cohen and Matias: Spectral Bloom Filters (SIGMOD 2003)"

// The promises of the kinds: see [filter.Promise]. A recurring minimum does not promise its counts:
// docs/theory/spectral.md says why.
const (
	SelectionPromises = filter.NoFalseNegatives | filter.Deletes | filter.Multiset | filter.Counts |
		filter.MergesExactly | filter.KeepsRate
	IncreasePromises  = filter.NoFalseNegatives | filter.Multiset | filter.Counts | filter.KeepsRate
	RecurringPromises = filter.NoFalseNegatives | filter.Deletes | filter.Multiset |
		filter.KeepsRate
)

// The kinds of these filters, for programs that handle every kind: see [filter.Kind].
var (
	Selection = filter.Kind{
		Name: selection.String(), Source: source, Promises: SelectionPromises,
		New: filter.NewOf(of(NewSelection)), Decode: filter.DecodeOf(DecodeSelection),
		Merge: filter.MergeOf((*MinimumSelection).Merge),
	}
	Increase = filter.Kind{
		Name: increase.String(), Source: source, Promises: IncreasePromises,
		New: filter.NewOf(of(NewIncrease)), Decode: filter.DecodeOf(DecodeIncrease),
		Merge: filter.MergeOf((*MinimalIncrease).Merge),
	}
	Recurring = filter.Kind{
		Name: recurring.String(), Source: source, Promises: RecurringPromises,
		New: filter.NewOf(of(NewRecurring)), Decode: filter.DecodeOf(DecodeRecurring),
	}
)

// of returns the New of a Kind.
func of[F any](make func(Config) (F, error)) func(filter.Sizing) (F, error) {
	return func(s filter.Sizing) (F, error) {
		return make(Config{
			Members: s.Members, BitsPerKey: s.BitsPerKey, Rate: s.Rate,
			Turnovers: s.Turnovers, Key: s.Key,
		})
	}
}
