// Package filtertest tests that a kind of filter keeps its promises. Use it in the tests of a new
// kind:
//
//	func TestLaws(t *testing.T) { filtertest.Run(t, Kind) }
//
// Which laws it tests depends on the promises of the kind, and on the interfaces that its filters
// implement. The laws test what package filter promises and nothing else: they compare statuses,
// counts, errors and rates, and do not look at the table of a kind. The filters have fixed hash
// keys, so every run is the same. With -short the laws run fewer rounds.
package filtertest
